// Contract tests of rerank scores.
import assert from 'node:assert/strict';
import { DOCUMENTS, type Law, never, newCall, QUERY, rerank } from './law.ts';

const ODD = '灯台 👩‍👩‍👧 e\u0301tude مرحبا "quoted" \\ back\nnew line \u0000 </text>';
const FIXED = 'its weights decide';
/** Scores of any range: some models return logits, others probabilities. */
const SCORES: Readonly<Record<string, number>> = { 'Beans along the wall.': -11.25, 'A quiet harbour.': 1e-9 };

export function answeringLaws(law: Law): void {
  law('each document has its score, in the order of the documents', async ({ provider, scores }, context) => {
    if (scores === undefined) return context.skip(FIXED);
    scores((_query, document) => SCORES[document] ?? 7.5);
    assert.deepEqual(await rerank(provider), [-11.25, 7.5, 1e-9]);
    assert.deepEqual(await rerank(provider, [...DOCUMENTS].reverse()), [1e-9, 7.5, -11.25]);
  });

  law('documents with equal texts have a score each', async ({ provider }) => {
    const all = await rerank(provider, [QUERY, QUERY, 'beans']);
    assert.equal(all.length, 3);
    assert.equal(all[0], all[1]);
  });

  law('the model receives query and documents unchanged', async ({ provider, scores }, context) => {
    if (scores === undefined) return context.skip(FIXED);
    const seen: string[] = [];
    scores((query, document) => seen.push(query, document));
    await rerank(provider, [`title\n${ODD}`], `what ${ODD}`);
    assert.deepEqual(seen, [`what ${ODD}`, `title\n${ODD}`]);
  });

  law('a lone surrogate does not fail the request', async ({ provider }) => {
    assert.equal((await rerank(provider, ['a\ud800b', 'c'], 'x\udc00')).length, 2);
  });

  law('no document needs no request', async ({ provider, fail }) => {
    await fail?.();
    const call = newCall();
    assert.deepEqual(await provider.rerank(QUERY, [], call, never), []);
    assert.equal(call.trace.attempts, 0);
  });

  law('as many documents as it takes have one score each', async ({ provider, scores }, context) => {
    if (scores === undefined) return context.skip(FIXED);
    scores((_query, document) => Number(document.split(' ')[1]));
    const documents = Array.from({ length: provider.top }, (_, at) => `number ${(at * 7) % provider.top}`);
    const expected = documents.map((document) => Number(document.split(' ')[1]));
    assert.deepEqual(await rerank(provider, documents), expected);
  });

  law('concurrent requests do not mix', async ({ provider, scores }, context) => {
    if (scores === undefined) return context.skip(FIXED);
    scores((query, document) => Number(query.split(' ')[1]) * 100 + document.length);
    const numbers = [1, 2, 3, 4, 5];
    const all = await Promise.all(numbers.map((number) => rerank(provider, ['a', 'bcd'], `query ${number}`)));
    assert.deepEqual(
      all,
      numbers.map((number) => [number * 100 + 1, number * 100 + 3]),
    );
  });
}
