// Tests the packed terms of notes: unpacked, they are the terms of each part with their counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../src/base/note.ts';
import { formsOf } from '../../src/markdown/excerpt/terms.ts';
import { parseNote } from '../../src/markdown/parse/parse-note.ts';
import { VectorTerms } from '../../src/postings/term-vectors.ts';
import { packWords } from '../../src/postings/word-collector.ts';

const note = (path: string, text: string) => ({ path: path as NotePath, text, parsed: parseNote(text) });

function unpacked(texts: readonly string[], own: readonly string[]): [term: string, count: number][][][] {
  const { vectors, vectorEnds } = packWords(texts.map((text, at) => note(`${at}.md`, text)));
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
/** As they are folded. */
const TERMS = ['tide', 'moon', 'bread', 'salt', 'harbour', 'lantern', '潮汐', 'eclair'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 400 }).map((words) => words.join(' '));

test('unpacked, they are what the texts count part by part', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      const expected = texts.map((written) => {
        const words = written.split(' ').filter((word) => word !== '');
        const parts = Array.from({ length: Math.max(1, Math.ceil(words.length / 100)) }, (_, part) =>
          words.slice(part * 100, part * 100 + 100),
        );
        return parts.map((part) => [...formsOf(part.join(' '))].sort());
      });
      assert.deepEqual(unpacked(texts, TERMS), expected);
    }),
    { numRuns: 50 },
  );
});

test('unpacked, they can be reduced to the terms of one note', () => {
  const { vectors } = packWords([note('Salt.md', `bread ${'salt '.repeat(99)}bread water`)]);
  const known = new VectorTerms(['bread', 'water']);
  const { terms, counts, ends } = known.ownTerms(known.unpack(vectors));
  const own = Array.from(terms, (term, at) => [known.texts[term], counts[at]]);
  assert.deepEqual(ends, [1, 3]);
  assert.deepEqual(
    [own.slice(0, 1), own.slice(1).sort()],
    [
      [['bread', 1]],
      [
        ['bread', 1],
        ['water', 1],
      ],
    ],
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
  const { vectors, vectorEnds } = packWords([
    note('Board.base', 'name: moon'),
    note('Tide.md', 'x'),
    note('A.base', ''),
  ]);
  assert.deepEqual([...vectorEnds], [0, vectors.length, vectors.length]);
});
