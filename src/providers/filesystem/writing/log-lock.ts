// The lock by which earlier versions write in turn, in the folder of their change log. Taken while that log is moved.
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { sleepSync } from '../../../base/system/sleep.ts';
import { ownRules } from '../../../base/system/system-rules.ts';
import { isRunning, pidNamespace, startTime } from '../../processes/process-identity.ts';
import { type Disk, statsAt, tryQuietly } from './disk.ts';
import { CHANGE_LOG_NAME } from './logged-change.ts';

/** A holder renames a folder that contains a file with its name to `lock`; the system replaces only an empty folder. */
const LOCK = 'lock';
const WAITER_PREFIX = 'lock.';
const MAX_WAIT_MS = 10_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [5, 25];
const TOUCH_INTERVAL_MS = 1_000;
const IS_HELD = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'];

/**
 * Runs `work` with the lock held. Blocks its thread while it waits.
 * @param folder must exist
 * @param work calls `keep` at least each minute, which throws FILE_WRITE_FAILED with EBUSY if another holder took the lock over
 * @throws FILE_WRITE_FAILED with EBUSY after a wait of ten seconds; what `checkStop` throws
 */
export function withLogLock<T>(
  disk: Disk,
  folder: string,
  checkStop: () => void,
  work: (keep: () => void) => T,
  maxWaitMs: number = MAX_WAIT_MS,
): T {
  const me = newHolderName();
  const deadline = performance.now() + maxWaitMs;
  try {
    while (!tryAcquire(disk, folder, me)) {
      if (performance.now() > deadline) throw lockBusy();
      checkStop();
      sleepSync(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
    }
    removeDeadWaiters(disk, folder);
    return work(keeping(disk, join(folder, LOCK, me)));
  } finally {
    tryQuietly(() => disk.unlinkSync(join(folder, LOCK, me)));
    tryQuietly(() => disk.rmdirSync(join(folder, LOCK)));
    tryQuietly(() => disk.rmSync(join(folder, WAITER_PREFIX + me), { recursive: true, force: true }));
  }
}

function tryAcquire(disk: Disk, folder: string, me: string): boolean {
  const [lock, mine] = [join(folder, LOCK), join(folder, WAITER_PREFIX + me)];
  if (statsAt(disk, mine) === undefined) {
    disk.mkdirSync(mine);
    disk.closeSync(disk.openSync(join(mine, me), 'wx'));
  }
  try {
    disk.renameSync(mine, lock);
    return true;
  } catch (thrown) {
    if (!isErrno(thrown, ...IS_HELD)) throw thrown;
  }
  return tryTakeOver(disk, lock, me);
}

/** Takes the lock of a dead holder: of several processes that try, only one can rename the holder's file. */
function tryTakeOver(disk: Disk, lock: string, me: string): boolean {
  let holder: string | undefined;
  tryQuietly(() => ([holder] = disk.readdirSync(lock)));
  // Not every system lets a rename replace an empty folder.
  if (holder === undefined) tryQuietly(() => disk.rmdirSync(lock));
  if (holder === undefined || !isDead(disk, join(lock, holder))) return false;
  return tryQuietly(() => disk.renameSync(join(lock, String(holder)), join(lock, me)));
}

/** Updates the lock's time, which shows other machines that the holder is alive. */
function keeping(disk: Disk, file: string): () => void {
  let touchedMs = performance.now();
  return () => {
    if (statsAt(disk, file) === undefined) throw lockBusy();
    if (performance.now() - touchedMs < TOUCH_INTERVAL_MS) return;
    touchedMs = performance.now();
    const now = new Date();
    tryQuietly(() => disk.utimesSync(file, now, now));
  };
}

function removeDeadWaiters(disk: Disk, folder: string): void {
  for (const name of disk.readdirSync(folder).filter((each) => each.startsWith(WAITER_PREFIX))) {
    const file = join(folder, name, name.slice(WAITER_PREFIX.length));
    if (isDead(disk, file)) tryQuietly(() => disk.rmSync(join(folder, name), { recursive: true, force: true }));
  }
}

function lockBusy(): VaultgraphError {
  const details = { path: CHANGE_LOG_NAME, errno: 'EBUSY', step: 'lock', original_intact: true };
  return new VaultgraphError('FILE_WRITE_FAILED', details);
}

/** A holder on another machine counts as dead after this time without a touch; one that lives touches the lock each second. */
const MAX_SILENCE_MS = 60_000;

interface Holder {
  readonly pid: string;
  readonly thread: string;
  /** When the process started: the same pid may be given out again. */
  readonly started: string;
  /** The machine's current boot and process namespace: elsewhere the same pid is another process. */
  readonly machine: string;
}

/** A unique name for this use of the lock by the calling thread. */
export function newHolderName(): string {
  const { pid, thread, started, machine } = currentHolder();
  return [pid, thread, started, machine, randomBytes(4).toString('hex')].join('.');
}

/** @param file named after the holder. A holder that cannot be checked is alive until `MAX_SILENCE_MS` have passed */
function isDead(disk: Disk, file: string): boolean {
  const [pid = '', thread = '', started = '', machine = ''] = basename(file).split('.');
  if (machine === currentHolder().machine) {
    if (ownRules().hasProc) return startTime(`/proc/${pid}/task/${thread}/stat`) !== started;
    if (!isRunning(Number(pid))) return true;
  }
  const stats = statsAt(disk, file) ?? statsAt(disk, dirname(file));
  return stats !== undefined && Date.now() - stats.mtimeMs > MAX_SILENCE_MS;
}

function currentHolder(): Holder {
  if (!ownRules().hasProc)
    return { pid: String(process.pid), thread: String(threadId), started: '', machine: process.platform };
  const [pid = '', , thread = ''] = readlinkSync('/proc/thread-self').split('/');
  const { boot, namespace } = pidNamespace();
  const started = startTime('/proc/thread-self/stat') ?? '';
  return { pid, thread, started, machine: `${boot}-${namespace.replace(/\D/g, '')}` };
}
