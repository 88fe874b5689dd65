import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBm25 } from './bm25.ts';

const TEXTS = new Map(
  Object.entries({ a: { tide: 1, moon: 1 }, b: { tide: 2, moon: 1 }, c: { bread: 1 }, d: { moon: 1, bread: 1 } }).map(
    ([id, counts]) => [id, new Map(Object.entries(counts))],
  ),
);

test('plain BM25 ranks by its formula, and a repeated term counts again', () => {
  const rank = createBm25(TEXTS);
  assert.deepEqual(rank(['tide']), ['b', 'a']);
  assert.deepEqual(rank(['zeppelin']), []);
  assert.deepEqual(rank(['bread', 'tide', 'tide', 'tide']), ['b', 'a', 'c', 'd']);
});
