// Moves an index file and its write-ahead log aside, whatever state they are in. Reads nothing in them.
import { lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { toStoreFault } from './faults.ts';

/** What SQLite may have laid beside the database; the log belongs to exactly this file. */
const PARTS = ['', '-wal', '-shm'];

/** @returns the new name of the file, in the same folder; undefined when there is none. @throws STORE_READONLY, STORE_FULL */
export function setAside(file: string): string | undefined {
  if (!isThere(file)) return undefined;
  const kept = `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}.aside`;
  try {
    for (const part of PARTS) if (isThere(file + part)) renameSync(file + part, kept + part);
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'set aside', file });
  }
  return basename(kept);
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
