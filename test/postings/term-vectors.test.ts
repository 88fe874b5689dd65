// Tests the packed terms of notes: unpacked, they are the terms of each part with their counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../src/base/note.ts';
import { parseNote } from '../../src/markdown/parse/parse-note.ts';
import { TermNumbers } from '../../src/postings/term-numbers.ts';
import { packVectors, VectorTerms } from '../../src/postings/term-vectors.ts';

const note = (path: string, text: string) => ({ path: path as NotePath, text, parsed: parseNote(text) });

function unpacked(texts: readonly string[], own: readonly string[]): [term: string, count: number][][][] {
  const { vectors, vectorEnds } = packVectors(texts.map((text, at) => note(`${at}.md`, text)));
  const known = new VectorTerms(own);
  return texts.map((_, at) => {
    const { terms, counts, ends } = known.unpack(vectors.subarray(vectorEnds[at - 1] ?? 0, vectorEnds[at]));
    const pairs = Array.from(terms, (term, index): [string, number] => [
      known.texts[term] as string,
      counts[index] ?? 0,
    ]);
    return ends.map((end, part) => pairs.slice(ends[part - 1] ?? 0, end).sort());
  });
}

const WORDS = ['tide', 'moon', 'bread', 'salt', 'harbour', 'lantern', '潮汐', 'éclair'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 400 }).map((words) => words.join(' '));

test('unpacked, they are what the texts count part by part', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      const numbers = new TermNumbers();
      const expected = texts.map((written, at) => {
        const { terms, counts, ends } = numbers.partsOf(String(at), written);
        const pairs = Array.from(terms, (term, index): [string, number] => [
          numbers.texts[term] ?? '',
          counts[index] ?? 0,
        ]);
        return ends.map((end, part) => pairs.slice(ends[part - 1] ?? 0, end).sort());
      });
      assert.deepEqual(unpacked(texts, numbers.texts), expected);
    }),
    { numRuns: 50 },
  );
});

test('other terms are kept without their text, each with a number of its own', () => {
  assert.deepEqual(unpacked(['moon moon tide', 'tide'], ['tide']), [
    [
      [
        ['', 2],
        ['tide', 1],
      ],
    ],
    [[['tide', 1]]],
  ]);
});

test('properties, links and stop words are left out, and what is not a note has no terms', () => {
  const written = '---\nmood: calm\n---\nThe [[Harbour]] and the tide';
  assert.deepEqual(unpacked([written], ['tide', 'harbour', 'calm', 'the']), [[[['tide', 1]]]]);
  const { vectors, vectorEnds } = packVectors([note('Board.canvas', '{}'), note('Tide.md', 'x'), note('A.base', '')]);
  assert.deepEqual([...vectorEnds], [0, vectors.length, vectors.length]);
});
