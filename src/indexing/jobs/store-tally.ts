// Caches the totals of the store for `state`, so that they are counted rarely.
import { NEVER } from '../../base/async/waits.ts';
import type { Store, StoreProgress } from '../../contracts/store.ts';

const COUNT_EVERY_MS = 100;
/** Counting takes longer the larger the index is; at most this share of the time goes into it. */
const COUNTING_SHARE = 0.02;

export class StoreTally {
  readonly #store: Store;
  #counts: StoreProgress | undefined;
  #emptiedAt = '';
  #countAgainAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The result of the last count; undefined before the first. */
  get counts(): StoreProgress | undefined {
    return this.#counts;
  }

  /** ISO time at which the index, scanned before, was found not to be; empty if it never was. */
  get emptiedAt(): string {
    return this.#emptiedAt;
  }

  async count(): Promise<void> {
    const startedAt = performance.now();
    const wasScanned = (this.#counts?.scannedAt ?? null) !== null;
    this.#counts = await this.#store.progress(NEVER);
    if (wasScanned && this.#counts.scannedAt === null) this.#emptiedAt = new Date().toISOString();
    const endedAt = performance.now();
    this.#countAgainAt = endedAt + Math.max(COUNT_EVERY_MS, (endedAt - startedAt) / COUNTING_SHARE);
  }

  /** The first indexed notes count at once: from then on calls are answered. */
  async countIfDue(): Promise<void> {
    if (this.#counts?.indexed === 0 || performance.now() >= this.#countAgainAt) await this.count();
  }
}
