// A monotonic clock with an abortable sleep, which tests can replace.

export interface Clock {
  /** Monotonic milliseconds. */
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
