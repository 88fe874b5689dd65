// Compares what a test picks of each item with what it expects.
import assert from 'node:assert/strict';

export function assertEach<T>(
  items: readonly T[] | undefined,
  pick: (item: T, at: number) => unknown,
  expected: unknown,
  message?: string,
): void {
  assert.deepEqual(items?.map(pick), expected, message);
}
