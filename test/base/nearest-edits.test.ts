// Compares the edits counted for a prepared text with those of the library, over random texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { editsFrom } from '../../src/base/nearest.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', 'ż', '読', '\u{10ffff}'), maxLength: 40 });

test('counts the edits up to a limit, and more than the limit beyond it', () => {
  fc.assert(
    fc.property(word, word, fc.nat(12), (one, other, most) => {
      const edits = distance(one, other);
      const counted = editsFrom(one)(other, most);
      assert.ok(edits <= most ? counted === edits : counted > most, `${counted} instead of ${edits}`);
    }),
    { numRuns: 2_000 },
  );
});

test('counts the edits of a text as long as a number has bits', () => {
  const text = 'abcdefghijklmnopqrstuvwxyzabcdef';
  assert.equal(editsFrom(text)(text, 3), 0);
  assert.equal(editsFrom(text)(`${text.slice(1)}x`, 3), 2);
});
