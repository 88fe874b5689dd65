// The fewest tokens that a text can have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastTokens } from '../../../src/providers/model-server/silent-cuts.ts';

test('each word is at least a token, and so are eight Chinese characters', () => {
  assert.equal(leastTokens(''), 0);
  assert.equal(leastTokens(' \n | --- | \n'), 0);
  assert.equal(leastTokens('# The tide, 3.5 m | https://example.org/a?b=c'), 5);
  assert.equal(leastTokens('潮'.repeat(80)), 10);
  assert.equal(leastTokens('น้ำขึ้นน้ำลง'), 1);
});

test('a long text of marks takes no longer than one of words', () => {
  assert.equal(leastTokens('-'.repeat(200_000)), 0);
});
