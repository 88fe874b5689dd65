import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partitionPoint } from '../../src/base/binary-search.ts';

test('the partition point is the number of values before a limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (values, limit) => {
      const sorted = values.sort((a, b) => a - b);
      const expected = sorted.filter((value) => value < limit).length;
      assert.equal(
        partitionPoint(sorted.length, (index) => (sorted[index] as number) < limit),
        expected,
      );
    }),
  );
});
