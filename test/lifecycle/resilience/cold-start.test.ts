import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { assertEach } from '../../assert-each.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { until } from '../../until.ts';
import { callOf, jobCall, never, thrownBy, underTest } from './under-test.ts';

test('P23 a cold model that loads in time answers, and the wait is reported once', async () => {
  const { fake } = underTest({ loaded: false });
  const { embed } = underTest({}, { endpoints: [slowEmbed(fake.provider, 1_500)], limits: { embed: 4_000 } });
  const call = callOf();
  const reported: string[] = [];
  const answer = await embed({ ...call, onWait: (message) => reported.push(`${call.trace.phase}: ${message}`) });
  assert.equal(answer.succeeded.length, 1);
  assert.deepEqual(reported, ['load: the model is being loaded']);
  assert.equal(call.trace.coldStart, true);
  await pause(20);
  assert.deepEqual([fake.requested.loaded, fake.requested.warmUp], [1, 0], 'nothing is left to warm up');
});

test('the load state is not requested for a model that answers immediately', async () => {
  const { embed, fake } = underTest({ loaded: false });
  await embed();
  await pause(20);
  assert.equal(fake.requested.loaded, 0);
});

test('P23 a cold model slower than the limit fails with cold_start, and a warm-up completes the load', async () => {
  const { fake, ...rest } = underTest({ loaded: false });
  const { provider, logged, answered } = underTest(
    {},
    { endpoints: [slowEmbed(fake.provider)], limits: { embed: 200 } },
  );
  const reported: string[] = [];
  const call = callOf({ onWait: (message) => reported.push(message) });
  const error = await thrownBy(provider.embed([{ id: 'a', text: 'x' }], 'query', call, never));
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, { phase: 'load', cold_start: true, timeout_ms: 200 });
  assert.match(error.hint, /is being loaded in the background/);
  assert.deepEqual(reported, ['the model is being loaded']);
  await until(() => answered() === 1, 'a caller that waits for the provider continues');
  assert.equal(fake.requested.warmUp, 1);
  assert.equal(await provider.loaded(never), true);
  assertEach(logged, ({ event }) => event, ['provider_warm']);
  rest.close();
});

/** Everything but `embed` is quick, as with a server that loads a model. */
function slowEmbed(provider: EmbeddingProvider, embedMs = 60_000): EmbeddingProvider {
  return {
    ...provider,
    embed: async (inputs, purpose, call, signal) => {
      call.trace.attempts += 1;
      call.trace.phase = 'headers';
      await pause(embedMs, undefined, { signal, ref: false });
      return provider.embed(inputs, purpose, callOf(), signal);
    },
  };
}

test('P23 a job checks the load state and warms up too', async () => {
  const { fake } = underTest({ loaded: false });
  const { provider } = underTest({}, { endpoints: [slowEmbed(fake.provider)], limits: { embed: 100 } });
  const error = await thrownBy(provider.embed([{ id: 'a', text: 'x' }], 'document', jobCall(), never));
  assert.partialDeepStrictEqual(error.details, { cold_start: true });
  await until(() => fake.requested.warmUp > 0, 'the warm-up');
  assert.equal(fake.requested.warmUp, 1);
});

test('a model that is loaded and hangs is not cold, and nothing is warmed up', async () => {
  for (const loaded of [true, undefined]) {
    const { fake } = underTest({ loaded });
    const { provider } = underTest({}, { endpoints: [slowEmbed(fake.provider)], limits: { embed: 100 } });
    const error = await thrownBy(provider.embed([{ id: 'a', text: 'x' }], 'query', callOf(), never));
    assert.partialDeepStrictEqual(error.details, { cold_start: false, phase: 'headers' });
    await pause(20);
    assert.deepEqual([fake.requested.loaded, fake.requested.warmUp], [1, 0]);
  }
});

test('a provider whose load state cannot be read fails with the original error', async () => {
  const { fake } = underTest({ down: true });
  const { provider } = underTest({}, { endpoints: [slowEmbed(fake.provider)], limits: { embed: 100 } });
  const error = await thrownBy(provider.embed([{ id: 'a', text: 'x' }], 'query', callOf(), never));
  assert.partialDeepStrictEqual(error.details, { cold_start: false });
});

test('one warm-up runs at a time; a failed one is logged with its code, and the next call starts another', async () => {
  const { warmUp, fake, logged } = underTest({ delayMs: 30 });
  warmUp();
  warmUp();
  await until(() => logged.length === 1, 'the warm-up ends');
  assert.equal(fake.requested.warmUp, 1);
  fake.failNext(providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' }));
  warmUp();
  await until(() => logged.length === 2, 'the second one fails');
  assert.deepEqual(
    logged.map(({ event, fields }) => [event, fields.code]),
    [
      ['provider_warm', undefined],
      ['provider_warm_up_failed', 'PROVIDER_MODEL_MISSING'],
    ],
  );
  warmUp();
  await until(() => fake.requested.warmUp > 2, 'a third one');
  assert.equal(fake.requested.warmUp, 3);
});

test('a warm-up has its own limit, and ends with the server', async () => {
  const { warmUp, fake, logged, close } = underTest({ hang: true }, { limits: { warmUp: 50 } });
  warmUp();
  await until(() => logged.length > 0, 'its limit');
  assertEach(logged, ({ fields }) => fields.code, ['PROVIDER_TIMEOUT']);
  warmUp();
  close();
  warmUp();
  await pause(120);
  assert.equal(logged.length, 1, 'the end of the server does not count as a failure');
  assert.equal(fake.requested.warmUp, 2);
});
