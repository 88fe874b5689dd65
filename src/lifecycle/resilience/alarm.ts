// Provides waits that an alarm ends early, and the clock that they use.
import { type Clock as BareClock, sleepUnlessAborted } from '../../base/clock.ts';

export type Alarm = ReturnType<typeof createAlarm>;

export function createAlarm(clock: Clock) {
  const resting = new Set<() => void>();
  return Object.freeze({
    /** Ends every current wait. */
    ring: () => {
      for (const wake of [...resting]) wake();
    },
    /**
     * Ends after `ms`, when the alarm rings, or when the signal aborts; never rejects.
     * @param onRing called by `ring`, before the wait ends
     */
    rest: async (ms: number, signal: AbortSignal, onRing: () => void) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      const wake = (): void => {
        onRing();
        end();
      };
      resting.add(wake);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      await clock.sleep(ms, over.signal);
      resting.delete(wake);
      signal.removeEventListener('abort', end);
    },
  });
}

export interface Clock extends BareClock {
  /** From 0 to 1, without 1. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms: number, signal: AbortSignal) => sleepUnlessAborted(ms, signal, true),
});
