import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanOf, measure } from './ranking-measures.ts';

const right = new Map([
  ['a', 3],
  ['b', 1],
]);

test('an ideal ranking scores 1, an empty one 0, and grades count', () => {
  assert.deepEqual(measure(['a', 'b'], right), { ndcg5: 1, ndcg10: 1, recall5: 1, mrr: 1 });
  assert.deepEqual(measure(['x'], right), { ndcg5: 0, ndcg10: 0, recall5: 0, mrr: 0 });
  const { ndcg5, recall5, mrr } = measure(['x', 'b', 'a'], right);
  assert.ok(Math.abs(ndcg5 - (1 / Math.log2(3) + 3 / 2) / (3 + 1 / Math.log2(3))) < 1e-12);
  assert.deepEqual([recall5, mrr], [1, 1 / 2]);
});

test('results after the fifth and the tenth do not count', () => {
  const after = (others: number): string[] => [...Array.from({ length: others }, (_, at) => `x${at}`), 'a'];
  const { ndcg10, ...rest } = measure(after(5), new Map([['a', 1]]));
  assert.deepEqual(rest, { ndcg5: 0, recall5: 0, mrr: 1 / 6 });
  assert.ok(ndcg10 > 0);
  assert.equal(measure(after(10), new Map([['a', 1]])).ndcg10, 0);
  assert.equal(meanOf([]).mrr, 0);
});
