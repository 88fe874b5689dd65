// Sorts many items without holding up other calls.
import { letOthersRun } from '../../base/threads/turns.ts';

/** Sorted in some tenths of a millisecond. */
const RUN = 256;

/** Stable. Short runs are sorted, then merged in pairs. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  signal: AbortSignal,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    await letOthersRun(signal);
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, signal));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  signal: AbortSignal,
): Promise<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const isLeft = compare(one[left] as T, other[right] as T) <= 0;
    merged.push((isLeft ? one[left++] : other[right++]) as T);
    if (merged.length % RUN === 0) await letOthersRun(signal);
  }
  return merged.concat(one.slice(left), other.slice(right));
}
