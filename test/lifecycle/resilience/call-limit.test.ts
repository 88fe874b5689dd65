import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { callLimit, promptly } from '../../../src/lifecycle/resilience/layers.ts';
import { createAlarm, SYSTEM_CLOCK } from '../../../src/lifecycle/resilience/retry.ts';
import { handClock, settle } from './hand-clock.ts';
import { callOf, jobCall, never, thrownBy } from './under-test.ts';

const NAME = { capability: 'embedding', provider: 'fake', model: 'm', endpoint: 'http://127.0.0.1:1' } as const;
const forever = (_: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('the time left inside a call is the lesser of the limit and the caller’s time', async () => {
  const inside = (timeoutMs: number, call = callOf()) =>
    callLimit(NAME, timeoutMs)(async ({ msLeft }) => msLeft(), call, never);
  const near = (found: number, wanted: number) => assert.ok(found <= wanted && found > wanted - 1_500, `${found}`);
  near(await inside(5_000), 5_000);
  near(await inside(5_000, callOf({ msLeft: () => 2_000 })), 2_000);
  near(await inside(5_000, jobCall()), 5_000);
  assert.equal(await inside(Number.POSITIVE_INFINITY, jobCall()), Number.POSITIVE_INFINITY);
});

test('the error has the phase and the attempts of this request, and aborts the request as its reason', async () => {
  const call = callOf();
  call.trace.attempts = 3;
  let reason: unknown;
  const error = await thrownBy(
    callLimit(NAME, 30)(
      (inner, signal) => {
        inner.trace.attempts += 1;
        inner.trace.phase = 'body';
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return forever(inner, signal);
      },
      call,
      never,
    ),
  );
  assert.equal(reason, error);
  const { elapsed_ms, ...details } = (error as VaultgraphError<'PROVIDER_TIMEOUT'>).details;
  assert.ok(elapsed_ms >= 25);
  assert.deepEqual(details, {
    ...NAME,
    ...{ attempts: 1, level: 'call', phase: 'body', timeout_ms: 30, clipped: false, cold_start: false },
  });
});

test('a provider that ignores aborts delays no caller, and its late answer is counted once', async () => {
  let late = 0;
  const layer = promptly(NAME, () => {
    late += 1;
  });
  const stop = new AbortController();
  const { promise: answer, resolve: release } = Promise.withResolvers<string>();
  const deaf = thrownBy(layer(() => answer, callOf(), stop.signal));
  const obedient = thrownBy(layer(forever, callOf(), stop.signal));
  stop.abort('gone');
  assert.deepEqual([await deaf, await obedient], ['gone', 'gone']);
  assert.equal(late, 0);
  release('answer');
  await settle();
  assert.equal(late, 1);
  assert.equal(await layer(async () => 'in time', callOf(), never), 'in time');
});

test('an alarm ends all current waits and no later ones', async () => {
  const clock = handClock();
  const alarm = createAlarm(clock);
  const rung: string[] = [];
  const ended: string[] = [];
  const rest = (name: string, signal = never) =>
    alarm.rest(1_000, signal, () => rung.push(name)).then(() => ended.push(name));
  const stop = new AbortController();
  const rests = [rest('a'), rest('b'), rest('aborted', stop.signal)];
  stop.abort('gone');
  await settle();
  assert.deepEqual([rung, ended], [[], ['aborted']]);
  alarm.ring();
  assert.deepEqual(rung, ['a', 'b']);
  await Promise.all(rests);
  const later = rest('c');
  await clock.move(999);
  assert.equal(ended.includes('c'), false);
  await clock.move(1);
  await later;
  assert.deepEqual(rung, ['a', 'b']);
});

test('the system clock sleeps for the given time or until the abort', async () => {
  const began = SYSTEM_CLOCK.now();
  await SYSTEM_CLOCK.sleep(30, never);
  assert.ok(SYSTEM_CLOCK.now() - began >= 28);
  const stop = new AbortController();
  const sleeping = SYSTEM_CLOCK.sleep(60_000, stop.signal);
  stop.abort();
  await sleeping;
  await SYSTEM_CLOCK.sleep(60_000, stop.signal);
  for (let at = 0; at < 100; at += 1) assert.ok(SYSTEM_CLOCK.random() >= 0 && SYSTEM_CLOCK.random() < 1);
});
