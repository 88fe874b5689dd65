// The sentence that is taken from a note: from its text, without marks, always the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleSentence } from '../../../src/markdown/excerpt/sentence.ts';

const SENTENCE = 'The harbour lies quiet before the morning tide turns again.';

test('it is a sentence of the text, without front matter and marks', () => {
  assert.equal(sampleSentence(`---\ntitle: ${'x '.repeat(50)}\n---\n\n${SENTENCE}\n`), SENTENCE);
  assert.equal(sampleSentence(`- The **harbour** lies [[quiet]] before the \`morning\` tide turns again.\n`), SENTENCE);
  assert.equal(sampleSentence('港口在清晨涨潮之前非常安静，没有人说话。'), '港口在清晨涨潮之前非常安静，没有人说话。');
  const long = `${'First sentence of it all goes here today. '.repeat(20)}${SENTENCE}`;
  assert.equal(sampleSentence(long), sampleSentence(long));
});

test('there is none in a note of numbers, links or a few words', () => {
  for (const text of [
    '',
    '# Title',
    '1 2 3\n4 5 6\n',
    'Short one.',
    '| 1 | 2 |\n|---|---|\n| 3 | 4 |',
    '[[a]]\n[[b]]\n',
  ])
    assert.equal(sampleSentence(text), undefined, text);
});

test('a hostile text has none', () => {
  for (const character of ['[', '.', '\n', '\ud800', '| '])
    assert.equal(sampleSentence(character.repeat(100_000)), undefined);
});
