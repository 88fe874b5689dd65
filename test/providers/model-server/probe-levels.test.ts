import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { ModelServer } from '../../../src/providers/model-server/attempt.ts';
import { checkSampleVectors, type ProbeSteps, probeLevels } from '../../../src/providers/model-server/probe-levels.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { never, newCall } from './attempts.ts';

const down = providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });

const steps = (some: Partial<ProbeSteps> = {}): ProbeSteps => ({
  reach: async () => 'it answers',
  findModel: async () => 'the model is there',
  isLoaded: async () => true,
  answer: async () => 'it embeds',
  ...some,
});
const failing = async (): Promise<never> => {
  throw down;
};

describe('a probe in levels', () => {
  it('reports each level of a working server', async () => {
    const { ok, detail, levels } = await probeLevels(steps());
    assert.deepEqual([ok, detail], [true, 'it answers, the model is there, it embeds']);
    assert.deepEqual(levels, [
      { level: 'reachable', ok: true, detail: 'it answers' },
      { level: 'model', ok: true, detail: 'the model is there' },
      { level: 'answers', ok: true, detail: 'it embeds' },
    ]);
  });

  it('stops at the first level that fails, with its message', async () => {
    for (const [some, reached] of [
      [{ reach: failing }, ['reachable']],
      [{ findModel: failing }, ['reachable', 'model']],
      [{ isLoaded: failing }, ['reachable', 'model', 'answers']],
      [{ answer: failing }, ['reachable', 'model', 'answers']],
    ] as const) {
      const { ok, detail, levels = [], failure } = await probeLevels(steps(some));
      assert.equal(failure, down);
      assert.deepEqual([ok, detail, levels.map(({ level }) => level)], [false, down.message, reached]);
      assert.deepEqual(
        levels.map((level) => level.ok),
        reached.map((_, at) => at < reached.length - 1),
      );
    }
  });

  it('does not load a model, but tests an answer if the server does not say whether it is loaded', async () => {
    const answer = async (): Promise<never> => assert.fail('it was asked');
    const { ok, levels } = await probeLevels(steps({ isLoaded: async () => false, answer }));
    assert.deepEqual([ok, levels?.map((level) => level.ok)], [true, [true, true, 'unknown']]);
    assert.equal((await probeLevels(steps({ isLoaded: async () => undefined }))).levels?.[2]?.ok, true);
  });

  it("rethrows errors that are not the provider's", async () => {
    const reason = new Error('the probe was cancelled');
    await assert.rejects(
      probeLevels(steps({ findModel: () => Promise.reject(reason) })),
      (thrown) => thrown === reason,
    );
  });
});

describe('the vectors of fixed sentences', () => {
  const server: ModelServer = {
    ...{ capability: 'embedding', provider: 'fake', model: 'hashed-words' },
    ...{ endpoint: 'http://127.0.0.1:1', headers: {} },
  };
  const ask = (embed: EmbeddingProvider['embed']) =>
    checkSampleVectors({ ...fakeEmbedding().provider, embed }, server, newCall(), never);
  const answering = (vectors: readonly number[][]) =>
    ask(async (inputs) => ({
      succeeded: inputs
        .slice(0, vectors.length)
        .map(({ id }, at) => ({ id, result: Float32Array.from(vectors[at] ?? []) })),
      failed: [],
    }));
  const wrong = { code: 'PROVIDER_BAD_RESPONSE' };

  it('are equal for equal sentences and differ for others', async () => {
    const fake = fakeEmbedding({ dims: 32 });
    assert.equal(await checkSampleVectors(fake.provider, server, newCall(), never), 'embeds into 32 dimensions');
    assert.equal(fake.requests[0]?.texts.length, 3);
    assert.equal(new Set(fake.requests[0]?.texts).size, 2);
  });

  it('are an error if they are not so, or one is missing', async () => {
    await assert.rejects(
      answering([
        [1, 0],
        [1, 0],
        [1, 0],
      ]),
      wrong,
    );
    await assert.rejects(
      answering([
        [1, 0],
        [0, 1],
        [0, 1],
      ]),
      wrong,
    );
    await assert.rejects(
      answering([
        [1, 0],
        [1, 0],
      ]),
      wrong,
    );
    await assert.rejects(answering([]), wrong);
    const bad = providerFailure('PROVIDER_BAD_RESPONSE', { expected: 'finite numbers', received: 'NaN' });
    await assert.rejects(
      ask(async () => ({ succeeded: [], failed: [{ id: 'one', error: bad }] })),
      (thrown) => thrown === bad,
    );
  });
});
