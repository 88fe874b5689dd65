// Work over one thing goes on in turn, and neither a failure nor a caller who leaves holds up the next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../../../src/features/write/run-write.ts';

const never = new AbortController().signal;

test('one after the other in the order of asking, and beside what is over another thing', async () => {
  const [one, other] = [{}, {}];
  const seen: string[] = [];
  const work = (name: string, ms: number) => async () => {
    seen.push(`${name} begins`);
    await sleep(ms);
    seen.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([
    inTurn(one, never, work('first', 30)),
    inTurn(one, never, work('second', 1)),
    inTurn(other, never, work('beside', 1)),
  ]);
  assert.deepEqual(results, ['first', 'second', 'beside']);
  assert.deepEqual(
    seen.filter((each) => !each.startsWith('beside')),
    ['first begins', 'first ends', 'second begins', 'second ends'],
  );
  assert.ok(seen.indexOf('beside ends') < seen.indexOf('first ends'));
});

test('who leaves while waiting is told why at once, and whoever waits behind still comes after the one before', async () => {
  const over = {};
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inTurn(over, never, async () => {
    await gate.promise;
    seen.push('first');
    throw new Error('it failed');
  });
  const leaving = new AbortController();
  const second = inTurn(over, leaving.signal, async () => seen.push('second'));
  const third = inTurn(over, never, async () => seen.push('third'));
  leaving.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  gate.resolve();
  await assert.rejects(first, /it failed/);
  await third;
  assert.deepEqual(seen, ['first', 'third']);
  await assert.rejects(
    inTurn(over, leaving.signal, async () => seen.push('never')),
    /gone/,
  );
  assert.equal(await inTurn(over, never, async () => 'next'), 'next');
});
