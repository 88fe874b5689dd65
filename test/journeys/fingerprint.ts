// Hashes a folder or a file, to check that nothing in it changed.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A hash over every path with its time stamp, size and bytes. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = lstatSync(join(folder, path));
    hash.update(`${path}\0${stat.mtimeMs}\0${stat.size}\0`);
    if (stat.isFile()) hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
}

/** The hash of one file's bytes; undefined if it does not exist. */
export function fileHash(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}
