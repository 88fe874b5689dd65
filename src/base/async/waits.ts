// Waits that a signal ends, and the clock of those that last a time, which tests can replace.

/** For work that nothing cancels. */
export const NEVER: AbortSignal = new AbortController().signal;

/**
 * Settles as `work` does, or rejects with the reason of the first signal that aborts; `work` itself continues. Removes its listeners,
 * unlike `AbortSignal.any` with a signal that lives as long as the process.
 */
export async function untilAborted<T>(work: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = ({ target }: Event): void => reject((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) reject(signal.reason);
    // Removed one by one: a controller that removes all of them costs ten times as much.
    else signal.addEventListener('abort', onAbort);
  }
  try {
    return await Promise.race([aborted, work]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  }
}

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
