// Signals and priority of this process, and a wait where nothing can be awaited.
import type { ChildProcess } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { ownRules, rulesFor } from './system-rules.ts';

/** The signals that ask a process to end, with the exit codes by which shells report them. A closed console on Windows is SIGHUP. */
const END_SIGNALS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

type EndSignal = keyof typeof END_SIGNALS;

/** Calls `listener` for each signal that asks this process to end; from then on none ends it by itself. */
export function onEndSignal(listener: (signal: EndSignal, exitCode: number) => void): void {
  for (const [signal, code] of Object.entries(END_SIGNALS) as [EndSignal, number][])
    process.on(signal, () => listener(signal, code));
}

/** Calls `listener` on Ctrl-C. @returns a function that unregisters it */
export function onInterrupt(listener: () => void): () => void {
  process.on('SIGINT', listener);
  return () => void process.off('SIGINT', listener);
}

/** Ends this process at once, whatever its threads do. */
export function killSelf(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Sends what asks this process to end on to the child, for as long as this process runs. */
export function passEndSignals(child: Pick<ChildProcess, 'kill'>): void {
  onEndSignal((signal) => child.kill(sendable(signal)));
}

/** The signal that the system can send for this one. */
export function sendable(signal: NodeJS.Signals, platform: NodeJS.Platform = process.platform): NodeJS.Signals {
  return rulesFor(platform).unsendable[signal] ?? signal;
}

/** Lowers the priority of the calling thread, for good. @returns false if the system has no priorities of threads, or does not allow it */
export function lowerPriority(): boolean {
  if (!ownRules().hasThreadPriorities) return false;
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL));
    return true;
  } catch {
    return false;
  }
}

/** Blocks the thread. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
