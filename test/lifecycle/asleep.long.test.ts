// A machine that sleeps, or a process that is stopped, in the middle of work with a limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { VaultgraphError } from '../../src/base/errors.ts';
import { guardProvider } from '../../src/lifecycle/guard.ts';

interface Slow {
  work(signal: AbortSignal): Promise<string>;
}

/** No timer runs meanwhile, as in a process that is stopped. */
const sleepAll = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('work that a sleep of the machine interrupts goes on after it, and still has its limit', async () => {
  const guarded = (steps: number) =>
    guardProvider<Slow>(
      { capability: 'store', type: 'sample' },
      {
        work: async (signal) => {
          for (let step = 0; step < steps && !signal.aborted; step += 1) await pause(20);
          signal.throwIfAborted();
          return 'done';
        },
      },
      { work: 2_000 },
      () => undefined,
    );
  const { signal } = new AbortController();
  const ending = guarded(10).work(signal);
  const endless = guarded(Number.POSITIVE_INFINITY).work(signal);
  sleepAll(8_000);
  assert.equal(await ending, 'done');
  await assert.rejects(endless, (thrown) => thrown instanceof VaultgraphError && thrown.code === 'STORE_BUSY');
});
