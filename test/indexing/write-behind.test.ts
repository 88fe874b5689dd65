// Writes behind the caller's back: one at a time, everything once and in order, and no failure unseen.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../src/base/errors.ts';
import { createWriteBehind } from '../../src/indexing/write-behind.ts';

it('writes one at a time, in order, and what waits together', async () => {
  const written: number[][] = [];
  let open = 0;
  const behind = createWriteBehind<number>(async (items) => {
    open += 1;
    assert.equal(open, 1);
    await sleep(5);
    written.push([...items]);
    open -= 1;
  });
  for (let item = 0; item < 20; item += 1) await behind.add(item);
  await behind.ended();
  assert.deepEqual(written.flat(), [...Array(20).keys()]);
  assert.ok(written.length < 20);
  await behind.ended();
});

it('holds its caller up when too much waits', async () => {
  const gate = Promise.withResolvers<void>();
  const behind = createWriteBehind<number>(() => gate.promise);
  let added = 0;
  const filling = (async () => {
    for (; added < 20; added += 1) await behind.add(added);
  })();
  await sleep(5);
  assert.ok(added < 10, String(added));
  gate.resolve();
  await filling;
  await behind.ended();
});

it('tells a failure to whoever adds next, and at the end, and writes nothing more', async () => {
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
