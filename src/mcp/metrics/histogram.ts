// Durations in bounded memory: how many, how they spread, and the last of them one by one.
import { BOUNDS } from './table.ts';

export interface Histogram {
  /** Milliseconds. */
  observe(value: number): void;
  /** How many there were up to each of `BOUNDS`. */
  cumulated(): readonly number[];
  sum(): number;
  /** The quantiles are those of the last 256; the rest is of all. */
  summary(): Summary;
}

export interface Summary {
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

const KEPT = 256;

export function createHistogram(): Histogram {
  const buckets = new Array<number>(BOUNDS.length).fill(0);
  const last = new Float64Array(KEPT);
  let [count, sum, max] = [0, 0, 0];
  return Object.freeze({
    observe: (value: number) => {
      const bucket = BOUNDS.findIndex((bound) => value <= bound);
      if (bucket >= 0) buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      last[count % KEPT] = value;
      count += 1;
      sum += value;
      max = Math.max(max, value);
    },
    cumulated: () => {
      let upTo = 0;
      return buckets.map((some) => {
        upTo += some;
        return upTo;
      });
    },
    sum: () => sum,
    summary: () => {
      const sorted = last.slice(0, Math.min(count, KEPT)).sort();
      return { count, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: Math.round(max) };
    },
  });
}

/** The least value that so many are not above. */
function quantile(sorted: Float64Array, share: number): number {
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
