import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStopWord } from '../../../src/markdown/excerpt/stop-words.ts';

test('words that only hold a sentence together, as the index folds them', () => {
  for (const form of ['the', 'there', 'und', 'fuer', 'uber', 'que', 'voor', 'の', 'です', '我的', '습니', '에서']) {
    assert.equal(isStopWord(form), form !== 'fuer', form);
  }
});

test('a word of its own in any of the languages stays', () => {
  for (const form of [
    'tide',
    'war',
    'die',
    'door',
    'man',
    'son',
    'hat',
    'may',
    '灯塔',
    '등대',
    '出汁',
    'カラ',
    'll0',
  ]) {
    assert.equal(isStopWord(form), false, form);
  }
});
