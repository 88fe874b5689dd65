// Counts and texts of lines are those of the offsets of all lines, whatever ends them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutToLines } from '../../../src/markdown/excerpt/cut-to-lines.ts';
import { lineCountOf, splitLines, textBetween } from '../../../src/markdown/parse/lines.ts';
import { assertEach } from '../../assert-each.ts';

/** Each line end on its own, so that every sequence of them occurs. */
function expectedLines(text: string): string[] {
  const lines = text.split(/\r\n?|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const texts = fc
  .array(fc.constantFrom('a', 'ü', '𝄞', '\n', '\r\n', '\r', ' '), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('lines end at LF, CRLF and bare CR', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { starts, ends } = splitLines(text);
      const expected = expectedLines(text);
      assertEach([...starts], (start, at) => text.slice(start, ends[at]), expected);
      assert.equal(lineCountOf(text), expected.length);
    }),
  );
});

test('the text of some lines is between the first start and the last end', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 5 }), (text, first, more) => {
      const { starts, ends } = splitLines(text);
      const last = Math.min(first + more, ends.length);
      const expected = text.slice(starts[first - 1] ?? text.length, ends[last - 1] ?? text.length);
      assert.equal(textBetween(text, first, first + more), expected);
    }),
  );
});

test('a text is cut after the last line that fits', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 14 }), (text, maxLength) => {
      const { starts, ends } = splitLines(text);
      const whole = ends.filter((end) => end <= maxLength).length;
      const { text: shown, wholeLines } = cutToLines(text, maxLength);
      assert.equal(wholeLines, text.length <= maxLength ? ends.length : whole);
      if (text.length > maxLength && whole > 0)
        assert.equal(shown, text.slice(0, Math.min(starts[whole] ?? text.length, maxLength)));
    }),
  );
});
