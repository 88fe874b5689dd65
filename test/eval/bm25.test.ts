import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBm25 } from './bm25.ts';

const TEXTS = new Map([
  ['a', 'tide moon'],
  ['b', 'tide tide moon'],
  ['c', 'bread'],
  ['d', 'moon bread'],
]);

test('plain BM25 ranks by its formula, and never returns the note itself', () => {
  const { toNote, toText } = createBm25(TEXTS);
  assert.deepEqual(toNote('a'), ['b', 'd']);
  assert.deepEqual(toText('tides'), ['b', 'a']);
  assert.deepEqual(toText('zeppelin'), []);
});
