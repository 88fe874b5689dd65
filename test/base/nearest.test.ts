// Prepared names give what comparing with every name gives; the short cuts only save time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { NearestNames, nearestName } from '../../src/base/nearest.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'é', '日', ' '), minLength: 1, maxLength: 9 });

test('the same names as without short cuts, fewest edits first', () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 20 }), fc.constantFrom(0.25, 0.4), (name, names, share) => {
      const farthest = Math.max(1, Math.floor(name.length * share));
      const expected = names
        .map((one) => ({ name: one, edits: distance(name.toLowerCase(), one.toLowerCase()) }))
        .filter(({ edits }) => edits <= farthest)
        .toSorted((one, other) => one.edits - other.edits || (one.name < other.name ? -1 : 1));
      const nearest = new NearestNames(names);
      assert.deepEqual(nearest.near(name, 100, share), expected);
      assert.deepEqual(nearest.near(name, 2, share), expected.slice(0, 2));
    }),
  );
});

test('the first of them is the nearest name', () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 20 }), (name, names) => {
      assert.equal(new NearestNames(names).near(name, 1)[0]?.name, nearestName(name, names.toSorted()));
    }),
  );
});

test('after names were added and deleted, the same as with the others from the start', () => {
  const names = fc.uniqueArray(word, { maxLength: 20 });
  fc.assert(
    fc.property(word, names, names, names, (name, first, added, deleted) => {
      const nearest = new NearestNames(first);
      for (const one of added) nearest.add(one);
      for (const one of deleted) nearest.delete(one);
      const left = new Set([...first, ...added].filter((one) => !deleted.includes(one)));
      assert.deepEqual(nearest.near(name, 100), new NearestNames(left).near(name, 100));
      const part = name.toLowerCase();
      const containing = [...left].filter((one) => one.toLowerCase().includes(part));
      assert.deepEqual(nearest.containing(part, 100).toSorted(), containing.toSorted());
    }),
  );
});
