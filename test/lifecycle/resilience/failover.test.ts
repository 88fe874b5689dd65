import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type FakeSettings, identityOf, USUAL_SETTINGS } from '../../fakes/embedding-answers.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { settle } from './hand-clock.ts';
import { callOf, jobCall, never, thrownBy, underTest } from './under-test.ts';

const HERE = 'http://127.0.0.1:11434';
const THERE = 'http://127.0.0.1:11435';
const ONCE = { retry: { attempts: 1, jobAttempts: 1 } };

function twoEndpoints(other: Partial<FakeSettings> = {}, setting: Parameters<typeof underTest>[1] = {}) {
  const second = fakeEmbedding({ endpoint: THERE, ...other });
  const main = underTest({ endpoint: HERE }, { others: [second.provider], settings: ONCE, ...setting });
  return { ...main, second, identify: () => main.provider.identify(callOf(), never) };
}

test('P18 the same model at another endpoint answers for an unreachable one, and the answer names the endpoint', async () => {
  const { embed, fake, second, identify, notes } = twoEndpoints();
  assert.deepEqual(notes(), [`failover ${THERE}: not needed so far`]);
  const known = await identify();
  fake.become({ down: true });
  const call = callOf();
  assert.equal((await embed(call)).succeeded.length, 1);
  assert.deepEqual([call.trace.failedOver, call.trace.servedBy], [true, 'fake@127.0.0.1:11435']);
  assert.equal(call.trace.attempts, 2, 'the proof is no attempt');
  assert.deepEqual(await identify(), known);
  assert.match(notes().join(), /stood in for the first endpoint, last at \d{4}/);
  assert.ok(second.requests.length === 1 && fake.requests.length === 1);
});

test('P18 a model with another digest is refused with the original error, and the status says why', async () => {
  const { embed, fake, second, identify, notes, logged } = twoEndpoints({ digest: 'sha256:another' });
  await identify();
  fake.become({ down: true });
  const error = await thrownBy(embed());
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.equal((error.details as { endpoint: string }).endpoint, HERE);
  assert.deepEqual(second.requests, [], 'no text went there');
  assert.deepEqual(notes(), [`failover ${THERE}: refused: serves another model: digest`]);
  assert.ok(logged.some(({ event }) => event === 'failover_refused'));
});

test('P18 without a digest the sample vectors decide', async () => {
  const same = twoEndpoints({ digest: null });
  same.fake.become({ digest: null });
  await same.identify();
  same.fake.become({ down: true });
  assert.equal((await same.embed()).succeeded.length, 1);
  const other = twoEndpoints({ digest: null, documentPrefix: 'passage: ' });
  other.fake.become({ digest: null });
  await other.identify();
  other.fake.become({ down: true });
  assert.equal((await thrownBy(other.embed())).code, 'PROVIDER_UNAVAILABLE');
  assert.match(other.notes().join(), /documentPrefix, digest/);
});

test('an endpoint is verified with the stored vectors if the first never answered; without vectors it is not verified', async () => {
  const unknown = twoEndpoints();
  unknown.fake.become({ down: true });
  assert.equal((await thrownBy(unknown.embed())).code, 'PROVIDER_UNAVAILABLE');
  assert.match(unknown.notes().join(), /is not known yet/);
  assert.equal(unknown.second.requested.identify, 0);
  const stored = twoEndpoints({}, { hooks: { storedIdentity: async () => identityOf(USUAL_SETTINGS) } });
  stored.fake.become({ down: true });
  assert.equal((await stored.embed()).succeeded.length, 1);
});

test('an endpoint is verified once while the first is unreachable, and again after the first answered or the other failed', async () => {
  const { embed, fake, second, identify } = twoEndpoints();
  await identify();
  fake.become({ down: true });
  await embed();
  await embed();
  assert.equal(second.requested.identify, 1);
  fake.become({ down: false });
  await embed();
  fake.become({ down: true });
  await embed();
  assert.equal(second.requested.identify, 2);
  second.become({ down: true });
  await thrownBy(embed());
  second.become({ down: false, digest: 'sha256:re-pulled' });
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_UNAVAILABLE');
  assert.equal(second.requests.length, 4, 'three answers and the failure; nothing after the re-pull');
});

test('errors that another endpoint would not fix are not diverted, and one bad input is reported as such', async () => {
  const { embed, fake, second, identify } = twoEndpoints({ poison: { harbour: 'too long' } });
  await identify();
  for (const failure of [
    providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' }),
    providerFailure('PROVIDER_AUTH_FAILED', { status: 401 }),
    providerFailure('PROVIDER_INPUT_TOO_LONG', {}, { level: 'item' }),
  ]) {
    fake.failNext(failure);
    assert.equal(await thrownBy(embed()), failure);
  }
  assert.equal(second.requests.length, 0);
  fake.become({ down: true });
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_INPUT_TOO_LONG');
});

test('with both unreachable the error of the first is returned, and both are tried again', async () => {
  const settings = { retry: { attempts: 2, jobAttempts: 1 } };
  const { embed, fake, second, identify, clock, notes } = twoEndpoints({}, { settings });
  await identify();
  fake.become({ down: true });
  second.become({ down: true });
  const failed = thrownBy(embed());
  await clock.move(1_000);
  const error = await failed;
  assert.equal((error.details as { endpoint: string }).endpoint, HERE);
  assert.equal(fake.requests.length, 2);
  assert.equal(second.requested.identify, 2);
  assert.match(notes().join(), /failed too: \[PROVIDER_UNAVAILABLE\]/);
});

test('an endpoint that hangs leaves the next its share of the time, in calls and jobs', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  for (const call of [callOf(), jobCall()]) {
    const { embed, fake, identify } = twoEndpoints({}, { limits: { embed: 40_000 } });
    await identify();
    fake.become({ hang: true });
    let hasEnded = false;
    const answer = embed(call).finally(() => {
      hasEnded = true;
    });
    await settle();
    mock.timers.tick(10_000);
    await settle();
    assert.equal(hasEnded, false, 'the first one has its share too');
    mock.timers.tick(10_000);
    assert.equal((await answer).succeeded.length, 1);
    assert.equal(call.trace.failedOver, true);
  }
});

test('two endpoints that hang end at the limit of the call', async () => {
  const { embed, fake, second, identify } = twoEndpoints({}, { limits: { embed: 300 } });
  await identify();
  fake.become({ hang: true });
  second.become({ hang: true });
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_TIMEOUT');
});

test('of several endpoints the next one with the same model answers', async () => {
  const wrong = fakeEmbedding({ endpoint: THERE, digest: 'sha256:another' });
  const right = fakeEmbedding({ endpoint: 'http://127.0.0.1:11436' });
  const main = underTest({ endpoint: HERE }, { others: [wrong.provider, right.provider], settings: ONCE });
  await main.provider.identify(callOf(), never);
  main.fake.become({ down: true });
  const call = callOf();
  await main.embed(call);
  assert.equal(call.trace.servedBy, 'fake@127.0.0.1:11436');
});
