// Remembers computed values, if need be only until the index changes.
import type { Rows } from './rows.ts';

/** Computes the value of each key once, or again after `values` was full and has been emptied. */
export function memoize<Key, Value>(
  compute: (key: Key) => Value,
  values = new Map<Key, Value>(),
  maxEntries = Number.POSITIVE_INFINITY,
): (key: Key) => Value {
  return (key) => {
    const value = values.get(key);
    if (value !== undefined) return value;
    const computed = compute(key);
    if (values.size >= maxEntries) values.clear();
    values.set(key, computed);
    return computed;
  };
}

/** The returned function gives the map of values for the current revision of the index. It empties a full map. */
export function createRevisionCache<Key, Value>(rows: Rows, maxEntries: number): () => Map<Key, Value> {
  const entries = new Map<Key, Value>();
  let revision: number | undefined;
  return () => {
    const current = rows.value<number>('SELECT revision FROM state');
    if (current !== revision || entries.size >= maxEntries) entries.clear();
    revision = current;
    return entries;
  };
}

/** Computes a value once for each revision of the index. */
export type RevisionMemo = <T>(key: string, compute: () => T) => T;

/** The key has to name everything that the value depends on besides the index. */
export function createRevisionMemo(rows: Rows, maxEntries: number): RevisionMemo {
  const values = createRevisionCache<string, unknown>(rows, maxEntries);
  return <T>(key: string, compute: () => T) => memoize(compute, values() as Map<string, T>)(key);
}
