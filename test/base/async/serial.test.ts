// Checks the order of work that runs one at a time, failures and aborted waits included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Serial } from '../../../src/base/async/serial.ts';

test('work runs one at a time in the order of the calls, also after a failure', async () => {
  const serial = new Serial();
  const steps: string[] = [];
  const step = (name: string, fails = false) =>
    serial.run(async () => {
      steps.push(`${name} begins`);
      await turn();
      steps.push(`${name} ends`);
      if (fails) throw new RangeError(name);
      return name;
    });
  const [one, two, three] = await Promise.allSettled([step('one'), step('two', true), step('three')]);
  assert.deepEqual(
    steps,
    ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  assert.deepEqual([one.status, two.status, three.status], ['fulfilled', 'rejected', 'fulfilled']);
});

test('an abort ends the wait: the work never begins, and what was called later keeps its turn', async () => {
  const serial = new Serial();
  const first = Promise.withResolvers<void>();
  const running = serial.run(() => first.promise);
  const stop = new AbortController();
  let hasRun = false;
  const waiting = serial.run(() => {
    hasRun = true;
  }, stop.signal);
  const later = serial.run(() => 'later');
  stop.abort(new RangeError('stopped'));
  await assert.rejects(waiting, RangeError);
  first.resolve();
  await running;
  assert.equal(await later, 'later');
  assert.equal(hasRun, false);
});

test('idle waits for all work so far, failed work included', async () => {
  const serial = new Serial();
  let ended = 0;
  const work = async () => {
    await turn();
    ended += 1;
    throw new RangeError('fails');
  };
  const all = [serial.run(work), serial.run(work)].map((each) => assert.rejects(each, RangeError));
  await serial.idle();
  assert.equal(ended, 2);
  await Promise.all(all);
});
