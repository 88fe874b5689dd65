// Tests background writes: one at a time, everything once and in order, and no lost failure.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createWriteBehind } from '../../../src/indexing/embed/embed-notes.ts';

it('writes one at a time, everything once and in order', async () => {
  const written: number[] = [];
  let open = 0;
  const behind = createWriteBehind<number>(async (item) => {
    open += 1;
    assert.equal(open, 1);
    await sleep(2);
    written.push(item);
    open -= 1;
  });
  for (let item = 0; item < 20; item += 1) await behind.add(item);
  await behind.ended();
  assert.deepEqual(written, [...Array(20).keys()]);
  await behind.ended();
});

it('the caller continues during one write, and waits for a second', async () => {
  const gate = Promise.withResolvers<void>();
  const behind = createWriteBehind<number>(() => gate.promise);
  let added = 0;
  const filling = (async () => {
    for (; added < 20; added += 1) await behind.add(added);
  })();
  await sleep(5);
  assert.equal(added, 1);
  gate.resolve();
  await filling;
  await behind.ended();
});

it('a failure is thrown by the next add and at the end, and nothing more is written', async () => {
  let writes = 0;
  const failure = new VaultgraphError('INTERNAL', { kind: 'full' });
  const behind = createWriteBehind<number>(async () => {
    writes += 1;
    throw failure;
  });
  await behind.add(1);
  await sleep(1);
  await assert.rejects(behind.add(2), failure);
  await assert.rejects(behind.ended(), failure);
  assert.equal(writes, 1);
});
