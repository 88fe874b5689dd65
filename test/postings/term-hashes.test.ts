// Tests the hashed terms of texts: what each part of a text counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isStopWord } from '../../src/markdown/excerpt/stop-words.ts';
import { countTerms, formsOf, termOf, withoutLinks } from '../../src/markdown/excerpt/terms.ts';
import { TermHashes, termHash } from '../../src/postings/term-hashes.ts';
import { WordTable } from '../../src/postings/word-table.ts';

interface Heading {
  readonly text: string;
  /** Where it was in the body. */
  readonly cut: number;
}

function partsOf(title: string, text: string, headings: readonly Heading[] = []): number[][] {
  const table = new WordTable();
  const wordsOf = (added: string) => {
    const from = table.total;
    table.add(added);
    return { text: added, from, to: table.total };
  };
  let end = -1;
  const places = headings.map((heading) => {
    const isTitle = heading.text === title;
    if (!isTitle) end += heading.text.length + 1;
    return { cut: heading.cut, end, isTitle };
  });
  const lines = headings.flatMap(({ text: line }) => (line === title ? [] : line)).join('\n');
  const note = { title, headings: wordsOf(lines), body: wordsOf(text), places };
  const parts: number[][] = [];
  new TermHashes(table).eachPart(note, (hashes) => parts.push([...hashes]));
  return parts;
}

/** The same for terms that are known. */
function hashed(counts: Iterable<readonly [term: string, count: number]>): number[] {
  const hashes = [...counts].flatMap(([term, count]) => new Array<number>(count).fill(termHash(term)));
  return hashes.sort((one, other) => one - other);
}

const termsOf = (text: string) =>
  countTerms([formsOf(withoutLinks(text))], (form) => (isStopWord(form) ? undefined : termOf(form)));

test('a text is split after every hundred words, and each part counts the title', () => {
  const first: [string, number][] = [
    ['tide', 3],
    ['table', 1],
    ['moon', 97],
  ];
  const second: [string, number][] = [
    ['tide', 1],
    ['table', 1],
    ['moon', 53],
    ['潮汐', 1],
    ['汐表', 1],
  ];
  assert.deepEqual(partsOf('Tide tables', `tides and tide ${'moon '.repeat(150)}潮汐表`), [
    hashed(first),
    hashed(second),
  ]);
  assert.deepEqual(partsOf('Moon', ''), [hashed([['moon', 1]])]);
});

test('a heading that is the title is counted as a heading, too', () => {
  const headings = [
    { text: 'Tide', cut: 0 },
    { text: 'Moon', cut: 4 },
  ];
  const counts: [string, number][] = [
    ['tide', 2],
    ['salt', 1],
    ['moon', 1],
  ];
  assert.deepEqual(partsOf('Tide', 'salt', headings), [hashed(counts)]);
});

test('headings are counted where they were in the body', () => {
  const body = `${'salt '.repeat(60)}\n\n${'bread '.repeat(60)}\n`;
  const headings = [
    { text: 'Tide 潮汐', cut: 0 },
    { text: 'Moon and [[Sun]]', cut: body.indexOf('bread') - 1 },
    { text: 'Fish', cut: body.length },
  ];
  const [first, second] = partsOf('', body, headings);
  // Stop words are counted as forms.
  const counts: [string, number][] = [
    ['tide', 1],
    ['潮汐', 1],
    ['salt', 60],
    ['moon', 1],
    ['bread', 36],
  ];
  assert.deepEqual(first, hashed(counts));
  assert.deepEqual(
    second,
    hashed([
      ['bread', 24],
      ['fish', 1],
    ]),
  );
});

test('links are left out, and so are words far into a text', () => {
  const text =
    'tide [[Moon|moon]] salt [bread](bread.md) 潮汐[[海|海水]]潮汐 https://example.org/fish\n[ref]: fish.md\nrock';
  const terms: [string, number][] = [
    ['tide', 1],
    ['salt', 1],
    ['潮汐', 2],
    ['rock', 1],
  ];
  assert.deepEqual(partsOf('', text), [hashed(terms)]);
  assert.deepEqual(partsOf('', `tide ${' '.repeat(40_000)}moon`), [hashed([['tide', 1]])]);
  // A line that is folded as a whole, because of its last letter.
  assert.deepEqual(partsOf('', `tide ${' '.repeat(40_000)}moon น`), [hashed([['tide', 1]])]);
  assert.deepEqual(partsOf('', `tide น\n${' '.repeat(40_000)}\nmoon น`), [
    hashed([
      ['tide', 1],
      ['น', 1],
    ]),
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
  'the',
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
      const [part = []] = partsOf('', text);
      assert.deepEqual(part, hashed(termsOf(text)));
    }),
    { numRuns: 1_000 },
  );
});

test('every form of a text is counted, whatever its script and its lines', () => {
  const words = fc.constantFrom(
    'Tides',
    'this',
    'Über',
    'Das',
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
    'हिन्दी',
    '[[Moon]]',
    '[[潮汐|น้ำ]]',
    '[x](é.md)',
    ' https://example.org/潮汐',
  );
  const gaps = fc.constantFrom(' ', '\n', '\r\n', '—', '\n\n', '');
  const texts = fc.array(fc.tuple(words, gaps), { maxLength: 30 }).map((pairs) => pairs.flat().join(''));
  fc.assert(
    fc.property(texts, (text) => {
      assert.deepEqual(
        partsOf('', text)
          .flat()
          .sort((one, other) => one - other),
        hashed(termsOf(text)),
      );
    }),
  );
});
