// Prepared names give what comparing with every name gives; the short cuts only save time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { createNearestNames, nearestName } from '../../src/base/nearest.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'é', '日', ' '), minLength: 1, maxLength: 9 });

test('the same names as without short cuts, fewest edits first', () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 20 }), fc.constantFrom(0.25, 0.4), (name, names, share) => {
      const farthest = Math.max(1, Math.floor(name.length * share));
      const expected = names
        .map((one) => ({ name: one, edits: distance(name.toLowerCase(), one.toLowerCase()) }))
        .filter(({ edits }) => edits <= farthest)
        .toSorted((one, other) => one.edits - other.edits);
      const nearest = createNearestNames(names);
      assert.deepEqual(nearest(name, 100, share), expected);
      assert.deepEqual(nearest(name, 2, share), expected.slice(0, 2));
    }),
  );
});

test('the first of them is the nearest name', () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 20 }), (name, names) => {
      assert.equal(createNearestNames(names)(name, 1)[0]?.name, nearestName(name, names));
    }),
  );
});
