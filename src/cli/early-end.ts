// Ends a command early on a signal, or when the reader of its output is gone.
import { setTimeout as sleep } from 'node:timers/promises';
import { onEndSignal } from '../base/system/signals.ts';
import { EXIT } from './exit-code.ts';
import { exitProcess } from './hard-exit.ts';

/** Time for open resources to close. */
const MAX_CLOSE_MS = 2_000;

const open = new Set<() => Promise<unknown>>();
/** `interrupted`: the command got Ctrl-C and ends by itself. `closing`: this file ends it. */
let state: 'running' | 'interrupted' | 'closing' = 'running';

/** Calls `close` if the command ends early. @returns a function that unregisters it */
export function closeAtEarlyEnd(close: () => Promise<unknown>): () => void {
  open.add(close);
  return () => open.delete(close);
}

/** Whether the command is being ended early: its later failures are only a consequence. */
export const endsEarly = (): boolean => state === 'closing';

/** Handles signals and closed pipes. A reader such as `head` that closes stdout early is not a failure. */
export function watchEarlyEnd(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault;
    void end(EXIT.done);
  });
  process.stderr.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault;
  });
  onEndSignal((signal, code) => void endAt(signal, code));
}

/** If a job handles Ctrl-C itself, the command gets time to end after it and to print its progress. */
async function endAt(signal: string, code: number): Promise<void> {
  if (signal !== 'SIGINT' || state !== 'running' || process.listenerCount(signal) < 2) return end(code);
  state = 'interrupted';
  await sleep(MAX_CLOSE_MS, undefined, { ref: false });
  return end(code);
}

/** A second signal exits at once. */
async function end(code: number): Promise<void> {
  if (state !== 'running') return exitProcess(code);
  state = 'closing';
  process.exitCode = code;
  const closed = Promise.allSettled([...open].map(async (close) => close()));
  await Promise.race([closed, sleep(MAX_CLOSE_MS)]);
  return exitProcess(code);
}
