// Who holds the lock: one thread of one process since one start of the machine, and whether it still lives. Knows no lock.
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { isRunning, numberSpace, startOf } from '../../processes/running.ts';
import { type Disk, statsAt } from './disk.ts';

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
  const { boot, namespace } = numberSpace();
  const started = startOf('/proc/thread-self/stat') ?? '';
  return { pid, thread, started, machine: `${boot}-${namespace.replace(/\D/g, '')}` };
}
