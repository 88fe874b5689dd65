// Tests how the young heap of the main thread grows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { collectGarbage, keepHeapsSmall } from '../../../src/base/system/memory.ts';
import { until } from '../../until.ts';

const MIB = 2 ** 20;
const young = (): number => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space')?.space_size ?? 0;

/** A tenth of it outlives a collection. */
async function makeGarbage(kept: object[]): Promise<void> {
  for (let at = 0; at < 40_000; at++) {
    const made = { at, list: [at, at] };
    if (at % 10 === 0) kept[kept.length % 20_000] = made;
  }
  await sleep(1);
}

test('a young heap grows to 4 MiB under load, and no further, also after all garbage was collected', async () => {
  for (const _ of ['first', 'second']) {
    keepHeapsSmall();
    await collectGarbage();
    assert.ok(young() < 4 * MIB);
    const kept: object[] = [];
    await until(async () => {
      await makeGarbage(kept);
      return young() >= 4 * MIB;
    }, 'a young heap of 4 MiB');
    for (let round = 0; round < 50; round++) await makeGarbage(kept);
    assert.equal(young(), 4 * MIB);
  }
});
