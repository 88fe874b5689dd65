// Waits for a promise until a signal aborts.

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
