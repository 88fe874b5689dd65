// Tries again while another connection holds the lock, sleeping outside the engine so that the event loop goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy, toStoreFault } from './faults.ts';

/** Milliseconds. */
const PATIENCE = 2_000;
const FIRST_PAUSE = 25;
const MAX_PAUSE = 200;

export interface Attempt {
  readonly op: string;
  readonly file: string;
  /** Throws when the caller has given up; asked before every attempt. */
  readonly stop: () => void;
}

/**
 * Runs `work` until it is not refused by a lock, for at most 2 s in all, or the milliseconds given.
 * @throws STORE_BUSY when the lock outlasts that, and every other store failure of `work`
 */
export async function retryWhileBusy<T>({ op, file, stop }: Attempt, work: () => T, patience = PATIENCE): Promise<T> {
  const start = performance.now();
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, MAX_PAUSE)) {
    stop();
    try {
      return work();
    } catch (thrown) {
      const waited = Math.round(performance.now() - start);
      if (!isBusy(thrown) || waited + pause > patience) throw toStoreFault(thrown, { op, file }, waited);
    }
    await sleep(pause);
  }
}
