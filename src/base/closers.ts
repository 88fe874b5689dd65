// Closes what was opened one after the other, also if the last of it cannot be opened.
import { outcomeOf } from './outcome.ts';

interface Closable {
  close(): unknown;
}

/** What is open so far. */
export class Closers {
  readonly #opened: Closable[] = [];

  /** @returns `opened` */
  add<T extends Closable>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  /** What was opened last is closed first, and each once. @throws the first failure, after all are closed */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const one of this.#opened.splice(0).toReversed()) {
      const outcome = await outcomeOf((async () => one.close())());
      if ('error' in outcome) failures.push(outcome.error);
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** @returns what `open` returns @throws what `open` throws, after what it had opened is closed */
export async function openAll<T>(open: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await open(closers);
  } catch (thrown) {
    await Promise.allSettled([closers.close()]);
    throw thrown;
  }
}
