import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createBreaker } from '../../../src/lifecycle/resilience/breaker.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { handClock } from './hand-clock.ts';
import { callOf, never, thrownBy } from './under-test.ts';

const NAME = { capability: 'embedding', provider: 'fake', model: 'm' } as const;
const down = () => providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });

function breakerOf(failures = 3, enabled = true) {
  const clock = handClock();
  const breaker = createBreaker({ enabled, failures, cooldown: 15_000 }, NAME, clock);
  let sent = 0;
  const send = (outcome: unknown, signal = never, proves = true) =>
    breaker.layer(proves)(
      async () => {
        sent += 1;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      callOf(),
      signal,
    );
  return { ...breaker, clock, send, sent: () => sent };
}

test('P21 after the configured failures the next call is refused immediately with the last cause, without a request', async () => {
  const { send, sent, note } = breakerOf(5);
  for (let at = 0; at < 5; at += 1) assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  const error = await thrownBy(send('an answer'));
  assert.equal(error.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal(sent(), 5);
  const { last_code, last_cause, attempts } = error.details as Record<string, unknown>;
  assert.deepEqual([last_code, attempts], ['PROVIDER_UNAVAILABLE', 0]);
  assert.match(String(last_cause), /connection refused/);
  assert.equal(error.retryAfterMs, 15_000);
  assert.match(note() ?? '', /^breaker open since \d{4}.*\[PROVIDER_UNAVAILABLE\]/);
});

test('P21 after the cool-down one call is let through, and its success closes the breaker', async () => {
  const { send, sent, clock, note } = breakerOf();
  for (let at = 0; at < 3; at += 1) await thrownBy(send(down()));
  await clock.move(14_999);
  assert.equal((await thrownBy(send('x'))).code, 'PROVIDER_CIRCUIT_OPEN');
  await clock.move(1);
  const trial = send('an answer');
  assert.equal((await thrownBy(send('x'))).code, 'PROVIDER_CIRCUIT_OPEN', 'one at a time');
  assert.equal(await trial, 'an answer');
  assert.equal(await send('another'), 'another');
  assert.equal(sent(), 5);
  assert.equal(note(), undefined);
});

test('P21 a failed trial restarts the cool-down', async () => {
  const { send, clock } = breakerOf();
  for (let at = 0; at < 3; at += 1) await thrownBy(send(down()));
  await clock.move(15_000);
  assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  await clock.move(14_999);
  assert.equal((await thrownBy(send('x'))).code, 'PROVIDER_CIRCUIT_OPEN');
  await clock.move(1);
  assert.equal(await send('x'), 'x');
});

test('a success resets the count, and so does the refusal of one input', async () => {
  const { send } = breakerOf();
  const item = providerFailure('PROVIDER_INPUT_TOO_LONG', {}, { level: 'item' });
  for (const between of ['fine', item]) {
    await thrownBy(send(down()));
    await thrownBy(send(down()));
    await Promise.allSettled([send(between)]);
  }
  assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  assert.equal(await send('still closed'), 'still closed');
});

test('only provider failures count, not cancels, a full queue or calls without time left', async () => {
  const { send } = breakerOf(1);
  const times = { phase: 'headers', timeout_ms: 5, clipped: true, cold_start: false };
  await thrownBy(send(new VaultgraphError('OVERLOADED', { queued: 9, limit: 8 })));
  await thrownBy(send(providerFailure('PROVIDER_TIMEOUT', times)));
  await thrownBy(send(providerFailure('PROVIDER_TIMEOUT', { ...times, clipped: false, phase: 'queue' })));
  const cancel = AbortSignal.abort(new VaultgraphError('CANCELLED', { committed: 'none' }));
  await thrownBy(send(down(), cancel));
  assert.equal(await send('fine'), 'fine');
  await thrownBy(send(providerFailure('PROVIDER_TIMEOUT', { ...times, clipped: false })));
  assert.equal((await thrownBy(send('x'))).code, 'PROVIDER_CIRCUIT_OPEN');
});

test('after a cancelled trial the next call is the trial', async () => {
  const { send, clock } = breakerOf(1);
  await thrownBy(send(down()));
  await clock.move(15_000);
  await thrownBy(send(down(), AbortSignal.abort(new VaultgraphError('CANCELLED', { committed: 'none' }))));
  assert.equal(await send('fine'), 'fine');
});

test('with the breaker off, each call sends a request', async () => {
  const { send, sent } = breakerOf(1, false);
  for (let at = 0; at < 9; at += 1) assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  assert.equal(sent(), 9);
});

test('P21 a provider whose status works but whose requests fail opens the breaker; only a successful request closes it', async () => {
  const { send, sent, clock } = breakerOf(2);
  const report = () => send('who I am', never, false);
  for (let at = 0; at < 2; at += 1) {
    assert.equal(await report(), 'who I am');
    assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  }
  assert.equal((await thrownBy(report())).code, 'PROVIDER_CIRCUIT_OPEN');
  await clock.move(15_001);
  assert.equal(await report(), 'who I am');
  assert.equal((await thrownBy(send(down()))).code, 'PROVIDER_UNAVAILABLE');
  assert.equal((await thrownBy(report())).code, 'PROVIDER_CIRCUIT_OPEN');
  assert.equal(sent(), 6);
});
