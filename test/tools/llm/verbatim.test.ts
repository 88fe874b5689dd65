// Tests how quotes are found in a text: exactly except for white space, and as whole words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { verbatimPlaces } from '../../../src/markdown/excerpt/quote-places.ts';
import { runs } from '../../runner/effort.ts';

const shown = (text: string, quote: string) =>
  verbatimPlaces(text, quote).map(({ from, to, lines, column }) => [text.slice(from, to), ...lines, column]);

test('only white space may differ', () => {
  const text = 'One  two\r\nthree.\n\nOne two three!\n';
  assert.deepEqual(shown(text, ' One two\tthree'), [
    ['One  two\r\nthree', 1, 2, 1],
    ['One two three', 4, 4, 1],
  ]);
  for (const quote of ['one two', 'One, two', 'One two three?', 'wo three', 'two thre', '', '  ', '...', '!']) {
    assert.deepEqual(shown(text, quote), [], quote);
  }
});

test('characters that are special in regular expressions are literal', () => {
  const text = 'a.c (x+y) [[b]] $1 a-c\n';
  for (const quote of ['a.c', '(x+y)', '[[b]]', '$1', 'a-c', 'a.c (x+y) [[b]] $1 a-c'])
    assert.equal(shown(text, quote).length, 1, quote);
  assert.deepEqual(shown('abc', 'a.c'), []);
});

test('scripts without spaces have no word boundaries, and composed and decomposed accents are equal', () => {
  assert.deepEqual(shown('今日は港町へ行った。\n', '港町'), [['港町', 1, 1, 4]]);
  assert.equal(shown('Cafe\u0301 au lait', 'Café').length, 1);
  assert.equal(shown('Café au lait', 'Cafe\u0301 au').length, 1);
});

test('any whole words of a text are found at their place and on their lines', () => {
  const word = fc.stringMatching(/^[a-z(.*]{0,3}[a-z]{1,4}$/);
  const gap = fc.constantFrom(' ', '\n', '  ', '\r\n', '\n\n');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 12 }),
      fc.nat(),
      fc.nat(),
      (words, one, other) => {
        const text = words.map((pair) => pair.join('')).join('');
        const [from, to] = [one % words.length, other % words.length].sort((a, b) => a - b) as [number, number];
        const quote = words
          .slice(from, to + 1)
          .map(([name]) => name)
          .join(' ');
        const before = words
          .slice(0, from)
          .map((pair) => pair.join(''))
          .join('').length;
        const place = verbatimPlaces(text, quote).find((each) => each.from === before);
        assert.ok(place !== undefined, JSON.stringify([text, quote]));
        assert.equal(text.slice(place.from, place.to).replace(/\s+/g, ' '), quote);
        const line = (offset: number): number => text.slice(0, offset).split(/\r\n|\n/).length;
        assert.deepEqual(place.lines, [line(place.from), line(place.to)]);
      },
    ),
    { numRuns: runs(300) },
  );
});
