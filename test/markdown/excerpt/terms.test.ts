// Terms of texts: forms as the full-text index knows them, plurals as one, pairs where there are no blanks; and texts without links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countTerms,
  formParts,
  formsOf,
  spellingsOf,
  termOf,
  termsOf,
  withoutLinks,
} from '../../../src/markdown/excerpt/terms.ts';

test('words are folded and counted; a letter alone and endless words say nothing', () => {
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

test('in scripts without blanks two characters that stand together are a form', () => {
  assert.deepEqual(
    [...formsOf('潮汐表 海 and 바다')].map(([form]) => form),
    ['潮汐', '汐表', '海', 'and', '바다'],
  );
  assert.deepEqual(
    [...formsOf('iOS开发')].map(([form]) => form),
    ['ios', '开发'],
  );
});

test('an English plural is the term of its singular, and nothing else is cut', () => {
  const terms = ['notes', 'boxes', 'classes', 'queries', 'glass', 'bus', 'analysis', 'embedding', 'gas', 'straße'].map(
    termOf,
  );
  assert.deepEqual(terms, ['note', 'box', 'class', 'query', 'glass', 'bus', 'analysis', 'embedding', 'gas', 'straße']);
  assert.deepEqual([...termsOf(formsOf('note notes Notes'))], [['note', 3]]);
});

test('each spelling that a term is looked for by is a form of it', () => {
  for (const term of ['note', 'box', 'class', 'query', 'day', '潮汐', 'x1']) {
    for (const spelling of spellingsOf(term)) assert.equal(termOf(spelling), term, spelling);
  }
  assert.deepEqual(spellingsOf('query'), ['query', 'queries']);
});

test('links go with what they show; text between brackets stays', () => {
  const text =
    'See [[Tide|the flood]], ![[Map.png]], [chart](a/b.md "t"), [ref][one] and https://example.test/x. A [x] and [[.\n[one]: c.md';
  assert.equal(withoutLinks(text).replace(/ +/g, ' '), 'See , , , and A [x] and [[.\n ');
  assert.equal(withoutLinks('no link'), 'no link');
});

test('a line of brackets costs no more than its length', () => {
  const started = performance.now();
  withoutLinks('['.repeat(200_000) + '[['.repeat(100_000) + '[a]('.repeat(50_000));
  assert.ok(performance.now() - started < 20_000);
});

test('a text is cut behind every so many forms, and nothing of it is lost', () => {
  const text = 'Tide, tide and moon; 潮汐表 and the harbour wall.';
  const parts = formParts(text, 3);
  const sizes = parts.map((part) => [...part.values()].reduce((sum, count) => sum + count, 0));
  assert.ok(sizes.slice(0, -1).every((size) => size === 3) && (sizes.at(-1) ?? 0) <= 3);
  assert.deepEqual(termsOf(...parts), termsOf(formsOf(text)));
  assert.equal(formParts('', 3).length, 1);
});

test('what is given no term is not counted', () => {
  const terms = countTerms([formsOf('the tides and the tide')], (form) => (form === 'the' ? undefined : termOf(form)));
  assert.deepEqual(
    [...terms],
    [
      ['tide', 2],
      ['and', 1],
    ],
  );
});
