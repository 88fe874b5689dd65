// A lock on a folder that lets one thread of one process at a time write, across users, mounts and containers of one machine.
import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { constants as system } from 'node:os';
import { join } from 'node:path';
import type * as Koffi from 'koffi';
import { errnoOrRethrow, isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { nativeModule } from '../../../base/system/native-module.ts';
import { sleepSync } from '../../../base/system/process.ts';
import { ownRules, sharedFolder } from '../../../base/system/system-rules.ts';
import { type Disk, tryQuietly } from './disk.ts';

/** The folder itself, or, where its file system gives no locks, a file for it in a folder of the machine. */
export type LockPlace = 'folder' | 'machine';

interface HeldLock {
  readonly descriptor: number;
  readonly place: LockPlace;
}

const MAX_WAIT_MS = 10_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [1, 25];

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants;
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const FOLDER_FLAGS = O_RDONLY | NO_LINK | (constants.O_DIRECTORY ?? 0);
/** Does not block on a pipe that another user put there. */
const FILE_FLAGS = O_RDONLY | NO_LINK | (constants.O_NONBLOCK ?? 0);
/** To lock the file, reading it is enough. */
const READABLE_BY_ALL = 0o644;

/**
 * Runs `work` with the locks of the folders, taken in their order. Blocks its thread while it waits.
 * @param work gets the place of the last folder's lock
 * @throws FILE_WRITE_FAILED with EBUSY after a wait of ten seconds, with ENOLCK where no lock can be had; what `checkStop` throws
 */
export function withFolderLocks<T>(
  disk: Disk,
  folders: readonly string[],
  checkStop: () => void,
  work: (place: LockPlace) => T,
  maxWaitMs: number = MAX_WAIT_MS,
): T {
  const deadline = performance.now() + maxWaitMs;
  const held: HeldLock[] = [];
  try {
    for (const folder of folders) held.push(waitForLock(disk, folder, checkStop, deadline));
    return work(held.at(-1)?.place ?? 'folder');
  } finally {
    for (const { descriptor } of held.toReversed()) tryQuietly(() => disk.closeSync(descriptor));
  }
}

function waitForLock(disk: Disk, folder: string, checkStop: () => void, deadline: number): HeldLock {
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const held = tryLock(disk, folder);
    if (held !== undefined) return held;
    if (performance.now() > deadline) throw lockError('EBUSY');
    checkStop();
    sleepSync(pauseMs * (0.5 + Math.random()));
  }
}

/** Undefined while another handle has the lock. */
function tryLock(disk: Disk, folder: string): HeldLock | undefined {
  // On Windows a folder that one handle has for itself cannot be listed by any other program.
  const onFolder = ownRules().canLockFolders ? openExclusively(disk, folder, FOLDER_FLAGS) : 'refused';
  if (onFolder !== 'refused') return checked(disk, folder, onFolder, 'folder');
  const file = machineFile(disk, folder);
  const onMachine = openExclusively(disk, file, FILE_FLAGS);
  if (onMachine === 'refused') throw lockError('ENOLCK');
  return checked(disk, file, onMachine, 'machine');
}

/** The handle, unless something else is at the path meanwhile: then its lock excludes no process. */
function checked(disk: Disk, path: string, handle: ExclusiveHandle, place: LockPlace): HeldLock | undefined {
  if (typeof handle !== 'number') return undefined;
  let isThere = false;
  try {
    const [opened, found] = [disk.fstatSync(handle, { bigint: true }), disk.lstatSync(path, { bigint: true })];
    isThere = opened.dev === found.dev && opened.ino === found.ino;
  } finally {
    if (!isThere) disk.closeSync(handle);
  }
  return isThere ? { descriptor: handle, place } : undefined;
}

/** A file that every user of this machine can open, named after the folder's device and inode. Created if missing. */
function machineFile(disk: Disk, folder: string): string {
  const { dev, ino } = disk.lstatSync(folder, { bigint: true });
  const file = join(sharedFolder(process), `vaultgraph-${dev}-${ino}.lock`);
  try {
    const descriptor = disk.openSync(file, O_RDWR | O_CREAT | O_EXCL | NO_LINK, READABLE_BY_ALL);
    try {
      disk.fchmodSync(descriptor, READABLE_BY_ALL);
    } finally {
      disk.closeSync(descriptor);
    }
  } catch (thrown) {
    if (!isErrno(thrown, 'EEXIST')) throw thrown;
  }
  return file;
}

function lockError(errno: 'EBUSY' | 'ENOLCK'): VaultgraphError {
  return new VaultgraphError('FILE_WRITE_FAILED', { path: VAULT_NAME, errno, step: 'lock', original_intact: true });
}

/** A descriptor, or why there is none: another handle has the lock, or the file system gives no such locks. */
type ExclusiveHandle = number | 'held' | 'refused';

/** The vault's name in errors, which do not show its real path. */
export const VAULT_NAME = 'the vault';

/** The arguments of flock(2). */
const [LOCK_EX, LOCK_NB] = [2, 4];
const IS_HELD = ['EAGAIN', 'EBUSY', 'EINTR', 'EWOULDBLOCK'];
const IS_REFUSED = ['EBADF', 'EINVAL', 'ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

let flock: ((descriptor: number) => number) | undefined;

/**
 * Does not wait. A lock belongs to the handle: another handle of the same process does not share it.
 * @throws the system errors of opening; FILE_WRITE_FAILED with ELIBACC if neither koffi nor the program flock is there
 */
function openExclusively(disk: Disk, path: string, flags: number): ExclusiveHandle {
  const { lockFlag } = ownRules();
  return lockFlag === undefined ? openAndLock(disk, path, flags) : openLocked(disk, path, flags | lockFlag);
}

function openAndLock(disk: Disk, path: string, flags: number): ExclusiveHandle {
  flock ??= loadFlock();
  const descriptor = disk.openSync(path, flags);
  const errno = flock(descriptor);
  if (errno === 0) return descriptor;
  disk.closeSync(descriptor);
  return errno === system.errno.EAGAIN || errno === system.errno.EINTR ? 'held' : 'refused';
}

function openLocked(disk: Disk, path: string, flags: number): ExclusiveHandle {
  try {
    return disk.openSync(path, flags);
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (IS_HELD.includes(errno)) return 'held';
    if (IS_REFUSED.includes(errno)) return 'refused';
    throw thrown;
  }
}

/** Node has no flock. Loaded with the first lock, which a read-only server never takes. */
function loadFlock(): (descriptor: number) => number {
  const koffi = nativeModule<typeof Koffi>('koffi');
  if (koffi === undefined) return flockByProgram;
  const call = koffi.load(null).func('int flock(int descriptor, int operation)');
  return (descriptor) => (call(descriptor, LOCK_EX | LOCK_NB) === 0 ? 0 : koffi.errno());
}

/** The exit code of flock(1) while another handle has the lock. */
const CONFLICT = 1;

/** Locks by flock(1), which every Linux has: the lock belongs to the handle, so that this process keeps it after the program has ended. */
function flockByProgram(descriptor: number): number {
  const { status, error } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  });
  if (error !== undefined) {
    const details = { path: VAULT_NAME, errno: 'ELIBACC', step: 'lock', original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: error });
  }
  if (status === 0) return 0;
  return status === CONFLICT ? system.errno.EAGAIN : system.errno.EINVAL;
}
