// Waits for a promise until a signal aborts.

/** For work that nothing cancels. */
export const NEVER: AbortSignal = new AbortController().signal;

/**
 * Settles as `work` does, or rejects with the reason of the first signal that aborts; `work` itself continues. Removes its listeners,
 * unlike `AbortSignal.any` with a signal that lives as long as the process.
 */
export async function untilAborted<T>(work: Promise<T>, ...signals: readonly AbortSignal[]): Promise<T> {
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
    }
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    over.abort();
  }
}
