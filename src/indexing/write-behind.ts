// Writes that go on behind their caller's back, one at a time, and never fail unseen. Knows nothing of what is written.
import type { VaultgraphError } from '../base/errors.ts';
import { errorOf } from './settled.ts';

/** A disk that stalls now and then holds nobody up, and little is lost when the process dies meanwhile. */
const MOST_WAITING = 4;

export interface WriteBehind<T> {
  /** Has it written along with all else that waits. @throws what an earlier write failed with */
  add(item: T): Promise<void>;
  /** All is written, or will never be. @throws what a write failed with; nothing was written behind it */
  ended(): Promise<void>;
}

export function createWriteBehind<T>(write: (items: readonly T[]) => Promise<void>): WriteBehind<T> {
  const waiting: T[] = [];
  let current: Promise<void> | undefined;
  let failure: VaultgraphError | undefined;

  async function writeWaiting(): Promise<void> {
    failure = await errorOf(write(waiting.splice(0)));
    current = failure === undefined && waiting.length > 0 ? writeWaiting() : undefined;
  }

  async function until(isEnough: () => boolean): Promise<void> {
    while (current !== undefined && !isEnough()) await current;
    if (failure !== undefined) throw failure;
  }

  return {
    ended: () => until(() => false),
    add(item) {
      waiting.push(item);
      if (failure === undefined) current ??= writeWaiting();
      return until(() => waiting.length < MOST_WAITING);
    },
  };
}
