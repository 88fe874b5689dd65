// The time that signs of life go by, so that a test can hold it in its hand.
import { type Clock, sleepUnlessAborted } from '../../base/clock.ts';

/** Its waits keep no process alive. */
export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal) => sleepUnlessAborted(ms, signal, false),
});
