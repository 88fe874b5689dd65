import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReference } from './reference.ts';

const NOTES = new Map([
  ['Tides.md', 'The water of the harbour rises.'],
  ['a/Café.md', 'It opens early, with the tides.'],
  ['c.md', 'ガス灯の下で歩く'],
  ['d.md', 'カス漬け'],
]);

test('words are folded and without stop words, and a word of the name counts three more', () => {
  const find = createReference(NOTES, false);
  assert.deepEqual(find('tides'), ['Tides.md', 'a/Café.md']);
  assert.deepEqual(find('CAFE'), ['a/Café.md']);
  assert.deepEqual(find('the with it'), []);
  assert.deepEqual(find('rising'), []);
});

test('stems join the forms of an English word', () => {
  const find = createReference(NOTES, true);
  assert.deepEqual(find('tide rising'), ['Tides.md', 'a/Café.md']);
});

test('scripts without spaces are compared by pairs of characters, and voiced kana stay apart', () => {
  const find = createReference(NOTES, false);
  assert.deepEqual(find('ガス'), ['c.md']);
  assert.deepEqual(find('カス'), ['d.md']);
});
