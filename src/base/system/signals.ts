// Receives and sends signals: the only place that does.
import type { ChildProcess } from 'node:child_process';
import { rulesFor } from './system-rules.ts';

/** The signals that ask a process to end, with the exit codes by which shells report them. A closed console on Windows is SIGHUP. */
const END_SIGNALS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

export type EndSignal = keyof typeof END_SIGNALS;

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
