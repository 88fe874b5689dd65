// Memory is given back once in each idle time, and not while something happens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleRelease } from '../../src/lifecycle/idle-release.ts';

const CHECK_MS = 20;
/** Longer than the test takes. */
const MAX_WAIT_MS = 60_000;
const quiet = { activity: () => '', isBusy: () => false, release: async () => undefined, wake: () => undefined };

test('once without activity, and again after the next activity', async () => {
  let calls = 0;
  let next = Promise.withResolvers<number>();
  const idle = new IdleRelease(
    { ...quiet, activity: () => String(calls), release: async () => next.resolve(calls) },
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
  const idle = new IdleRelease({ ...quiet, activity, release }, CHECK_MS);
  idle.start();
  while (calls < 10) await sleep(CHECK_MS);
  idle.stop();
  assert.equal(releases, 0);
});

test('calls wake a thread from time to time, and those that follow closely do not', async () => {
  let wakes = 0;
  const wake = () => {
    wakes += 1;
  };
  const idle = new IdleRelease({ ...quiet, wake }, MAX_WAIT_MS);
  idle.called();
  assert.equal(wakes, 0, 'a command needs no thread that watches');
  idle.start();
  idle.called();
  idle.called();
  assert.equal(wakes, 0, 'one has just started');
  idle.stop();
  const later = new IdleRelease({ ...quiet, wake }, CHECK_MS);
  later.start();
  await sleep(2 * CHECK_MS);
  later.called();
  later.called();
  later.stop();
  assert.equal(wakes, 1);
});

test('while a call is in progress a thread is kept, and nothing is released', async () => {
  const woken = Promise.withResolvers<void>();
  let wakes = 0;
  let releases = 0;
  const wake = () => {
    wakes += 1;
    if (wakes === 10) woken.resolve();
  };
  const release = async () => {
    releases += 1;
  };
  const idle = new IdleRelease({ ...quiet, isBusy: () => true, release, wake }, CHECK_MS);
  idle.start();
  await woken.promise;
  idle.stop();
  assert.equal(releases, 0);
});
