// What a server keeps between calls: values computed from the whole index.
import type { Store } from './store.ts';

/** Computes a value from the whole index. @param previous the value for the index as it was before */
export type ComputeFromIndex<T> = (store: Store, signal: AbortSignal, previous: T | undefined) => Promise<T>;

interface CachedValue {
  readonly revision: number;
  readonly value: unknown;
}

/** Values computed from the whole index, each kept until the index changes. */
export class StoreCache {
  readonly #values = new Map<unknown, CachedValue>();

  /** What `compute` returns; the function itself is the key. */
  async get<T>(compute: ComputeFromIndex<T>, store: Store, signal: AbortSignal): Promise<T> {
    const { revision } = await store.progress(signal);
    const cached = this.#values.get(compute);
    if (cached?.revision === revision) return cached.value as T;
    const value = await compute(store, signal, cached?.value as T | undefined);
    this.#values.set(compute, { revision, value });
    return value;
  }
}
