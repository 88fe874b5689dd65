// A write that goes on behind its caller's back, one at a time, and never fails unseen. Knows nothing of what is written.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../result.ts';

export interface WriteBehind<T> {
  /** Has it written once the one before is: only what is being written and what its caller works on can be lost. @throws what an earlier write failed with */
  add(item: T): Promise<void>;
  /** All is written, or will never be. @throws what a write failed with; nothing was written behind it */
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
