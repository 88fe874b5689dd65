import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { SYSTEM_CLOCK } from '../../../src/lifecycle/resilience/retry.ts';
import { assertEach } from '../../assert-each.ts';
import { embeddingLaws } from '../../contracts/embedding.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { settle } from './hand-clock.ts';
import { callOf, jobCall, thrownBy, underTest } from './under-test.ts';

const unavailable = () => providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });
const busy = (waitMs?: number) => providerFailure('PROVIDER_BUSY', { source: 'queue full' }, {}, waitMs);

embeddingLaws('the provider behind its layers', async () => {
  const settings = { retry: { attempts: 1, jobAttempts: 1 } };
  const { provider, fake, close } = underTest({ endpoint: 'http://127.0.0.1:11434' }, { settings });
  return {
    provider,
    hang: () => fake.become({ hang: true }),
    fail: () => fake.become({ down: true }),
    heal: () => fake.become({ hang: false, down: false }),
    close: async () => close(),
  };
});

test('P1 an unreachable provider fails a call after two attempts, and the error has both and the total time', async () => {
  const { embed, fake, clock, counted, logged, answered } = underTest({ down: true });
  const call = callOf();
  const failed = thrownBy(embed(call));
  await clock.move(1_000);
  const error = await failed;
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  const { attempts, elapsed_ms, cause_code } = error.details as Record<string, number>;
  assert.deepEqual([attempts, cause_code], [2, 'ECONNREFUSED']);
  assert.ok((elapsed_ms ?? 0) >= 150 && (elapsed_ms ?? 0) <= 400, 'the wait is in it');
  assert.match(error.message, /^cannot reach .+ \(connection refused\)$/);
  assert.ok(error.actions.some((action) => action.kind === 'tool_call' && action.tool === 'search_text'));
  assert.equal(fake.requests.length, 2);
  assert.equal(call.trace.attempts, 2);
  assert.deepEqual(counted, ['retries_total{fake,PROVIDER_UNAVAILABLE}']);
  assertEach(logged, ({ event }) => event, ['provider_retry']);
  assert.equal(answered(), 0);
});

test('P1 the same with the real clock', async () => {
  const { embed } = underTest({ down: true }, { clock: SYSTEM_CLOCK });
  const error = await thrownBy(embed());
  assert.deepEqual([error.code, (error.details as { attempts: number }).attempts], ['PROVIDER_UNAVAILABLE', 2]);
});

test('P6 busy once: the second attempt succeeds, and the wait is reported', async () => {
  const { embed, fake, clock, answered } = underTest();
  fake.failNext(busy());
  const reported: string[] = [];
  const call = callOf({ onWait: (message) => reported.push(message) });
  const answer = embed(call);
  await settle();
  assert.equal(call.trace.phase, 'backoff');
  await clock.move(5_000);
  assert.equal((await answer).succeeded.length, 1);
  assert.deepEqual(reported, ['retry 2/2: server busy']);
  assert.equal(call.trace.attempts, 2);
  assertEach(call.trace.retries, ({ code }) => code, ['PROVIDER_BUSY']);
  assert.ok((call.trace.retries[0]?.waited_ms ?? 0) >= 200);
  assert.equal(answered(), 1);
});

test('P6 always busy: PROVIDER_BUSY with the wait that the server sent', async () => {
  const { embed, fake, clock } = underTest();
  fake.failNext(busy(), busy(7_000));
  const failed = thrownBy(embed());
  await clock.move(5_000);
  const error = await failed;
  assert.deepEqual([error.code, error.retryAfterMs, error.retryable], ['PROVIDER_BUSY', 7_000, true]);
  assert.equal((error.details as { attempts: number }).attempts, 2);
  assert.equal(fake.requests.length, 2);
});

test('P6 busy twice in a job: it succeeds, and each wait is reported with its code', async () => {
  const { embed, fake, clock } = underTest();
  fake.failNext(busy(), busy());
  const waits: unknown[] = [];
  const call = jobCall();
  const reported = { ...call, onWait: (message: string) => waits.push([message, call.trace.retries.at(-1)?.code]) };
  const answer = embed(reported);
  await clock.move(60_000);
  assert.equal((await answer).succeeded.length, 1);
  assert.deepEqual(waits, [
    ['retry 2/5: server busy', 'PROVIDER_BUSY'],
    ['retry 3/5: server busy', 'PROVIDER_BUSY'],
  ]);
  assert.equal(call.trace.attempts, 3);
});

test('P7 a wait that is too long for a call is not started, and the error has it', async () => {
  const { embed, fake } = underTest();
  const source = 'slow down';
  fake.failNext(providerFailure('PROVIDER_RATE_LIMITED', { source }, {}, 86_400_000));
  const error = await thrownBy(embed());
  assert.deepEqual([error.code, error.retryAfterMs], ['PROVIDER_RATE_LIMITED', 86_400_000]);
  assert.equal(fake.requests.length, 1);
});

test('P7 a wait of two seconds is kept exactly', async () => {
  const { embed, fake, clock } = underTest({}, { limits: { embed: 30_000 } });
  fake.failNext(busy(2_000));
  const answer = embed();
  await settle();
  assert.deepEqual(clock.waits(), [2_000]);
  await clock.move(1_999);
  assert.equal(fake.requests.length, 1);
  await clock.move(1);
  assert.equal((await answer).succeeded.length, 1);
});

test('P8 a server that always fails is tried twice, and its last error is returned', async () => {
  const { embed, fake, clock } = underTest();
  const failing = (said: string) => providerFailure('PROVIDER_ERROR', { status: 500, said });
  fake.failNext(failing('first'), failing('model not found'));
  const failed = thrownBy(embed());
  await clock.move(5_000);
  const error = await failed;
  assert.equal(error.code, 'PROVIDER_ERROR');
  assert.match(error.message, /model not found/);
});

test('P4 a hanging provider ends at the limit with its phase, and its request is aborted', async () => {
  const { embed, fake, counted } = underTest({ hang: true }, { limits: { embed: 200 } });
  const began = performance.now();
  const error = await thrownBy(embed());
  const elapsed = performance.now() - began;
  assert.ok(elapsed >= 180, `${elapsed}`);
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, {
    ...{ phase: 'headers', timeout_ms: 200, clipped: false, cold_start: false },
    ...{ attempts: 1, model: 'hashed-words', level: 'call' },
  });
  assert.equal(fake.requests.length, 1, 'a timeout is not tried again');
  assert.deepEqual(counted, []);
});

test('a call with less time than the limit ends at its own deadline, and the error says so', async () => {
  const { embed } = underTest({ hang: true }, { limits: { embed: 5_000 } });
  const error = await thrownBy(embed(callOf({ msLeft: () => 60 })));
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, { timeout_ms: 60, clipped: true });
  const gone = await thrownBy(embed(callOf({ msLeft: () => 0 })));
  assert.partialDeepStrictEqual(gone.details, { clipped: true });
});

test('attempts, waits and the queue of a call share its one limit', async () => {
  const { embed, fake } = underTest({ hang: true }, { limits: { embed: 300 } });
  const hanging = [thrownBy(embed()), thrownBy(embed())];
  const queued = await thrownBy(embed(callOf({ msLeft: () => 100 })));
  assert.partialDeepStrictEqual(queued.details, { phase: 'queue', attempts: 0 });
  await Promise.all(hanging);
  assert.equal(fake.requests.length, 2, 'what never got its turn was never sent');
  const waiting = underTest({}, { limits: { embed: 4_000 } });
  waiting.fake.failNext(busy(4_500));
  assert.equal((await thrownBy(waiting.embed(callOf({ msLeft: () => 3_000 })))).code, 'PROVIDER_BUSY');
});

test('in a job each attempt has the whole limit, and time in the queue does not count', async () => {
  const { embed, fake } = underTest({ delayMs: 600 }, { limits: { embed: 1_700 } });
  const jobs = await Promise.all(Array.from({ length: 5 }, () => embed(jobCall())));
  assert.ok(jobs.every(({ succeeded }) => succeeded.length === 1));
  fake.become({ hang: true });
  const error = await thrownBy(embed(jobCall()));
  assert.partialDeepStrictEqual(error.details, { phase: 'headers', timeout_ms: 1_700, clipped: false });
});

test('P22 twenty concurrent calls and a job: some are served, the rest are OVERLOADED, and the job continues', async () => {
  const { embed, fake } = underTest({ delayMs: 5 });
  const job = embed(jobCall());
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => embed()));
  const refused = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(
    refused,
    Array.from({ length: 11 }, () => 'OVERLOADED'),
  );
  assert.equal((await job).succeeded.length, 1);
  assert.equal(fake.requests.length, 10);
  const late = [embed(jobCall()), embed(jobCall()), embed(jobCall()), embed(), embed()];
  await Promise.all(late);
  const order = fake.requests.slice(10).map(({ priority }) => priority);
  assert.ok(order.lastIndexOf('interactive') < order.lastIndexOf('background'), order.join());
});

test('P27 an answer after the end of its call is dropped and counted', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const deaf: EmbeddingProvider['embed'] = async (_inputs, _purpose, { trace }) => {
    trace.phase = 'body';
    return released.then(() => ({ succeeded: [], failed: [] }));
  };
  const provider: EmbeddingProvider = { ...underTest().fake.provider, embed: deaf };
  const { embed, counted, answered } = underTest({}, { endpoints: [provider], limits: { embed: 30 } });
  const error = await thrownBy(embed());
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, { phase: 'body' });
  const stop = new AbortController();
  const cancelled = thrownBy(embed(callOf(), stop.signal));
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  stop.abort(reason);
  assert.equal(await cancelled, reason);
  assert.deepEqual(counted, []);
  release();
  await settle();
  assert.deepEqual(counted, ['late_results_dropped', 'late_results_dropped']);
  assert.equal(answered(), 0);
});

test('a success of another call ends a back-off immediately', async () => {
  const { embed, fake, clock } = underTest();
  fake.failNext(unavailable());
  const call = jobCall();
  const job = embed(call);
  await settle();
  assert.deepEqual(clock.waits().length, 1);
  assert.equal(call.trace.phase, 'backoff');
  await embed();
  assert.equal((await job).succeeded.length, 1);
  assert.ok((call.trace.retries[0]?.waited_ms ?? 500) < 500, 'it did not wait to the end');
});

test('a job waits ten minutes for an unreachable provider, then fails with the number of attempts', async () => {
  const { embed, fake, clock } = underTest({ down: true });
  const failed = thrownBy(embed(jobCall()));
  await clock.move(590_000);
  const tried = fake.requests.length;
  assert.ok(tried > 15);
  await clock.move(60_000);
  const error = await failed;
  assert.equal(error.code, 'PROVIDER_UNAVAILABLE');
  assert.equal((error.details as { attempts: number }).attempts, fake.requests.length);
  const once = underTest({ down: true }, { settings: { retry: { attempts: 2, jobAttempts: 1 } } });
  await thrownBy(once.embed(jobCall()));
  assert.equal(once.fake.requests.length, 1);
});

test('a cancel ends a call in the queue, in a wait and in a request', async () => {
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  const { embed, fake } = underTest();
  fake.failNext(busy());
  const stop = new AbortController();
  const waiting = thrownBy(embed(callOf(), stop.signal));
  await settle();
  stop.abort(reason);
  assert.equal(await waiting, reason);
  fake.become({ hang: true });
  const stops = [new AbortController(), new AbortController(), new AbortController()];
  const calls = stops.map(({ signal }) => thrownBy(embed(callOf(), signal)));
  await settle();
  for (const each of stops) each.abort(reason);
  assert.deepEqual(await Promise.all(calls), [reason, reason, reason]);
  assert.equal(fake.requests.length, 3);
  fake.become({ hang: false });
  assert.equal((await embed()).succeeded.length, 1);
});

test('2,000 calls leave no listener on a long-lived signal', async () => {
  const { embed, fake } = underTest({}, { settings: { retry: { attempts: 1, jobAttempts: 1 } } });
  const process = new AbortController();
  for (let at = 0; at < 1_000; at += 1) {
    await embed(callOf(), process.signal);
    fake.failNext(busy());
    await thrownBy(embed(jobCall(), process.signal));
  }
  assert.equal(getEventListeners(process.signal, 'abort').length, 0);
});

test('P21 in the whole stack the breaker counts calls, not attempts, and refuses before the queue', async () => {
  const breaker = { enabled: true, failures: 2, cooldown: 15_000 };
  const { embed, fake, clock, notes } = underTest({ down: true }, { settings: { breaker } });
  for (let at = 0; at < 2; at += 1) {
    const failed = thrownBy(embed());
    await clock.move(1_000);
    assert.equal((await failed).code, 'PROVIDER_UNAVAILABLE');
  }
  assert.equal(fake.requests.length, 4);
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal((await thrownBy(embed(jobCall()))).code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal(fake.requests.length, 4);
  assert.match(notes().join(), /breaker open/);
  fake.become({ down: false });
  await clock.move(15_000);
  assert.equal((await embed()).succeeded.length, 1);
  assert.deepEqual(notes(), []);
});

test('P21 a hanging provider opens the breaker too, and releases its trial', async () => {
  const breaker = { enabled: true, failures: 1, cooldown: 1_000 };
  const { embed, fake, clock } = underTest({ hang: true }, { settings: { breaker }, limits: { embed: 40 } });
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_TIMEOUT');
  await settle();
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_CIRCUIT_OPEN');
  await clock.move(1_000);
  assert.equal((await thrownBy(embed())).code, 'PROVIDER_TIMEOUT');
  fake.become({ hang: false });
  await clock.move(1_000);
  assert.equal((await embed()).succeeded.length, 1);
});
