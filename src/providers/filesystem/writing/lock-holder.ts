// Who holds the lock: one thread of one process since one start of the machine, and whether it still lives. Knows no lock.
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type Disk, isErrno, statsAt } from './disk.ts';

/** Where only time tells whether a holder lives: one that does shows it each second. */
const SILENT_MS = 60_000;
/** In `/proc/…/stat`, behind the name in brackets: the state, and when the thread began, in ticks since the machine did. */
const [STATE, STARTED] = [0, 19];
const DEAD = ['Z', 'X'];

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
export function isGone(disk: Disk, mark: string): boolean {
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
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  return { pid, thread, started: startOf('/proc/thread-self/stat') ?? '', machine: `${boot}-${namespace}` };
}

/** Undefined of a thread that has ended. */
function startOf(file: string): string | undefined {
  try {
    const stat = readFileSync(file, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return DEAD.includes(fields[STATE] ?? '') ? undefined : fields[STARTED];
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ESRCH')) return undefined;
    throw thrown;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !isErrno(thrown, 'ESRCH');
  }
}
