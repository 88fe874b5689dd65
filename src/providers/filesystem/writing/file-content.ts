// Hashes, identifies and durably creates single files on disk.
import type { Stats } from 'node:fs';
import { contentHashOf } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { isEvicted } from '../../../base/system/evicted-file.ts';
import { BYTES_PER_READ, OPEN_FLAGS } from '../read-file.ts';
import { type Disk, statsAt, tryQuietly } from './disk.ts';

/** The attributes that a new file takes over from the one it replaces. */
export interface Ownership {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Returned instead of a hash for a folder, a link or a pipe; equal to no hash. */
export const NOT_A_FILE = 'not a file';
export const EMPTY_FILE = contentHashOf([]);

const PERMISSIONS = 0o777;

/**
 * Null if nothing is there, NOT_A_FILE if it is not a regular file.
 * @param path the file's name in an error
 * @param heartbeat called after each piece
 * @throws FILE_UNREADABLE for a file that is only in the cloud; system errors
 */
export function hashOf(disk: Disk, file: string, path: string, heartbeat: () => void): string | null {
  const stats = statsAt(disk, file);
  if (stats === undefined) return null;
  if (!stats.isFile()) return NOT_A_FILE;
  if (isEvicted(stats)) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
  const descriptor = disk.openSync(file, OPEN_FLAGS);
  try {
    return contentHashOf(chunksOf(disk, descriptor, stats.size, heartbeat));
  } finally {
    disk.closeSync(descriptor);
  }
}

function* chunksOf(disk: Disk, descriptor: number, size: number, heartbeat: () => void): Iterable<Uint8Array> {
  const chunk = new Uint8Array(Math.min(BYTES_PER_READ, size + 1));
  for (let read = -1; read !== 0; ) {
    read = disk.readSync(descriptor, chunk);
    heartbeat();
    yield chunk.subarray(0, read);
  }
}

/** Whether two paths are names of one file. The second is examined last. */
export function isSameFile(disk: Disk, one: string, other: string): boolean {
  const left = identityOf(disk, one);
  return left !== undefined && left === identityOf(disk, other);
}

/** Read as bigints: on Windows these numbers do not fit into a double. */
function identityOf(disk: Disk, path: string): string | undefined {
  if (statsAt(disk, path) === undefined) return undefined;
  const { dev, ino } = disk.lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

export const ownershipOf = ({ mode, uid, gid }: Stats): Ownership => ({ mode: mode & PERMISSIONS, uid, gid });

/**
 * Creates a file that does not exist yet, and syncs it to disk.
 * @param ownership the system's defaults where not given
 * @param checkStop called before each part
 */
export function createDurably(
  disk: Disk,
  file: string,
  parts: Iterable<Uint8Array>,
  ownership: Partial<Ownership> = {},
  checkStop: () => void = () => undefined,
): void {
  const descriptor = disk.openSync(file, 'wx');
  try {
    setOwnership(disk, descriptor, ownership);
    for (const part of parts) {
      checkStop();
      writeAll(disk, descriptor, part);
    }
    disk.fsyncSync(descriptor);
  } finally {
    disk.closeSync(descriptor);
  }
}

function writeAll(disk: Disk, descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; )
    done += disk.writeSync(descriptor, bytes, done, bytes.byteLength - done);
}

/** Sets the owner as far as the system allows it, and before the permissions, because that clears some of them. */
function setOwnership(disk: Disk, descriptor: number, { mode, uid, gid }: Partial<Ownership>): void {
  const now = disk.fstatSync(descriptor);
  const [user, group] = [uid ?? now.uid, gid ?? now.gid];
  if (user !== now.uid || group !== now.gid) tryQuietly(() => disk.fchownSync(descriptor, user, group));
  if (mode !== undefined && mode !== (now.mode & PERMISSIONS)) disk.fchmodSync(descriptor, mode);
}

/** Reads `length` bytes of an open file from an offset, fewer at its end. */
export type ReadRange = (offset: number, length: number) => Buffer;

export function withOpenFile<T>(disk: Disk, file: string, work: (read: ReadRange) => T): T {
  const descriptor = disk.openSync(file, OPEN_FLAGS);
  try {
    return work((offset, length) => {
      const bytes = Buffer.alloc(length);
      let done = 0;
      for (let read = -1; read !== 0 && done < length; done += read)
        read = disk.readSync(descriptor, bytes, done, length - done, offset + done);
      return bytes.subarray(0, done);
    });
  } finally {
    disk.closeSync(descriptor);
  }
}
