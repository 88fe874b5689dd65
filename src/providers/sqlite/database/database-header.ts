// Reads the first bytes of a database file without the engine, so that what is not ours is refused before it is opened.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
const LENGTH = 100;
const APPLICATION_ID_AT = 68;

/** `none`: no file, or an empty one · `foreign`: no database at all · else what its header says. */
export type DatabaseHeader = 'none' | 'foreign' | { readonly applicationId: number };

/** @throws the system's error when the file is there and cannot be read */
export function readDatabaseHeader(file: string): DatabaseHeader {
  const descriptor = openExisting(file);
  if (descriptor === undefined) return 'none';
  try {
    if (!fstatSync(descriptor).isFile()) return 'foreign';
    const bytes = Buffer.alloc(LENGTH);
    return parseHeader(bytes.subarray(0, readSync(descriptor, bytes, 0, LENGTH, 0)));
  } finally {
    closeSync(descriptor);
  }
}

function parseHeader(bytes: Buffer): DatabaseHeader {
  if (bytes.length === 0) return 'none';
  if (bytes.length < LENGTH || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'foreign';
  return { applicationId: bytes.readInt32BE(APPLICATION_ID_AT) };
}

/** Without blocking on a pipe that has the file's name. */
function openExisting(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}
