// Writes in the background, one item at a time and in order.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';

interface WriteBehind<T> {
  /** Starts to write the item once the previous one is written, so that a crash loses little. @throws the error of an earlier write */
  add(item: T): Promise<void>;
  /** Resolves once everything is written. @throws the error of a write, after which nothing was written */
  ended(): Promise<void>;
}

export function createWriteBehind<T>(write: (item: T) => Promise<void>): WriteBehind<T> {
  let writing: Promise<VaultgraphError | undefined> = Promise.resolve(undefined);

  async function ended(): Promise<void> {
    const failure = await writing;
    if (failure !== undefined) throw failure;
  }

  return {
    ended,
    async add(item) {
      await ended();
      writing = errorOf(write(item));
    },
  };
}
