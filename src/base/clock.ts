// Time that never goes back, and a wait that can be given up: what every clock is made of that a test may hold in its hand.

export interface Clock {
  /** Milliseconds since some moment; never goes back, whatever becomes of the time of day. */
  now(): number;
  /** Ends after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** @param keepsAlive whether the process stays for the end of the wait */
export function sleepUnlessAborted(ms: number, signal: AbortSignal, keepsAlive: boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!keepsAlive) timer.unref();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
