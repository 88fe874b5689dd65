// Looks whether anybody wrote anything, at little cost, and only then further.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { SharedStore } from '../../contracts/lease.ts';
import { errorOf } from '../result.ts';

/** All in milliseconds. */
export interface LookTimes {
  /** Between two looks: usually, and for a while after others asked for something. */
  readonly look: number;
  readonly quickLook: number;
  /** Between two looks that are made whether anybody wrote or not. */
  readonly relook: number;
}

export interface LookLoopParts {
  readonly store: Pick<SharedStore, 'mark'>;
  readonly clock: Clock;
  readonly times: LookTimes;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly isOn: () => boolean;
  /** @param isSign whether anybody wrote anything since. @returns whether others ask for something */
  readonly onLook: (isSign: boolean) => Promise<boolean>;
}

/** Who asked once asks again soon; who never asks costs an idle process next to nothing. */
const QUICK_FOR_MS = 10_000;
const NEVER = new AbortController().signal;

/** Begins the loop where it does not run; it ends when it is no longer on. */
export function createLookLoop({ store, clock, times, log, signal, isOn, onLook }: LookLoopParts): () => void {
  let isRunning = false;
  let mark: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let quickUntil = Number.NEGATIVE_INFINITY;
  let lastFault: string | undefined;

  async function lookOnce(): Promise<void> {
    const now = await store.mark(NEVER);
    const isSign = now !== mark;
    if (!isSign && clock.now() - lookedAt < times.relook) return;
    lookedAt = clock.now();
    if (await onLook(isSign)) quickUntil = clock.now() + QUICK_FOR_MS;
    // Only now: what was not looked at for a fault is looked at again.
    mark = now;
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (isOn() && !signal.aborted) {
      const error = await errorOf(lookOnce());
      if (error !== undefined && error.code !== lastFault && !signal.aborted)
        log('warn', 'lease_look_failed', { code: error.code, error_id: error.errorId });
      lastFault = error?.code;
      await clock.sleep(clock.now() < quickUntil ? times.quickLook : times.look, signal);
    }
    isRunning = false;
  }

  return () => {
    if (!isRunning) void run();
  };
}
