// A map that drops the entries that were set longest ago when it has too many or they are too large together.

export class SizedMap<K, V> {
  readonly #rows = new Map<K, { readonly value: V; readonly size: number }>();
  readonly #maxSize: number;
  readonly #maxRows: number;
  #size = 0;

  /** @param maxSize of all entries, in the unit of `set`; the newest entry is kept even if it alone is larger */
  constructor(maxSize: number, maxRows: number = Number.POSITIVE_INFINITY) {
    this.#maxSize = maxSize;
    this.#maxRows = maxRows;
  }

  /** Makes the entry the newest, also if it was there before. */
  set(key: K, value: V, size = 1): void {
    this.delete(key);
    this.#rows.set(key, { value, size });
    this.#size += size;
    for (const [oldest] of this.#rows) {
      if (oldest === key || (this.#size <= this.#maxSize && this.#rows.size <= this.#maxRows)) return;
      this.delete(oldest);
    }
  }

  get(key: K): V | undefined {
    return this.#rows.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#rows.has(key);
  }

  delete(key: K): void {
    this.#size -= this.#rows.get(key)?.size ?? 0;
    this.#rows.delete(key);
  }

  clear(): void {
    this.#rows.clear();
    this.#size = 0;
  }

  /** From the oldest to the newest. */
  *entries(): Generator<[K, V]> {
    for (const [key, { value }] of this.#rows) yield [key, value];
  }
}
