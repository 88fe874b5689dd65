// Tests terms of texts: folded forms, plurals, pairs of characters in scripts without spaces, and removal of links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fnvOf } from '../../../src/base/fnv.ts';
import {
  countTerms,
  eachForm,
  formHashes,
  formsOf,
  spellingsOf,
  termOf,
  termsOf,
  withoutLinks,
} from '../../../src/markdown/excerpt/terms.ts';
import { runs } from '../../runner/effort.ts';
import { growsTooFast } from '../cpu-growth.ts';

test('words are folded and counted; single letters and overlong runs are ignored', () => {
  const forms = formsOf(`Café cafe CAFÉ a x1 don't ${'z'.repeat(61)}`);
  assert.deepEqual(
    [...forms],
    [
      ['cafe', 3],
      ['x1', 1],
      ['don', 1],
    ],
  );
});

test('in scripts without spaces every pair of adjacent characters is a form', () => {
  assert.deepEqual(
    [...formsOf('潮汐表 海 and 바다')].map(([form]) => form),
    ['潮汐', '汐表', '海', 'and', '바다'],
  );
  assert.deepEqual(
    [...formsOf('iOS开发')].map(([form]) => form),
    ['ios', '开发'],
  );
});

test('an English plural has the term of its singular, and no other ending is removed', () => {
  const terms = ['notes', 'boxes', 'classes', 'queries', 'glass', 'bus', 'analysis', 'embedding', 'gas', 'straße'].map(
    termOf,
  );
  assert.deepEqual(terms, ['note', 'box', 'class', 'query', 'glass', 'bus', 'analysis', 'embedding', 'gas', 'straße']);
  assert.deepEqual([...termsOf(formsOf('note notes Notes'))], [['note', 3]]);
});

test('each spelling of a term is a form of that term', () => {
  for (const term of ['note', 'box', 'class', 'query', 'day', '潮汐', 'x1']) {
    for (const spelling of spellingsOf(term)) assert.equal(termOf(spelling), term, spelling);
  }
  assert.deepEqual(spellingsOf('query'), ['query', 'queries']);
});

test('links are removed with their display text; other text in brackets stays', () => {
  const text =
    'See [[Tide|the flood]], ![[Map.png]], [chart](a/b.md "t"), [ref][one] and https://example.test/x. A [x] and [[.\n[one]: c.md';
  assert.equal(withoutLinks(text).replace(/ +/g, ' '), 'See , , , and A [x] and [[.\n ');
  assert.equal(withoutLinks('no link'), 'no link');
});

test('the cost of a line of brackets is proportional to its length', () => {
  const brackets = (count: number): string => '['.repeat(4 * count) + '[['.repeat(2 * count) + '[a]('.repeat(count);
  assert.ok(
    !growsTooFast(
      () => withoutLinks(brackets(6_000)),
      () => withoutLinks(brackets(48_000)),
      { noiseMs: 100, maxGrowth: 32 },
    ),
  );
});

test('forms without a term are not counted', () => {
  const terms = countTerms([formsOf('the tides and the tide')], (form) => (form === 'the' ? undefined : termOf(form)));
  assert.deepEqual(
    [...terms],
    [
      ['tide', 2],
      ['and', 1],
    ],
  );
});

test('hashes of forms are those of the forms, in the same order', () => {
  const character = fc.constantFrom(
    ...('aB1 -\n\u00AD…½™’–éßﷺ日本のアไทยİ😀𝒳\u0301ｱﾞ한'.match(/./gsu) ?? []),
    'z'.repeat(60),
  );
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 40 }), (text) => {
      const forms: number[] = [];
      eachForm(text, (form) => forms.push(fnvOf(form)));
      assert.deepEqual(formHashes(text).words, new Uint32Array(forms));
    }),
    { numRuns: runs(20_000) },
  );
});
