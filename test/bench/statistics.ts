// Computes the printed figures from single timings.
import assert from 'node:assert/strict';

/** The percentile: the value that `share` (0 to 1) of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  assert.ok(found !== undefined, 'no value was taken');
  return found;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Milliseconds until `work` has ended. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Median milliseconds of five runs after one warm-up run. */
export async function medianOfFive(work: () => unknown): Promise<number> {
  await work();
  const values: number[] = [];
  while (values.length < 5) values.push(await timed(work));
  return median(values);
}

/** Milliseconds of up to `count` runs after a tenth as warm-up; stops early after `budgetMs`, but not before ten runs. */
export async function series(count: number, work: (run: number) => unknown, budgetMs = 8_000): Promise<number[]> {
  for (let run = 0; run < count / 10; run++) await work(run);
  const end = performance.now() + budgetMs;
  const values: number[] = [];
  while (values.length < count && (values.length < 10 || performance.now() < end)) {
    values.push(await timed(() => work(values.length)));
  }
  return values;
}
