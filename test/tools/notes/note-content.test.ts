// Cutting a text: whole lines if they fit, never half a character, never too long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutToLines } from '../../../src/markdown/excerpt/cut-to-lines.ts';

test('keeps the whole lines that fit, with line ends if there is room', () => {
  const text = 'one\r\ntwo\nthree';
  assert.deepEqual(cutToLines(text, 14), { text, wholeLines: 3 });
  assert.deepEqual(cutToLines(text, 13), { text: 'one\r\ntwo\n', wholeLines: 2 });
  assert.deepEqual(cutToLines(text, 8), { text: 'one\r\ntwo', wholeLines: 2 });
  assert.deepEqual(cutToLines(text, 7), { text: 'one\r\n', wholeLines: 1 });
  assert.deepEqual(cutToLines(text, 2), { text: 'on', wholeLines: 0 });
  assert.deepEqual(cutToLines('', 5), { text: '', wholeLines: 0 });
});

test('the result is a prefix within the limit without half characters', () => {
  const texts = fc
    .array(fc.constantFrom('a', '🐈', '\n', '\r\n', '\r', 'é'), { maxLength: 60 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, longest) => {
      const cut = cutToLines(text, longest);
      assert.ok(text.startsWith(cut.text));
      assert.ok(cut.text.length <= longest);
      assert.ok(cut.text.isWellFormed());
      if (text.length <= longest) assert.equal(cut.text, text);
    }),
  );
});
