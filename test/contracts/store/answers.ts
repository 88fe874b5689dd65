// Contract tests of the answer cache of a store.
import assert from 'node:assert/strict';
import { MAX_KEPT_ANSWER_LENGTH, MAX_KEPT_ANSWERS, MAX_KEPT_BYTES } from '../../../src/contracts/store.ts';
import { fill, type Law, signal } from './law.ts';

export function answerLaws(law: Law): void {
  law('an answer is found only under its exact key, until another replaces it', async (store) => {
    const odd = '{"summary":"灯台 👩‍👩‍👧 \\u0000 \'quoted\' "}';
    assert.equal(await store.cachedAnswer('one', signal), undefined);
    await store.cacheAnswer('one', odd, signal);
    await store.cacheAnswer('two', 'second', signal);
    assert.equal(await store.cachedAnswer('one', signal), odd);
    await store.cacheAnswer('one', 'newer', signal);
    assert.deepEqual(
      [
        await store.cachedAnswer('one', signal),
        await store.cachedAnswer('two', signal),
        await store.cachedAnswer('', signal),
      ],
      ['newer', 'second', undefined],
    );
  });

  law('answers do not change the index, and a reset deletes them', async (store) => {
    await fill(store, { 'a.md': 'tide' });
    const before = await store.counts(signal);
    await store.cacheAnswer('one', 'first', signal);
    assert.deepEqual(await store.counts(signal), before);
    assert.deepEqual(await store.integrity(signal), []);
    await store.reset(signal);
    assert.equal(await store.cachedAnswer('one', signal), undefined);
  });

  law(
    'the oldest answers are evicted when the cache is full, and one that is too long is not stored',
    async (store) => {
      const long = 'x'.repeat(MAX_KEPT_ANSWER_LENGTH);
      const most = Math.floor(MAX_KEPT_BYTES / MAX_KEPT_ANSWER_LENGTH);
      assert.ok(most < MAX_KEPT_ANSWERS);
      for (let at = 0; at <= most; at += 1) await store.cacheAnswer(`key ${at}`, long, signal);
      const kept = await Promise.all(
        Array.from({ length: most + 1 }, (_, at) => store.cachedAnswer(`key ${at}`, signal)),
      );
      const held = kept.filter((answer) => answer !== undefined).length;
      assert.ok(held * MAX_KEPT_ANSWER_LENGTH <= MAX_KEPT_BYTES && held >= most - 1, String(held));
      assert.deepEqual([kept[0], kept.at(-1)], [undefined, long]);
      await assert.rejects(store.cacheAnswer('key', `${long}x`, signal), { code: 'INTERNAL' });
      assert.equal(await store.cachedAnswer(`key ${most}`, signal), long);
    },
  );

  law('an aborted write is not stored', async (store) => {
    const reason = new Error('gone');
    await assert.rejects(store.cacheAnswer('one', 'first', AbortSignal.abort(reason)), reason);
    assert.equal(await store.cachedAnswer('one', signal), undefined);
  });
}
