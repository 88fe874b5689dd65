// The fake embedding provider: the contract, and its behaviour on demand.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VaultgraphError } from '../../src/base/errors.ts';
import { inputs, isSameVector, never, newCall, vectorOf } from '../contracts/embedding/law.ts';
import { embeddingLaws } from '../contracts/embedding.ts';
import { assertAborted } from '../contracts/model-law.ts';
import { fakeEmbedding } from './embedding.ts';
import type { FakeSettings } from './embedding-answers.ts';
import { providerFailure } from './provider-failure.ts';
import { textVector } from './text-vector.ts';

const underTest = (settings: Partial<FakeSettings>) => async () => {
  const { provider, become } = fakeEmbedding(settings);
  return {
    provider,
    hang: () => become({ hang: true }),
    fail: () => become({ down: true }),
    heal: () => become({ hang: false, down: false }),
    close: () => Promise.resolve(),
  };
};

embeddingLaws('the fake', underTest({}));
embeddingLaws(
  'the fake without a digest, with prefixes and an endpoint',
  underTest({
    digest: null,
    endpoint: 'http://127.0.0.1:11434',
    queryPrefix: 'query: ',
    documentPrefix: 'title: {title} | text: ',
    loaded: undefined,
  }),
);

describe('the fake embedding provider', () => {
  it('rejects a request because of one text, or returns one bad vector', async () => {
    const { provider, requests } = fakeEmbedding({
      poison: { hemlock: 'too long', henbane: 'rejected', arsenic: 'nan' },
    });
    const embed = (...texts: string[]) => provider.embed(inputs(...texts), 'document', newCall(), never);
    await assert.rejects(embed('good', 'some hemlock'), { code: 'PROVIDER_INPUT_TOO_LONG' });
    await assert.rejects(embed('some henbane'), { code: 'PROVIDER_REJECTED_INPUT' });
    const { succeeded, failed } = await embed('good', 'some arsenic', 'fine');
    assert.deepEqual([succeeded.map(({ id }) => id), failed.map(({ id }) => id)], [['text 0', 'text 2'], ['text 1']]);
    assert.deepEqual(
      [failed[0]?.error.code, (failed[0]?.error.details as { level: string }).level],
      ['PROVIDER_BAD_RESPONSE', 'item'],
    );
    assert.equal(requests.length, 3);
  });

  it('rejects a text that is too long, or truncates it silently if it has no digest', async () => {
    const refusing = fakeEmbedding({ contextTokens: 2 }).provider;
    await assert.rejects(vectorOf(refusing, 'one two three'), (error: VaultgraphError) => {
      const { tokens, limit } = error.details as { tokens: number; limit: number };
      assert.deepEqual([error.code, tokens, limit], ['PROVIDER_INPUT_TOO_LONG', 3, 2]);
      return true;
    });
    const cutting = fakeEmbedding({ contextTokens: 2, digest: null }).provider;
    assert.ok(isSameVector(await vectorOf(cutting, 'one two three'), textVector('one two')));
  });

  it('fails as configured, in order, and can become another model', async () => {
    const { provider, failNext, become, requested } = fakeEmbedding();
    failNext(providerFailure('PROVIDER_BUSY', { source: '503' }, {}, 2_000), undefined);
    await assert.rejects(provider.warmUp(never), { code: 'PROVIDER_BUSY', retryAfterMs: 2_000 });
    await provider.warmUp(never);
    become({ digest: 'another', dims: 8 });
    const { digest, dims } = await provider.identify(newCall(), never);
    assert.deepEqual([digest, dims], ['another', 8]);
    assert.deepEqual(requested, { identify: 1, loaded: 0, warmUp: 2 });
  });

  it('logs what was sent for which purpose, and rejects batches that are too large', async () => {
    const { provider, requests } = fakeEmbedding({
      documentPrefix: 'title: {title} | ',
      batch: { items: 2, characters: 60 },
    });
    await provider.embed(
      [{ id: 'a', text: 'tide', title: 'Sea' }],
      'document',
      newCall({ priority: 'interactive' }),
      never,
    );
    assert.deepEqual(requests, [{ texts: ['title: Sea | tide'], purpose: 'document', priority: 'interactive' }]);
    for (const texts of [['a', 'b', 'c'], ['x'.repeat(40), 'y'.repeat(40)], [' ']])
      await assert.rejects(provider.embed(inputs(...texts), 'document', newCall(), never), { code: 'INTERNAL' });
  });

  it('can be slow, and can be aborted', async () => {
    const { provider } = fakeEmbedding({ delayMs: 60 });
    const began = performance.now();
    await vectorOf(provider, 'late');
    assert.ok(performance.now() - began >= 50);
    const reason = new Error('enough');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 10);
    await assertAborted(provider.identify(newCall(), stop.signal), reason);
  });
});
