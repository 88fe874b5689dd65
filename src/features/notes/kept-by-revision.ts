// Keeps what was made of a whole index until the index changes.
import type { Store } from '../../contracts/store.ts';

/**
 * What `make` gives, made once for each state of the store's index.
 * @param make is given what it made of the state before, as far as there is one
 */
export function keptByRevision<T>(
  make: (store: Store, signal: AbortSignal, before: T | undefined) => Promise<T>,
): (store: Store, signal: AbortSignal) => Promise<T> {
  const kept = new WeakMap<Store, { readonly revision: number; readonly made: T }>();
  return async (store, signal) => {
    const { revision } = await store.progress(signal);
    const known = kept.get(store);
    if (known?.revision === revision) return known.made;
    const made = await make(store, signal, known?.made);
    kept.set(store, { revision, made });
    return made;
  };
}
