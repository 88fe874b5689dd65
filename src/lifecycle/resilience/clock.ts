// The time and the chance that waits are made of, so that a test can hold both in its hand.
import { type Clock as BareClock, sleepUnlessAborted } from '../../base/clock.ts';

export interface Clock extends BareClock {
  /** From 0 to 1, without 1. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms: number, signal: AbortSignal) => sleepUnlessAborted(ms, signal, true),
});
