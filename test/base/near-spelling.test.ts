// What is one word misspelt and what is another word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { countTypos, mostEdits } from '../../src/base/nearest.ts';

test('a slip for every four letters, letters that changed places being one, and never more than three', () => {
  const cases: readonly [string, string, number | undefined][] = [
    ['tols', 'tools', 1],
    ['harbor', 'harbour', 1],
    ['haborur', 'harbour', undefined],
    ['harbuor', 'harbour', 1],
    ['tiem', 'time', 1],
    ['time', 'time', 0],
    ['cat', 'cut', undefined],
    ['moon', 'mine', undefined],
    ['moor', 'moon', undefined],
    ['tidel', 'tidal', 1],
    ['photosynthsis', 'photosynthesis', 1],
    ['fotosyntesis', 'photosynthesis', 3],
    ['abcdefghijklmnopqrst', 'abcdxxghijklmnxxqrst', undefined],
    ['', '', 0],
  ];
  for (const [one, other, slips] of cases) {
    assert.equal(countTypos(one, other), slips, `${one} ${other}`);
    assert.equal(countTypos(other, one), slips, `${other} ${one}`);
  }
});

test('is the same in both directions, and 0 for the same word alone', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'ж', 'x'), maxLength: 14 });
  fc.assert(
    fc.property(words, words, (one, other) => {
      const slips = countTypos(one, other);
      assert.equal(countTypos(other, one), slips);
      assert.equal(slips === 0, one === other);
      assert.ok(slips === undefined || (slips <= 3 && slips * 4 <= Math.min(one.length, other.length)));
    }),
  );
});

test('no word of allowed typos is more edits away than those', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 14 });
  const check = (one: string, other: string): void => {
    if (countTypos(one, other) !== undefined) assert.ok(distance(one, other) <= mostEdits(one), `${one} ${other}`);
  };
  fc.assert(
    fc.property(words, words, fc.nat(12), (one, other, at) => {
      check(one, other);
      check(one, `${one.slice(0, at)}${one[at + 1] ?? ''}${one[at] ?? ''}${one.slice(at + 2)}`);
    }),
    { numRuns: 1_000 },
  );
});
