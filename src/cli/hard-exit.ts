// The last step of a process. Node waits at its exit for every thread that stands in a system call, on a mount that hangs for ever.
import { setTimeout as sleep } from 'node:timers/promises';
import { endThreads } from '../base/worker-threads.ts';

/** A server that was told to end has closed everything already, and has no more time. */
const MAX_WAIT_MS = 600;
const LOOK_EVERY_MS = 20;
/** As Node names what its own threads do: file operations and the look for an address. */
const SYSTEM_CALLS = /^(FSReq|GetAddrInfo|GetNameInfo)/;

/** Ends the process with `code`, or by force where something would keep it: nothing else could end it then. */
export async function leave(code: number, waitMs = MAX_WAIT_MS): Promise<void> {
  await endIfHeld(waitMs);
  process.exit(code);
}

/** Ends the process by force if it could not end by itself; returns if it can. */
export async function endIfHeld(waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  const hasThreads = !(await threadsEnded(waitMs));
  while (hasSystemCalls() && performance.now() < until) await sleep(LOOK_EVERY_MS);
  if (hasThreads || hasSystemCalls()) process.kill(process.pid, 'SIGKILL');
}

/** False where one of them stands still; the wait itself keeps the process until then. */
async function threadsEnded(waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, waitMs, false);
  void endThreads().then(() => resolve(true));
  return promise.finally(() => clearTimeout(timer));
}

function hasSystemCalls(): boolean {
  return process.getActiveResourcesInfo().some((name) => SYSTEM_CALLS.test(name));
}
