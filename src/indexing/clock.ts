// The time that signs of life go by, so that a test can hold it in its hand. Knows nothing of what waits.

export interface Clock {
  /** Milliseconds since some moment; never goes back, whatever becomes of the time of day. */
  now(): number;
  /** Ends after `ms`, or as soon as `signal` aborts; never rejects, and keeps no process alive. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      timer.unref();
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
});
