// The rows of a page are the first of all in order, however many are left out, and in the order they came where they are equal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstInOrder } from '../../../src/tools/bases/view-answer.ts';
import { createSeededRandom } from '../../bench/random.ts';

const never = new AbortController().signal;

test('the first items in order, of few and of many', async () => {
  const random = createSeededRandom(7);
  for (const length of [0, 1, 255, 256, 257, 3_000, 9_001]) {
    const items = Array.from({ length }, (_, at) => ({ key: random.below(length / 3 + 1), at }));
    const compare = (one: (typeof items)[number], other: (typeof items)[number]): number => one.key - other.key;
    const sorted = items.toSorted(compare);
    for (const count of [0, 1, 2, 100, 256, 1_000, 1_024, 1_025, length])
      for (const given of [items, sorted, sorted.toReversed().toSorted((one, other) => compare(other, one))]) {
        const expected = given.toSorted(compare).slice(0, count);
        assert.deepEqual(await firstInOrder(given, count, compare, never), expected, `${count} of ${length}`);
      }
  }
});
