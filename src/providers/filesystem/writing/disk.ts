// The system calls that a change of the vault uses, as one object, so that a test can make any of them fail.
import fs, { type Stats } from 'node:fs';
import { NO_LINKS } from '../../../base/atomic-write.ts';
import { errnoOrRethrow, isErrno } from '../../../base/errno.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import { ownRules } from '../../../base/system/system-rules.ts';

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
  | 'readlinkSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'statfsSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'writeSync'
>;

export const realDisk: Disk = fs;

/** Errors of file systems that cannot sync a folder. */
const NO_FOLDER_SYNC = ['EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Returns whether `work` succeeded. For steps that can be done later, or not at all. */
export function tryQuietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}

/** Undefined if the path, or a folder above it, does not exist. */
export function statsAt(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstatSync(path);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return undefined;
    throw thrown;
  }
}

/** Empty if the folder does not exist. */
export function namesIn(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return [];
    throw thrown;
  }
}

/** Creates a hard link. @returns false if the file system has none. @throws EEXIST as a system error */
export function tryLink(disk: Disk, file: string, name: string): boolean {
  try {
    disk.linkSync(file, name);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, ...NO_LINKS)) return false;
    throw thrown;
  }
}

/** Replaces a file at `to`. Retries while another program has the file locked. */
export function rename(disk: Disk, from: string, to: string): void {
  renamePatientlySync(from, to, (one, other) => disk.renameSync(one, other));
}

export function removeIfPresent(disk: Disk, file: string): void {
  disk.rmSync(file, { force: true });
}

/** Makes renames, links and removals in a folder durable. A system that cannot open a folder does so by itself. */
export function syncFolder(disk: Disk, folder: string): void {
  if (!ownRules().canSyncFolders) return;
  const descriptor = disk.openSync(folder, 'r');
  try {
    disk.fsyncSync(descriptor);
  } catch (thrown) {
    if (!isErrno(thrown, ...NO_FOLDER_SYNC)) throw thrown;
  } finally {
    disk.closeSync(descriptor);
  }
}
