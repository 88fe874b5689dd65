import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../src/postings/bytes.ts';
import { WordTable } from '../../src/postings/word-table.ts';
import { wordsOf } from '../../src/postings/words.ts';
import { runs } from '../runner/effort.ts';

function tableOf(text: string): WordTable {
  const table = new WordTable();
  table.add(text);
  return table;
}

function word(table: WordTable, number: number): string {
  const bytes = new ByteWriter();
  table.copyTo(number, bytes);
  return Buffer.from(bytes.view()).toString('utf8');
}

const wordsIn = (table: WordTable): string[] =>
  [...table.words.subarray(0, table.total)].map((number) => word(table, number));

/** Well-formed, with many characters that fold in a way of their own. */
const PIECES = [
  'a',
  'B',
  '9',
  ' ',
  '\n',
  '-',
  'é',
  'e\u0301',
  'ß',
  'Σ',
  'ς',
  'İ',
  'ı',
  '\u00AD',
  '½',
  '´',
  '…',
  '’',
  'Æ',
];
const MORE = [
  'ﬁ',
  'Ａ',
  'ｶﾞ',
  '海',
  'ค',
  'ดี',
  'ข្ម',
  '가',
  '가'.normalize('NFD'),
  '\u0301',
  '🌊',
  '𝔸',
  'ж',
  'й',
  '\u200D',
  'क्ष',
  'カ',
  'ー',
  '々',
  '、',
  '（',
  '한',
  '①',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES, ...MORE), { maxLength: 20 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

test('the words of any text are those of the whole text folded at once', () => {
  fc.assert(
    fc.property(text, (written) => assert.deepEqual(wordsIn(tableOf(written)), wordsOf(written))),
    { numRuns: runs(20_000) },
  );
});

test('every character of one unit folds by itself as in a text', () => {
  const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  for (const character of codes.map((code) => String.fromCharCode(code))) {
    const written = `x${character}y ${character} 漢${character}字`;
    assert.deepEqual(wordsIn(tableOf(written)), wordsOf(written), character.codePointAt(0)?.toString(16));
  }
});

test('words are sorted by their bytes, and a long word is cut between two characters', () => {
  const table = tableOf(`b \ue000 𐐨 abcdefgh abcdefg abcdef ${'é'.repeat(10)}${'я'.repeat(300)} ${'x'.repeat(3_000)}`);
  const sorted = [...table.sorted()].map((number) => word(table, number));
  assert.deepEqual(
    sorted,
    [...sorted].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  );
  assert.equal(sorted.length, 8);
  assert.ok(sorted.includes('x'.repeat(255)));
  assert.ok(sorted.includes(`${'e'.repeat(10)}${'я'.repeat(122)}`));
});

test('a table of many words gives each its number again', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `w${(at * 7_919) % 13_000}`);
  const table = tableOf(words.join(' '));
  assert.equal(table.count, 13_000);
  assert.deepEqual(wordsIn(table), words);
});
