// The system calls that a change of the vault is made of, as one object, so that a test can have any of them fail.
import fs, { type Stats } from 'node:fs';
import { errnoOf } from '../errno.ts';

export type Disk = Pick<
  typeof fs,
  | 'accessSync'
  | 'closeSync'
  | 'fchmodSync'
  | 'fchownSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readFileSync'
  | 'readSync'
  | 'readdirSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'writeSync'
>;

export const realDisk: Disk = fs;

/** What file systems answer that know no second name of a file. */
const NO_LINKS = ['EACCES', 'EISDIR', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV'];
/** What file systems answer that cannot be told to make a folder durable. */
const NO_FOLDER_SYNC = ['EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];
/** A virus scanner or a sync client holds a file, and lets go of it soon. */
const HELD_FOR_A_MOMENT = ['EACCES', 'EBUSY', 'EPERM'];
const RENAME_TRIES = 4;
const BETWEEN_RENAMES_MS = 15;

export const isErrno = (thrown: unknown, ...errnos: readonly string[]): boolean =>
  thrown instanceof Error && 'code' in thrown && errnos.includes(String(thrown.code));

/** Whether it could be done. For what is as well done later, or not at all. */
export function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    errnoOf(thrown);
    return false;
  }
}

/** Undefined where nothing is, whatever is missing on the way. */
export function statsAt(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstatSync(path);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return undefined;
    throw thrown;
  }
}

/** Has a file under a second name. @returns false where the file system knows no second names. @throws EEXIST as the system says it */
export function linked(disk: Disk, file: string, name: string): boolean {
  try {
    disk.linkSync(file, name);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, ...NO_LINKS)) return false;
    throw thrown;
  }
}

/** Takes the place of whatever is at `to`. */
export function rename(disk: Disk, from: string, to: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      disk.renameSync(from, to);
      return;
    } catch (thrown) {
      if (tries === RENAME_TRIES || !isErrno(thrown, ...HELD_FOR_A_MOMENT)) throw thrown;
      rest(BETWEEN_RENAMES_MS);
    }
  }
}

/** Blocks the thread. */
export function rest(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export function removeIfThere(disk: Disk, file: string): void {
  disk.rmSync(file, { force: true });
}

/** Makes what was renamed, linked or unlinked in a folder durable; Windows cannot open a folder and does so by itself. */
export function syncFolder(disk: Disk, folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = disk.openSync(folder, 'r');
  try {
    syncOpenFolder(disk, descriptor);
  } finally {
    disk.closeSync(descriptor);
  }
}

export function syncOpenFolder(disk: Disk, descriptor: number): void {
  try {
    disk.fsyncSync(descriptor);
  } catch (thrown) {
    if (!isErrno(thrown, ...NO_FOLDER_SYNC)) throw thrown;
  }
}
