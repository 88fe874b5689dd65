// Counts the tokens of a text as current chat models do, by the byte pairs of o200k.
import { readFile } from 'node:fs/promises';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** All tokens, as the build packs them. The package that has them as texts needs 60 MB in memory and holds the thread for 0.2 s to load them. */
const FILE = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/o200k.bin' : './o200k.bin', import.meta.url);
const SLOTS = 1 << 19;
const LOADED_AT_ONCE = 20_000;
const NO_LEVEL = Number.POSITIVE_INFINITY;
/** No byte of a token in UTF-8, nor of the parts of one; ends its bytes in the file. */
export const NO_BYTE = 0xff;
const MAX_TOKEN_BYTES = 128;

/** By slot: the hash of a token, and its level + 1. */
const hashes = new Uint32Array(SLOTS);
const levels = new Uint8Array(SLOTS);
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
  const bytes = await promisify(brotliDecompress)(await readFile(FILE));
  const count = bytes.readUInt32LE(0);
  /** By length, of the bytes of this token. */
  const prefixes = new Uint32Array(MAX_TOKEN_BYTES + 1).fill(EMPTY_HASH, 0, 1);
  let at = 4 + count;
  for (let token = 0; token < count; token += 1) {
    let length = bytes[at++] as number;
    for (; bytes[at] !== NO_BYTE; at += 1, length += 1)
      prefixes[length + 1] = mixed(prefixes[length] as number, bytes[at] as number);
    at += 1;
    insert(prefixes[length] as number, bytes[4 + token] as number);
    if (token % LOADED_AT_ONCE === 0) await letOthersRun();
  }
}

/** The one that is merged first counts among tokens with the same hash. */
function insert(hash: number, level: number): void {
  const slot = slotOf(hash);
  if (levels[slot] !== 0 && (levels[slot] as number) <= level + 1) return;
  hashes[slot] = hash;
  levels[slot] = level + 1;
}

function levelOf(bytes: Uint8Array, from: number, to: number): number {
  const level = levels[slotOf(hashOf(bytes, from, to))] as number;
  return level === 0 ? NO_LEVEL : level;
}

/** The slot of the hash, or the empty one where it belongs. */
function slotOf(hash: number): number {
  let slot = hash % SLOTS;
  while (levels[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) % SLOTS;
  return slot;
}

const EMPTY_HASH = 0x811c9dc5;

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = EMPTY_HASH;
  for (let at = from; at < to; at += 1) hash = mixed(hash, bytes[at] as number);
  return hash;
}

/** FNV-1a. */
const mixed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193) >>> 0;

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
const counts = new Map<string, number>();

export function modelTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(PARTS)) tokens += knownTokens(part);
  return tokens;
}

function knownTokens(part: string): number {
  const counted = counts.get(part);
  if (counted !== undefined) return counted;
  if (counts.size >= MAX_KNOWN) counts.clear();
  const tokens = (part.match(PIECES) ?? []).reduce((sum, piece) => sum + mergedTokens(Buffer.from(piece)), 0);
  counts.set(part, tokens);
  return tokens;
}

/** Merges the pair of lowest level until no pair is a token. */
function mergedTokens(bytes: Uint8Array): number {
  if (levelOf(bytes, 0, bytes.length) !== NO_LEVEL) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  const pairLevel = (at: number): number =>
    at + 2 < starts.length ? levelOf(bytes, starts[at] as number, starts[at + 2] as number) : NO_LEVEL;
  const pairs = starts.map((_, at) => pairLevel(at));
  for (;;) {
    const best = lowest(pairs);
    if (pairs[best] === NO_LEVEL) return starts.length - 1;
    starts.splice(best + 1, 1);
    pairs.splice(best + 1, 1);
    pairs[best] = pairLevel(best);
    if (best > 0) pairs[best - 1] = pairLevel(best - 1);
  }
}

function lowest(pairs: readonly number[]): number {
  let best = 0;
  for (let at = 1; at < pairs.length; at += 1) if ((pairs[at] as number) < (pairs[best] as number)) best = at;
  return best;
}
