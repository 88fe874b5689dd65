import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { queueLayer } from '../../../src/lifecycle/resilience/layers.ts';
import { settle } from './hand-clock.ts';
import { callOf, jobCall, never, thrownBy } from './under-test.ts';

/** Requests that end on demand. */
function gate() {
  const layer = queueLayer();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const send = (name: string, call = callOf(), signal = never): Promise<string> =>
    layer(
      () =>
        new Promise<string>((resolve) => {
          begun.push(name);
          ends.set(name, () => resolve(name));
        }),
      call,
      signal,
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { send, begun, end };
}

test('two requests run at a time, and the others start in order of arrival', async () => {
  const { send, begun, end } = gate();
  const all = ['a', 'b', 'c', 'd'].map((name) => send(name));
  await settle();
  assert.deepEqual(begun, ['a', 'b']);
  await end('b');
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await end('a');
  await end('c');
  await end('d');
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
});

test('a job uses two slots only while no call is under way, and calls go before it without waiting for it', async () => {
  const { send, begun, end } = gate();
  const jobs = ['job 1', 'job 2', 'job 3'].map((name) => send(name, jobCall()));
  await settle();
  assert.deepEqual(begun, ['job 1', 'job 2']);
  const calls = ['call 1', 'call 2'].map((name) => send(name));
  await settle();
  assert.deepEqual(begun, ['job 1', 'job 2', 'call 1'], 'a call waits for no second request of a job');
  await end('job 1');
  assert.equal(begun.length, 3, 'one request of the job and one call are under way');
  await end('job 2');
  assert.deepEqual(begun.slice(3), ['call 2'], 'the waiting call comes before the waiting job');
  await end('call 1');
  assert.deepEqual(begun.at(-1), 'job 3');
  await end('call 2');
  await end('job 3');
  await Promise.all([...jobs, ...calls]);
});

test('P22 only the ninth in the queue is refused, immediately', async () => {
  const { send, begun, end } = gate();
  const job = send('job', jobCall());
  const calls = Array.from({ length: 20 }, (_, at) => send(`call ${at}`));
  const outcomes = Promise.allSettled(calls);
  await settle();
  assert.deepEqual(begun, ['job', 'call 0']);
  await end('job');
  await job;
  for (let at = 0; at < 9; at += 1) await end(`call ${at}`);
  const ended = await outcomes;
  const refused = ended.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
  assert.equal(ended.length - refused.length, 9, 'one was under way, eight were waiting');
  for (const error of refused) {
    assert.equal(error.code, 'OVERLOADED');
    assert.deepEqual(error.details, { queued: 8, limit: 8 });
    assert.ok(error.retryable);
  }
});

test('jobs wait without a limit', async () => {
  const { send, begun, end } = gate();
  const jobs = Array.from({ length: 30 }, (_, at) => send(`job ${at}`, jobCall()));
  for (let at = 0; at < 30; at += 1) {
    await settle();
    await end(`job ${at}`);
  }
  assert.equal((await Promise.all(jobs)).length, 30);
  assert.equal(begun.length, 30);
});

test('a cancelled waiter leaves the queue, and the next one proceeds', async () => {
  const { send, begun, end } = gate();
  const first = [send('a'), send('b')];
  const stop = new AbortController();
  const given = send('c', callOf(), stop.signal);
  const behind = send('d');
  await settle();
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  stop.abort(reason);
  assert.equal(await thrownBy(given), reason);
  await end('a');
  assert.deepEqual(begun, ['a', 'b', 'd']);
  await end('b');
  await end('d');
  await Promise.all([...first, behind]);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});

test('a failed request frees its slot, and the phase of a waiting call is the queue', async () => {
  const layer = queueLayer();
  const call = callOf();
  call.trace.phase = 'body';
  const fail = async (): Promise<never> => {
    assert.equal(call.trace.phase, 'queue');
    throw new VaultgraphError('INTERNAL', { kind: 'no' });
  };
  for (let at = 0; at < 5; at += 1) assert.equal((await thrownBy(layer(fail, call, never))).code, 'INTERNAL');
});
