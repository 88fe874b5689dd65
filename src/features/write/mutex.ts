// Lets one piece of work at a time go on over one thing, in the order in which it was asked for. Knows nothing of the work.

const lastTurns = new WeakMap<object, Promise<void>>();

/**
 * Two calls that change one note side by side both succeed: the second looks at what the first has left.
 * @throws the signal's reason while it waits, and what `work` throws
 */
export async function inTurn<T>(over: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = lastTurns.get(over) ?? Promise.resolve();
  const turn = Promise.withResolvers<void>();
  lastTurns.set(
    over,
    before.then(() => turn.promise),
  );
  try {
    await unlessAborted(before, signal);
    return await work();
  } finally {
    turn.resolve();
  }
}

async function unlessAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
  });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    over.abort();
  }
}
