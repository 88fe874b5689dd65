import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Embedding } from '../../src/contracts/embedding.ts';
import { probeCall } from '../../src/contracts/provider-call.ts';
import { breakerStates, type LoadedProvider, measuredProviders } from '../../src/lifecycle/provider-health.ts';
import { fakeEmbedding } from '../fakes/embedding.ts';

const { signal } = new AbortController();
const INPUT = [{ id: 'a', text: 'tide' }];

test('each request is timed, successful or failed, for the provider and for its fallback', async () => {
  const [main, second] = [fakeEmbedding(), fakeEmbedding({ type: 'second' })];
  const given: Embedding = {
    ...main.provider,
    fallback: { provider: second.provider, useOn: ['PROVIDER_UNAVAILABLE'] },
  };
  const took: [string, number][] = [];
  const { embedding } = measuredProviders({ embedding: given }, (name, ms) => took.push([name, ms]));
  assert.ok(embedding && Object.isFrozen(embedding));
  const answer = await embedding.embed(INPUT, 'query', probeCall(), signal);
  assert.deepEqual(answer, await main.provider.embed(INPUT, 'query', probeCall(), signal));
  main.become({ down: true });
  await assert.rejects(embedding.embed(INPUT, 'query', probeCall(), signal));
  await embedding.fallback?.provider.embed(INPUT, 'query', probeCall(), signal);
  await embedding.fallback?.provider.identify(probeCall(), signal);
  assert.equal(took.length, 3);
  assert.ok(took.every(([name, ms]) => name === 'embedding' && ms >= 0));
  assert.deepEqual(
    measuredProviders({}, () => undefined),
    {},
  );
});

test('the state of a breaker is reported by its provider', () => {
  const row = (path: string[], model: string | undefined, notes: string[]) =>
    ({ section: { path, provider: {} }, model, notes: () => notes }) as unknown as LoadedProvider;
  assert.deepEqual(
    breakerStates([
      row(['providers', 'store'], undefined, []),
      row(['providers', 'embedding'], 'a', ['breaker open since now']),
      row(['providers', 'embedding', 'fallback'], 'b', ['used on X']),
    ]),
    [
      [1, 'embedding'],
      [0, 'embedding.fallback'],
    ],
  );
});
