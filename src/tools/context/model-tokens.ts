// Counts the tokens of a text as current chat models do, by the byte pairs of o200k.
import { readFile } from 'node:fs/promises';
import { setImmediate as letOthersRun } from 'node:timers/promises';

/**
 * The hashes of all tokens, 32 bits each, by rank. The package that has the tokens as texts needs 60 MB in memory and
 * holds the thread for 0.2 s to load them.
 */
const FILE = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/o200k.bin' : './o200k.bin', import.meta.url);
const SLOTS = 1 << 19;
const LOADED_AT_ONCE = 20_000;
const NO_RANK = Number.POSITIVE_INFINITY;

/** By slot: the hash of a token, and its rank + 1. */
const hashes = new Uint32Array(SLOTS);
const ranks = new Uint32Array(SLOTS);
let loading: Promise<void> | undefined;

/** Must be awaited before `modelTokens`. Rejects if the program is not built, or its files were removed. */
export async function loadTokens(): Promise<void> {
  loading ??= readTokens();
  return loading.catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
}

async function readTokens(): Promise<void> {
  const bytes = await readFile(FILE);
  for (let rank = 0; rank * 4 < bytes.length; rank += 1) {
    insert(bytes.readUInt32LE(rank * 4), rank);
    if (rank % LOADED_AT_ONCE === 0) await letOthersRun();
  }
}

function insert(hash: number, rank: number): void {
  let slot = hash % SLOTS;
  while (ranks[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) % SLOTS;
  if (ranks[slot] !== 0) return;
  hashes[slot] = hash;
  ranks[slot] = rank + 1;
}

function rankOf(bytes: Uint8Array, from: number, to: number): number {
  const hash = hashOf(bytes, from, to);
  let slot = hash % SLOTS;
  while (ranks[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) % SLOTS;
  return ranks[slot] === 0 ? NO_RANK : (ranks[slot] as number);
}

/** FNV-1a. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0;
}

const SUFFIX = "(?:'(?:[sdmtSDMT]|[lL]{2}|[vV][eE]|[rR][eE]))?";
const CAPITALS = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LETTERS = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
/** No token reaches over the end of a part: words with the sign before them, three digits, signs, line ends, blanks. */
const PARTS = new RegExp(
  `[^\\r\\n\\p{L}\\p{N}]?(?:${CAPITALS}*${LETTERS}+|${CAPITALS}+${LETTERS}*)${SUFFIX}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  'gu',
);
/** Pairs are searched again after each merge, so the time grows with the square of a piece. */
const PIECES = /.{1,48}/gsu;
const MAX_KNOWN = 20_000;
/** Words repeat. */
const known = new Map<string, number>();

export function modelTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(PARTS)) tokens += knownTokens(part);
  return tokens;
}

function knownTokens(part: string): number {
  const counted = known.get(part);
  if (counted !== undefined) return counted;
  if (known.size >= MAX_KNOWN) known.clear();
  const tokens = (part.match(PIECES) ?? []).reduce((sum, piece) => sum + mergedTokens(Buffer.from(piece)), 0);
  known.set(part, tokens);
  return tokens;
}

/** Merges the pair of lowest rank until no pair is a token. */
function mergedTokens(bytes: Uint8Array): number {
  if (rankOf(bytes, 0, bytes.length) !== NO_RANK) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  const pairRank = (at: number): number =>
    at + 2 < starts.length ? rankOf(bytes, starts[at] as number, starts[at + 2] as number) : NO_RANK;
  const pairs = starts.map((_, at) => pairRank(at));
  for (;;) {
    const best = lowest(pairs);
    if (pairs[best] === NO_RANK) return starts.length - 1;
    starts.splice(best + 1, 1);
    pairs.splice(best + 1, 1);
    pairs[best] = pairRank(best);
    if (best > 0) pairs[best - 1] = pairRank(best - 1);
  }
}

function lowest(pairs: readonly number[]): number {
  let best = 0;
  for (let at = 1; at < pairs.length; at += 1) if ((pairs[at] as number) < (pairs[best] as number)) best = at;
  return best;
}
