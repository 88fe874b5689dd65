import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanOf, measure } from './ranking-measures.ts';

const right = new Map([
  ['a', 3],
  ['b', 1],
]);

test('an ideal ranking scores 1, an empty one 0, and grades count', () => {
  assert.deepEqual(measure(['a', 'b'], right), { ndcg10: 1, recall20: 1, mrr: 1 });
  assert.deepEqual(measure(['x'], right), { ndcg10: 0, recall20: 0, mrr: 0 });
  const { ndcg10, recall20, mrr } = measure(['x', 'b', 'a'], right);
  assert.ok(Math.abs(ndcg10 - (1 / Math.log2(3) + 3 / 2) / (3 + 1 / Math.log2(3))) < 1e-12);
  assert.deepEqual([recall20, mrr], [1, 1 / 2]);
});

test('results after the tenth and the twentieth do not count', () => {
  const far = [...Array.from({ length: 20 }, (_, at) => `x${at}`), 'a'];
  assert.deepEqual(measure(far, new Map([['a', 1]])), { ndcg10: 0, recall20: 0, mrr: 1 / 21 });
  assert.equal(meanOf([]).mrr, 0);
});
