// Lets one thread of one process at a time change the vault: a lock beside the log of changes.
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { VaultgraphError } from '../../../base/errors.ts';
import { isRunning, numberSpace, startOf } from '../../processes/process-identity.ts';
import { attempt, type Disk, isErrno, rest, statsAt } from './disk.ts';
import { LOG_OF_CHANGES } from './logged-change.ts';

export interface HeldLock {
  /** @throws FILE_WRITE_FAILED with EBUSY when another one took this holder for dead */
  check(): void;
  /** Shows others that the holder lives. */
  touch(): void;
}

const LOCK = 'lock';
/** Taken by whoever renames a folder with its name in it to `lock`; the system lets only an empty folder be replaced so. */
const WAITING = 'lock.';
const MAX_WAIT_MS = 10_000;
const [MIN_REST_MS, MAX_REST_MS] = [5, 25];
const TOUCH_EVERY_MS = 1_000;
const IS_HELD = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'];

/**
 * Runs `work` while nobody else changes the vault. Blocks its thread while it waits.
 * @param folder there already
 * @throws FILE_WRITE_FAILED with EBUSY after a wait of ten seconds; what `beat` throws
 */
export function whileLocked<T>(
  disk: Disk,
  folder: string,
  beat: () => void,
  work: (lock: HeldLock) => T,
  longestWaitMs: number = MAX_WAIT_MS,
): T {
  const me = newHolder();
  const until = performance.now() + longestWaitMs;
  try {
    while (!taken(disk, folder, me)) {
      if (performance.now() > until) throw busy();
      beat();
      rest(MIN_REST_MS + Math.random() * (MAX_REST_MS - MIN_REST_MS));
    }
    sweep(disk, folder);
    return work(held(disk, join(folder, LOCK, me)));
  } finally {
    attempt(() => disk.unlinkSync(join(folder, LOCK, me)));
    attempt(() => disk.rmdirSync(join(folder, LOCK)));
    attempt(() => disk.rmSync(join(folder, WAITING + me), { recursive: true, force: true }));
  }
}

function taken(disk: Disk, folder: string, me: string): boolean {
  const [lock, mine] = [join(folder, LOCK), join(folder, WAITING + me)];
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
  return inherited(disk, lock, me);
}

/** From a holder that is gone: of several who see it only one can rename what it left. */
function inherited(disk: Disk, lock: string, me: string): boolean {
  let holder: string | undefined;
  attempt(() => ([holder] = disk.readdirSync(lock)));
  // Where the system replaces no empty folder.
  if (holder === undefined) attempt(() => disk.rmdirSync(lock));
  if (holder === undefined || !isGone(disk, join(lock, holder))) return false;
  return attempt(() => disk.renameSync(join(lock, String(holder)), join(lock, me)));
}

function held(disk: Disk, mark: string): HeldLock {
  let touched = performance.now();
  return {
    check() {
      if (statsAt(disk, mark) === undefined) throw busy();
    },
    touch() {
      if (performance.now() - touched < TOUCH_EVERY_MS) return;
      touched = performance.now();
      const now = new Date();
      attempt(() => disk.utimesSync(mark, now, now));
    },
  };
}

/** What those left who died waiting. */
function sweep(disk: Disk, folder: string): void {
  for (const name of disk.readdirSync(folder).filter((each) => each.startsWith(WAITING))) {
    const mark = join(folder, name, name.slice(WAITING.length));
    if (isGone(disk, mark)) attempt(() => disk.rmSync(join(folder, name), { recursive: true, force: true }));
  }
}

function busy(): VaultgraphError {
  const details = { path: LOG_OF_CHANGES, errno: 'EBUSY', step: 'lock', original_intact: true };
  return new VaultgraphError('FILE_WRITE_FAILED', details);
}

/** Where only time tells whether a holder lives: one that does shows it each second. */
const SILENT_MS = 60_000;

interface Holder {
  readonly pid: string;
  readonly thread: string;
  /** Tells a number that was given out again. */
  readonly started: string;
  /** This machine since its last start, seen from here; elsewhere the same number is another process. */
  readonly machine: string;
}

/** A name for the thread that calls, and for this time only. */
export function newHolder(): string {
  const { pid, thread, started, machine } = self();
  return [pid, thread, started, machine, randomBytes(4).toString('hex')].join('.');
}

/** @param mark the file that bears the holder's name. What cannot be known counts as alive until it has been silent for long */
function isGone(disk: Disk, mark: string): boolean {
  const [pid = '', thread = '', started = '', machine = ''] = basename(mark).split('.');
  if (machine === self().machine) {
    if (process.platform === 'linux') return startOf(`/proc/${pid}/task/${thread}/stat`) !== started;
    if (!isRunning(Number(pid))) return true;
  }
  const stats = statsAt(disk, mark) ?? statsAt(disk, dirname(mark));
  return stats !== undefined && Date.now() - stats.mtimeMs > SILENT_MS;
}

function self(): Holder {
  if (process.platform !== 'linux')
    return { pid: String(process.pid), thread: String(threadId), started: '', machine: process.platform };
  const [pid = '', , thread = ''] = readlinkSync('/proc/thread-self').split('/');
  const { boot, namespace } = numberSpace();
  const started = startOf('/proc/thread-self/stat') ?? '';
  return { pid, thread, started, machine: `${boot}-${namespace.replace(/\D/g, '')}` };
}
