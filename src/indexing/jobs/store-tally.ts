// What is in the store by its own count, kept near enough to the truth at little cost.
import type { Store, StoreProgress } from '../../contracts/store.ts';

const COUNT_EVERY_MS = 100;
/** Most of a job's time that may go into counting: it takes longer the larger the index is. */
const COUNTING_SHARE = 0.02;
/** Counting is quick and bounded; nothing ends it. */
const NEVER = new AbortController().signal;

export interface StoreTally {
  /** As of the last count; undefined before the first. */
  counts(): StoreProgress | undefined;
  count(): Promise<void>;
  /** Counts when the last time is long enough ago. */
  countNowAndThen(): Promise<void>;
}

export function createStoreTally(store: Store): StoreTally {
  let counts: StoreProgress | undefined;
  let countAgainAt = Number.NEGATIVE_INFINITY;

  async function count(): Promise<void> {
    const began = performance.now();
    counts = await store.progress(NEVER);
    const ended = performance.now();
    countAgainAt = ended + Math.max(COUNT_EVERY_MS, (ended - began) / COUNTING_SHARE);
  }

  return {
    counts: () => counts,
    count,
    async countNowAndThen() {
      if (performance.now() >= countAgainAt) await count();
    },
  };
}
