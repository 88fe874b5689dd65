// Single files on disk: what they hold, by its hash, and how one is written whole.
import { constants, type Stats } from 'node:fs';
import { contentHashOf } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { isEvicted } from '../evicted.ts';
import { attempt, type Disk, statsAt } from './disk.ts';

/** What a file that takes another's place has from it. */
export interface Owned {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Stands for the hash of what is there and is no plain file; equal to none. */
export const NOT_PLAIN = 'no plain file';
export const EMPTY_FILE = contentHashOf([]);

const PERMISSIONS = 0o777;
/** A link is not followed, and a pipe does not block. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const BYTES_PER_READ = 1024 * 1024;

/**
 * Null where nothing is, NOT_PLAIN where it is no plain file.
 * @param path what the file is called in a failure
 * @param alive called as the bytes come in
 * @throws FILE_UNREADABLE for one that is in the cloud only; the system's own errors
 */
export function hashOf(disk: Disk, file: string, path: string, alive: () => void): string | null {
  const stats = statsAt(disk, file);
  if (stats === undefined) return null;
  if (!stats.isFile()) return NOT_PLAIN;
  if (isEvicted(stats)) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EVICTED' });
  const descriptor = disk.openSync(file, READ);
  try {
    return contentHashOf(piecesOf(disk, descriptor, stats.size, alive));
  } finally {
    disk.closeSync(descriptor);
  }
}

function* piecesOf(disk: Disk, descriptor: number, size: number, alive: () => void): Iterable<Uint8Array> {
  const piece = new Uint8Array(Math.min(BYTES_PER_READ, size + 1));
  for (let read = -1; read !== 0; ) {
    read = disk.readSync(descriptor, piece);
    alive();
    yield piece.subarray(0, read);
  }
}

/** Whether two paths lead to one file, by whatever name; the second is looked at last. */
export function isSameFile(disk: Disk, one: string, other: string): boolean {
  const left = identityOf(disk, one);
  return left !== undefined && left === identityOf(disk, other);
}

/** As bigints, for Windows has numbers that no double holds. */
function identityOf(disk: Disk, path: string): string | undefined {
  if (statsAt(disk, path) === undefined) return undefined;
  const { dev, ino } = disk.lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

export const ownedBy = ({ mode, uid, gid }: Stats): Owned => ({ mode: mode & PERMISSIONS, uid, gid });

/**
 * Writes a file that was not there, whole and durably.
 * @param owned the system's usual where it is not given
 * @param beat called before each part
 */
export function createDurably(
  disk: Disk,
  file: string,
  parts: readonly Uint8Array[],
  owned: Partial<Owned> = {},
  beat: () => void = () => undefined,
): void {
  const descriptor = disk.openSync(file, 'wx');
  try {
    hand(disk, descriptor, owned);
    for (const part of parts) {
      beat();
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

/** To another owner as far as the system lets a file be given away; before the permissions, for it takes some of them. */
function hand(disk: Disk, descriptor: number, { mode, uid, gid }: Partial<Owned>): void {
  const now = disk.fstatSync(descriptor);
  const [user, group] = [uid ?? now.uid, gid ?? now.gid];
  if (user !== now.uid || group !== now.gid) attempt(() => disk.fchownSync(descriptor, user, group));
  if (mode !== undefined && mode !== (now.mode & PERMISSIONS)) disk.fchmodSync(descriptor, mode);
}

/** Of an open file so many bytes from a place on, fewer at its end. */
export type ReadPart = (from: number, length: number) => Buffer;

export function inReadFile<T>(disk: Disk, file: string, work: (read: ReadPart) => T): T {
  const descriptor = disk.openSync(file, 'r');
  try {
    return work((from, length) => {
      const bytes = Buffer.alloc(length);
      let done = 0;
      for (let read = -1; read !== 0 && done < length; done += read)
        read = disk.readSync(descriptor, bytes, done, length - done, from + done);
      return bytes.subarray(0, done);
    });
  } finally {
    disk.closeSync(descriptor);
  }
}
