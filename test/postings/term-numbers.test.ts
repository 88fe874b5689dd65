// Tests the terms of texts as numbers: what each part of a text counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TermParts } from '../../src/graph/relatedness.ts';
import { isStopWord } from '../../src/markdown/excerpt/stop-words.ts';
import { countTerms, formsOf, termOf } from '../../src/markdown/excerpt/terms.ts';
import { keptTerms, TermNumbers } from '../../src/postings/term-numbers.ts';

/** Each part as its terms with their counts, in the order of the text. */
function shown({ terms, counts, ends }: TermParts, texts: readonly string[]): [string, number][][] {
  return ends.map((end, part) => {
    const from = ends[part - 1] ?? 0;
    return [...terms.slice(from, end)].map((term, at) => [texts[term] ?? '', counts[from + at] ?? 0]);
  });
}

test('a text is split after every hundred words, and each part counts the title', () => {
  const numbers = new TermNumbers();
  const parts = numbers.partsOf('Tide tables', `tides and tide ${'moon '.repeat(150)}潮汐表`);
  assert.deepEqual(shown(parts, numbers.texts), [
    [
      ['tide', 3],
      ['table', 1],
      ['moon', 97],
    ],
    [
      ['tide', 1],
      ['table', 1],
      ['moon', 53],
      ['潮汐', 1],
      ['汐表', 1],
    ],
  ]);
  assert.deepEqual(shown(numbers.partsOf('Moon', ''), numbers.texts), [[['moon', 1]]]);
});

test('a term has one number in all texts, and parts can be reduced to some terms', () => {
  const numbers = new TermNumbers();
  const one = numbers.partsOf('', `bread ${'salt '.repeat(99)}bread water`);
  const other = numbers.partsOf('', 'water salts');
  assert.deepEqual(shown(other, numbers.texts), [
    [
      ['water', 1],
      ['salt', 1],
    ],
  ]);
  const kept = keptTerms(one, (term) => numbers.texts[term] !== 'salt');
  assert.deepEqual(shown(kept, numbers.texts), [
    [['bread', 1]],
    [
      ['bread', 1],
      ['water', 1],
    ],
  ]);
});

const PIECES = [
  'tide',
  'Tides',
  'SALT',
  'x1',
  'a',
  '9',
  ' ',
  '-',
  "'",
  '\n',
  'é',
  'e\u0301',
  'İ',
  'Σ',
  'ς',
  '潮',
  '汐',
  '、',
  'Ａ',
  '한',
  'カ',
  '=\u0338',
  '\u00ad',
  'ｱﾞ',
  '\u{1f600}',
];
const written = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''));

test('any text has the terms that folding all of it gives', () => {
  fc.assert(
    fc.property(written, (text) => {
      const numbers = new TermNumbers();
      const [part = []] = shown(numbers.partsOf('', text), numbers.texts);
      assert.deepEqual(part, [...countTerms([formsOf(text)], termOf)]);
    }),
    { numRuns: 1_000 },
  );
});

test('every form of a text is counted, whatever its script and its lines', () => {
  const words = fc.constantFrom(
    'Tides',
    'STRASSE',
    'straße',
    'naïve',
    'e\u0301t\u0065',
    'İstanbul',
    'don’t',
    'x',
    '１２',
    '潮汐表',
    '（漢字）とカー',
    '한국어판x',
    'ﬁsh',
    'น้ำขึ้น',
    '🙂',
    'Привет',
  );
  const gaps = fc.constantFrom(' ', '\n', '\r\n', '—', '\n\n', '');
  const texts = fc.array(fc.tuple(words, gaps), { maxLength: 30 }).map((pairs) => pairs.flat().join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const numbers = new TermNumbers();
      const [counted = []] = shown(numbers.partsOf('', text), numbers.texts);
      const expected = countTerms([formsOf(text)], (form) => (isStopWord(form) ? undefined : termOf(form)));
      assert.deepEqual(new Map(counted), new Map(expected));
    }),
  );
});
