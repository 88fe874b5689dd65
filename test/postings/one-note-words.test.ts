// The words of notes, taken apart and joined again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinWords, splitWords } from '../../src/postings/one-note-words.ts';
import { packWords } from '../../src/postings/word-collector.ts';
import { indexed } from '../contracts/store/law.ts';
import { runs } from '../runner/effort.ts';

const PIECES = [
  'water',
  'tide',
  '# Ebb',
  '海',
  '#sea',
  '[[Flow]]',
  'wa',
  'zoë',
  '---\nkey: low tide\n---',
  '- [ ] row',
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join('\n'));

test('the words of notes, taken apart and joined again, are the same bytes, and those of one note are as if packed alone', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (texts) => {
      const notes = texts.map((one, at) => indexed(`Note ${at}.md`, one));
      const whole = packWords(notes);
      const parts = splitWords(whole);
      const plain = (words: typeof whole) => ({ ...words, vectors: [...words.vectors] });
      assert.deepEqual(plain(joinWords(parts)), plain(whole));
      for (const [at, note] of notes.entries()) assert.deepEqual(parts[at], packWords([note]));
    }),
    { numRuns: runs(100) },
  );
});

test('a word in very many places keeps all of them', () => {
  const notes = Array.from({ length: 20 }, (_, at) => indexed(`Note ${at}.md`, 'water '.repeat(3_000)));
  const whole = packWords(notes);
  assert.deepEqual([...joinWords(splitWords(whole)).rows], [...whole.rows]);
});
