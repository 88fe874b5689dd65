// Names this process so that another one can tell whether it still lives.
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning, numberSpace, startOf } from '../../processes/running.ts';

export interface ProcessLife {
  readonly pid: number;
  /** Tells a number that was given out again; empty where the system does not tell. */
  readonly started: string;
  /** This machine since its last start, as far as process numbers mean the same; elsewhere a number is another process. */
  readonly machine: string;
  /** The machine whatever its start; where this is the same and `machine` is not because it started anew, nothing of before lives. */
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
