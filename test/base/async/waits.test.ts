import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { untilAborted } from '../../../src/base/async/waits.ts';

const [stop, other] = [new AbortController(), new AbortController()];
const signals = [stop.signal, other.signal];
const listening = () => signals.map((signal) => getEventListeners(signal, 'abort').length);

test('settles as the work does and leaves no listener', async () => {
  const failure = new RangeError('work failed');
  const succeeding = untilAborted(Promise.resolve(7), ...signals);
  assert.deepEqual(listening(), [1, 1]);
  assert.equal(await succeeding, 7);
  await assert.rejects(untilAborted(Promise.reject(failure), ...signals), (thrown) => thrown === failure);
  assert.deepEqual(listening(), [0, 0]);
});

test('rejects with the reason of the first signal to abort, whatever the work does later', async () => {
  const work = Promise.withResolvers<never>();
  const given = untilAborted(work.promise, ...signals);
  const reason = new Error('enough');
  other.abort(reason);
  await assert.rejects(given, (thrown) => thrown === reason);
  assert.deepEqual(listening(), [0, 0]);
  work.reject(new Error('no caller waits for this one'));
  await assert.rejects(untilAborted(Promise.resolve(7), ...signals), (thrown) => thrown === reason);
});
