// Exits the process even if a thread hangs in a system call, which Node would wait for without end.
import { setTimeout as sleep } from 'node:timers/promises';
import { killSelf } from '../base/system/signals.ts';
import { endThreads } from '../base/threads/worker-threads.ts';

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
