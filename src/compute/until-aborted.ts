// A promise that gives up as soon as one of several signals aborts.

/**
 * Settles as `work` does, or rejects with the reason of the first signal to abort. Leaves no listener behind, unlike a signal
 * made of others where one of them lives as long as the process.
 */
export async function untilAborted<T>(work: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
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
