import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { letOthersRun } from '../../../src/base/threads/turns.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('steps after long work wait until others have run, and short ones do not wait', async () => {
  await nextTurn();
  assert.equal(letOthersRun(), undefined);
  let others = 0;
  setImmediate(() => {
    others += 1;
  });
  work(5);
  const waiting = letOthersRun();
  assert.ok(waiting instanceof Promise);
  assert.equal(others, 0);
  await waiting;
  assert.equal(others, 1);
});

test('work right after a wait counts', async () => {
  letOthersRun();
  work(5);
  await letOthersRun();
  work(5);
  assert.ok(letOthersRun() instanceof Promise);
});

test('a loop of steps lets a timer fire, however long it lasts', async () => {
  let fired = 0;
  const timer = setInterval(() => {
    fired += 1;
  }, 1);
  for (let step = 0; step < 100; step += 1) {
    work(1);
    await letOthersRun();
  }
  clearInterval(timer);
  assert.ok(fired > 10, `it fired ${fired} times`);
});

test('an aborted signal ends long work at its next wait, with its reason', async () => {
  await nextTurn();
  const signal = AbortSignal.abort(new Error('the reason'));
  assert.equal(letOthersRun(signal), undefined, 'a short step does not look at it');
  work(5);
  assert.throws(() => letOthersRun(signal), /the reason/);
});
