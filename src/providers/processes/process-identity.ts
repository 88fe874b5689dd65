// Identifies a process on this machine, and checks whether a process is still running.
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from '../../base/errno.ts';
import { ownRules } from '../../base/system/system-rules.ts';

/** Stored with the lease of the index, so its keys are part of the file format. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time, because process ids are reused; empty if the system does not provide it. */
  readonly started: string;
  /** The boot and the process id namespace within which a process id means the same process. */
  readonly machine: string;
  /** The same across boots of one machine: if only `machine` differs, the machine was restarted. */
  readonly host: string;
}

/** None of these changes while this process runs; the lease is read often. */
let machineId: string | undefined;
let ownNamespace: { readonly boot: string; readonly namespace: string } | undefined;

export function ownIdentity(): ProcessIdentity {
  if (!ownRules().hasProc)
    return { pid: process.pid, started: '', machine: `${process.platform} ${hostname()}`, host: '' };
  const pid = Number(readlinkSync('/proc/self'));
  const { boot, namespace } = pidNamespace();
  machineId ??= existsSync('/etc/machine-id') ? readFileSync('/etc/machine-id', 'utf8').trim() : '';
  const host = `${machineId} ${hostname()}`;
  return { pid, started: startTime(statFile(pid)) ?? '', machine: `${boot} ${namespace}`, host };
}

/** True only if it is certain: a process of another machine, or one that cannot be inspected, counts as running. */
export function hasEnded({ pid, started, machine, host }: ProcessIdentity): boolean {
  const self = ownIdentity();
  if (machine !== self.machine)
    return self.host !== '' && host === self.host && bootOf(machine) !== bootOf(self.machine);
  return ownRules().hasProc ? startTime(statFile(pid)) !== started : !isRunning(pid);
}

const statFile = (pid: number): string => `/proc/${pid}/stat`;

const bootOf = (machine: string): string => machine.split(' ')[0] ?? '';

/** For systems without start times: the id may have been reused by another process. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !isErrno(thrown, 'ESRCH');
  }
}

/** The fields after the name in `/proc/…/stat`: the process state, and the start time in clock ticks since the boot. */
const [STATE, STARTED] = [0, 19];
const ENDED_STATES = ['Z', 'X'];

/** Linux only. @returns the start time of a process or thread; undefined if it has ended */
function startTime(statFile: string): string | undefined {
  try {
    const stat = readFileSync(statFile, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED_STATES.includes(fields[STATE] ?? '') ? undefined : fields[STARTED];
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ESRCH')) return undefined;
    throw thrown;
  }
}

let machine: string | undefined;

/** The host's name and, on Linux, its current boot: containers have names of their own but the boot of their host. */
export function machineName(): string {
  machine ??= ownRules().hasProc ? `${hostname()} ${pidNamespace().boot}` : hostname();
  return machine;
}

/** Linux only. The current boot, and the namespace in which process ids are unique. */
function pidNamespace(): { readonly boot: string; readonly namespace: string } {
  ownNamespace ??= {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
  };
  return ownNamespace;
}
