// Ends a command early on a signal or when the reader of its output is gone, and the process even if a thread hangs.
import { setTimeout as sleep } from 'node:timers/promises';
import { killSelf, onEndSignal } from '../base/system/process.ts';
import { endThreads } from '../base/threads/worker-threads.ts';
import { EXIT } from './exit-code.ts';

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

/** A server has closed everything before, so it waits no longer. */
const MAX_WAIT_MS = 600;
const LOOK_EVERY_MS = 20;
/** Node's names for the work of its own threads: file operations and DNS lookups. */
const SYSTEM_CALLS = /^(FSReq|GetAddrInfo|GetNameInfo)/;

/** Exits with `code`, or kills the process if something keeps it alive after `waitMs`. */
export async function exitProcess(code: number, waitMs = MAX_WAIT_MS): Promise<void> {
  await killIfStuck(waitMs);
  process.exit(code);
}

/** Kills the process if a thread keeps it alive after `waitMs`; otherwise returns. */
export async function killIfStuck(waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  const hasThreads = !(await threadsEnded(waitMs));
  while (hasSystemCalls() && performance.now() < until) await sleep(LOOK_EVERY_MS);
  if (hasThreads || hasSystemCalls()) killSelf();
}

/** False if a thread did not end in time. */
async function threadsEnded(waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, waitMs, false);
  void endThreads().then(() => resolve(true));
  return promise.finally(() => clearTimeout(timer));
}

function hasSystemCalls(): boolean {
  return process.getActiveResourcesInfo().some((name) => SYSTEM_CALLS.test(name));
}
