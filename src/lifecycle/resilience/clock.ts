// The time and the chance that waits are made of, so that a test can hold both in its hand. Knows nothing of what waits.

export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Ends after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1, without 1. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
});
