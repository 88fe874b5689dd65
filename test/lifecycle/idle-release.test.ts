// Memory is given back once in each idle time, and not while something happens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleRelease } from '../../src/lifecycle/idle-release.ts';

const CHECK_MS = 20;

test('once without activity, and again after the next activity', async () => {
  let calls = 0;
  let next = Promise.withResolvers<number>();
  const idle = new IdleRelease(
    { activity: () => String(calls), release: async () => next.resolve(calls), wake: () => undefined },
    CHECK_MS,
  );
  idle.start();
  assert.equal(await next.promise, 0);
  next = Promise.withResolvers();
  const isIdle = Promise.race([next.promise, sleep(10 * CHECK_MS, 'not released')]);
  assert.equal(await isIdle, 'not released');
  calls = 1;
  assert.equal(await next.promise, 1);
  idle.stop();
});

test('not while calls begin and end', async () => {
  let calls = 0;
  let releases = 0;
  const activity = () => {
    calls += 1;
    return String(calls);
  };
  const release = async () => {
    releases += 1;
  };
  const idle = new IdleRelease({ activity, release, wake: () => undefined }, CHECK_MS);
  idle.start();
  while (calls < 10) await sleep(CHECK_MS);
  idle.stop();
  assert.equal(releases, 0);
});

test('the first call after it wakes a thread, and the next ones do not', async () => {
  let wakes = 0;
  const released = Promise.withResolvers<void>();
  const wake = () => {
    wakes += 1;
  };
  const idle = new IdleRelease({ activity: () => '', release: async () => released.resolve(), wake }, CHECK_MS);
  idle.called();
  assert.equal(wakes, 0);
  idle.start();
  await released.promise;
  idle.stop();
  idle.called();
  idle.called();
  assert.equal(wakes, 1);
});
