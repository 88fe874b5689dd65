// Whether a process or thread of this machine still runs, as its system tells.
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from '../../base/errno.ts';

/** In `/proc/…/stat`, behind the name in brackets: the state, and when it began, in ticks since the machine did. */
const [STATE, STARTED] = [0, 19];
const ENDED = ['Z', 'X'];

/** Linux only. @returns when it began, as the system counts; undefined of what has ended */
export function startOf(statFile: string): string | undefined {
  try {
    const stat = readFileSync(statFile, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.includes(fields[STATE] ?? '') ? undefined : fields[STARTED];
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ESRCH')) return undefined;
    throw thrown;
  }
}

/** For systems that do not tell when a process began: its number may have been given out again. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !isErrno(thrown, 'ESRCH');
  }
}

/** Linux only: tells the starts of this machine apart, and within one the spaces in which a number means the same process. */
export function numberSpace(): { readonly boot: string; readonly namespace: string } {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { boot, namespace: readlinkSync('/proc/self/ns/pid') };
}

export interface ProcessLife {
  readonly pid: number;
  /** Tells a number that was given out again; empty where the system does not tell. */
  readonly started: string;
  /** This machine since its last start, as far as process numbers mean the same; elsewhere a number is another process. */
  readonly machine: string;
  /** The machine whatever its start; where this is the same and `machine` is not because it restarted, no process from before runs. */
  readonly host: string;
}

export function ownLife(): ProcessLife {
  if (process.platform !== 'linux')
    return { pid: process.pid, started: '', machine: `${process.platform} ${hostname()}`, host: '' };
  const pid = Number(readlinkSync('/proc/self'));
  const { boot, namespace } = numberSpace();
  const host = `${machineId()} ${hostname()}`;
  return { pid, started: startOf(statFile(pid)) ?? '', machine: `${boot} ${namespace}`, host };
}

/** Only what is known for certain: a process of another machine, or one that cannot be looked at, has not ended. */
export function hasEnded({ pid, started, machine, host }: ProcessLife): boolean {
  const own = ownLife();
  if (machine !== own.machine) return own.host !== '' && host === own.host && bootOf(machine) !== bootOf(own.machine);
  return process.platform === 'linux' ? startOf(statFile(pid)) !== started : !isRunning(pid);
}

const statFile = (pid: number): string => `/proc/${pid}/stat`;

const bootOf = (machine: string): string => machine.split(' ')[0] ?? '';

/** Empty where the system has none. */
function machineId(): string {
  return existsSync('/etc/machine-id') ? readFileSync('/etc/machine-id', 'utf8').trim() : '';
}
