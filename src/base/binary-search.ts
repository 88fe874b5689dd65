// Binary search over anything that is sorted.

/** The number of indexes below `length` for which `isBefore` is true; it must be true for all of them up to some index and false after it. */
export function partitionPoint(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
