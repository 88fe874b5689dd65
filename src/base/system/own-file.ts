// Reads a file that this program keeps for itself, whatever has taken its place.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { parsedJson } from '../plain-object.ts';

/** Reading a pipe waits for its writer and a device may have no end: either would hold up the process. */
class NotAFile extends Error {
  readonly code = 'EFTYPE';
  /** The number on the systems that have it. */
  readonly errno = -79;
}

/** On a pipe, opening waits too. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** @throws system errors; EFTYPE for what is not a regular file, EISDIR for a folder */
export function readOwnFile(file: string): Buffer {
  const descriptor = openSync(file, FLAGS);
  try {
    checkKind(file, fstatSync(descriptor));
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined if it is not JSON. @throws as `readOwnFile` */
export const readOwnJson = (file: string): unknown => parsedJson(readOwnFile(file).toString());

/** For what opens the file itself, as SQLite does. @throws EFTYPE; other system errors but that of a missing file */
export function checkOwnFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats !== undefined) checkKind(file, stats);
}

/** What opens or reads a folder fails with EISDIR. */
function checkKind(file: string, stats: Stats): void {
  if (!stats.isFile() && !stats.isDirectory()) throw new NotAFile(file);
}
