// Tests the upper bound on tokens: below the estimate, above a safe minimum, and additive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sizeOf, tokenBound } from '../../../src/markdown/chunk/text-size.ts';

test('a blank belongs to the word after it, and three digits are a token', () => {
  assert.equal(tokenBound('2026'), 2);
  assert.equal(tokenBound('1'), 1);
  assert.equal(tokenBound(''), 0);
  assert.equal(tokenBound('潮汐'), 2);
  assert.equal(tokenBound('tide tide tide tide'), Math.ceil((4 * 4 * 11) / 32));
});

/** Words as plain text has them; each takes one token at least. */
const words = fc.array(fc.stringMatching(/^(?:[a-z]{3,9}|\d{1,6}|[.,;!]|[潮汐바다])$/), { maxLength: 60 });

test('the bound is at most the estimate, and at least one token per word', () => {
  fc.assert(
    fc.property(words, (given) => {
      const text = given.join(' ');
      const bound = tokenBound(text);
      assert.ok(bound <= Math.ceil(sizeOf(text).tokens));
      assert.ok(bound >= given.length, `${bound} ${text}`);
    }),
  );
});

test('the parts of a text are together at least as large as the whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      assert.ok(tokenBound(`${one}\n`) + tokenBound(other) >= tokenBound(`${one}\n${other}`));
    }),
  );
});
