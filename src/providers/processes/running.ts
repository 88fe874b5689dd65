// Whether a process or thread of this machine still runs, as its system tells.
import { readFileSync, readlinkSync } from 'node:fs';

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

function isErrno(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}
