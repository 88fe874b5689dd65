import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStopWord } from '../../../src/markdown/excerpt/stop-words.ts';

test('common words are stop words, in their folded form', () => {
  for (const form of ['the', 'there', 'und', 'fuer', 'uber', 'que', 'voor', 'の', 'です', '我的', '습니', '에서']) {
    assert.equal(isStopWord(form), form !== 'fuer', form);
  }
});

test('a content word of any of the languages is not a stop word', () => {
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
