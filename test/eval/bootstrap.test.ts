import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairedDifference } from './bootstrap.ts';

test('a difference in every query is certain, one in a single query may be chance, and both repeat exactly', () => {
  const zeros = Array.from({ length: 40 }, () => 0);
  const certain = pairedDifference(
    zeros.map(() => 0.25),
    zeros,
  );
  assert.deepEqual(certain, { mean: 0.25, interval: [0.25, 0.25] });
  const single = pairedDifference([1, ...zeros.slice(1)], zeros);
  assert.equal(single.interval[0], 0);
  assert.ok(single.mean > 0 && single.interval[1] > single.mean);
  assert.deepEqual(pairedDifference([1, ...zeros.slice(1)], zeros), single);
});
