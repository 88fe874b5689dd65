// File threads on a disk that hangs: real threads that wait until a gate opens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { NotePath } from '../../../src/base/note.ts';
import type { Vault } from '../../../src/contracts/vault.ts';
import { FileThreadPool } from '../../../src/providers/filesystem/file-threads.ts';
import { createFolderVault } from '../../../src/providers/filesystem/folder-vault.ts';
import { until } from '../../until.ts';

const SCRIPT = new URL('./hanging-thread.ts', import.meta.url);
/** Longer than a thread takes to start on a busy machine. */
const PATIENCE_MS = 4_000;
/** Makes a broken test fail instead of hanging the run. */
const MAX_TEST_MS = 120_000;
const { signal } = new AbortController();
const notWatched = async (): Promise<never> => assert.fail('there is no watch here');
const neverAsked = async (): Promise<never> => assert.fail('no earlier text is read here');
const unavailable = { code: 'VAULT_UNAVAILABLE', message: /ETIMEDOUT/ };
const paths = (...given: string[]): NotePath[] => given as NotePath[];

interface Hanging {
  readonly threads: FileThreadPool;
  readonly vault: Vault;
  /** Releases everything that hangs. */
  open(): void;
  /** How many files have been read. */
  read(): number;
}

function hanging(title: string, check: (on: Hanging) => Promise<void>, idleMs?: number): void {
  it(title, { timeout: MAX_TEST_MS }, async () => {
    const gate = new Int32Array(new SharedArrayBuffer(8));
    const threads = new FileThreadPool(SCRIPT, { gate }, PATIENCE_MS, 3, idleMs);
    const open = (): void => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    };
    try {
      await check({
        threads,
        vault: createFolderVault({ name: 'hanging', access: 'read-only', earlier: neverAsked }, threads, notWatched),
        open,
        read: () => Atomics.load(gate, 1),
      });
    } finally {
      open();
      await threads.close();
    }
  });
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

const IDLE_MS = 20;
/** Longer than the test takes. */
const LONG_IDLE_MS = 600_000;

function countThreads() {
  const alive = new Set<Worker>();
  const remember = (worker: Worker): void => {
    alive.add(worker);
    worker.once('exit', () => alive.delete(worker));
  };
  process.on('worker', remember);
  return { alive, forget: () => process.off('worker', remember) };
}

describe('threads without a task', () => {
  hanging(
    'they end, one that hangs stays, and the next task starts a thread again',
    async ({ vault }) => {
      const { alive, forget } = countThreads();
      const hangs = vault.read(paths('hang.md'), signal);
      await vault.read(paths('a.md'), signal);
      assert.ok(alive.size >= 1);
      await until(() => alive.size === 1, 'only the thread that hangs is left');
      assert.deepEqual(idsOf((await vault.read(paths('b.md'), signal)).succeeded), ['b.md']);
      assert.deepEqual(idsOf((await hangs).failed), ['hang.md']);
      forget();
    },
    IDLE_MS,
  );

  hanging(
    'those that were started for several calls at once end long before the first one',
    async ({ vault, open }) => {
      const { alive, forget } = countThreads();
      const slow = vault.read(paths('slow.md'), signal);
      await vault.read(paths('a.md'), signal);
      assert.equal(alive.size, 2);
      open();
      await slow;
      await until(() => alive.size === 1, 'one thread is left');
      assert.deepEqual(idsOf((await vault.read(paths('b.md'), signal)).succeeded), ['b.md']);
      assert.equal(alive.size, 1);
      forget();
    },
    LONG_IDLE_MS,
  );

  hanging(
    'the last one ends too, and a call after it is answered',
    async ({ vault }) => {
      const ended = Promise.withResolvers<void>();
      process.once('worker', (worker) => worker.once('exit', () => ended.resolve()));
      await vault.read(paths('a.md'), signal);
      await ended.promise;
      assert.deepEqual(idsOf((await vault.read(paths('b.md'), signal)).succeeded), ['b.md']);
    },
    IDLE_MS,
  );
});

// Each test has threads of its own and mostly waits, so they run at the same time.
it('a thread may be ended at any moment after its first answer', { timeout: MAX_TEST_MS }, async () => {
  const script = new URL('../../../src/providers/filesystem/file-thread.ts', import.meta.url);
  const setup = { root: import.meta.dirname, exclude: [], read: [], write: [] };
  for (let ms = 0; ms < 15; ms += 1) {
    const threads = new FileThreadPool(script, setup, PATIENCE_MS);
    const outcome = await threads.run({ kind: 'probe' }, signal);
    assert.equal(outcome.state, 'answered');
    await pause(3 * ms);
    await threads.close();
  }
});

describe('a disk that hangs', { concurrency: true }, () => {
  hanging('V2 a file that hangs fails alone within a time limit, and the others are read', async ({ vault }) => {
    const { succeeded, failed } = await vault.read(paths('a.md', 'hang.md', 'b.md'), signal);
    assert.deepEqual(idsOf(succeeded), ['a.md', 'b.md']);
    assert.deepEqual(
      failed.map(({ id, error }) => [id, error.code, error.details]),
      [['hang.md', 'FILE_UNREADABLE', { path: 'hang.md', errno: 'ETIMEDOUT' }]],
    );
  });

  hanging(
    'V2 once all threads hang, every call fails at once; when the disk answers again, calls succeed',
    async (on) => {
      const { vault, threads, open } = on;
      await assert.rejects(vault.read(paths('hang 1.md', 'hang 2.md', 'hang 3.md', 'a.md'), signal), unavailable);
      const given: unknown[] = [];
      const requested = vault.read(paths('a.md'), signal).catch((thrown) => given.push(thrown));
      await Promise.race([requested, pause(PATIENCE_MS / 2)]);
      assert.equal(given.length, 1, 'refused without waiting for the end of patience');
      open();
      const answers = (): Promise<boolean> => threads.run({ kind: 'probe' }, signal).then(Boolean, () => false);
      await until(answers, 'a thread answers');
      const { succeeded } = await vault.read(paths('a.md', 'hang 1.md'), signal);
      assert.deepEqual(idsOf(succeeded), ['a.md', 'hang 1.md']);
    },
  );

  hanging('a call that waits for a thread fails when the last thread hangs', async ({ vault }) => {
    const calls = ['hang 1.md', 'hang 2.md', 'hang 3.md', 'a.md'].map((path) => vault.read(paths(path), signal));
    const outcomes = await Promise.allSettled(calls);
    const last = outcomes.at(-1);
    assert.equal(last?.status === 'rejected' && last.reason.code, 'VAULT_UNAVAILABLE');
  });

  hanging('more calls than threads are all answered', async ({ vault }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => vault.read(paths(`${n}.md`), signal)));
    assert.deepEqual(
      answers.flatMap(({ succeeded }) => idsOf(succeeded)),
      Array.from({ length: 20 }, (_, n) => `${n}.md`),
    );
  });

  hanging('the files that a listing has found are counted until it ends', async ({ vault, open }) => {
    assert.equal(vault.progress.listed, 0);
    const listing = vault.list(signal);
    await until(() => vault.progress.listed === 7, 'the listing has found seven files');
    open();
    await assert.rejects(listing, { code: 'VAULT_UNAVAILABLE' });
    assert.equal(vault.progress.listed, 0);
  });

  hanging('a slow task with heartbeats is not given up', async ({ vault, open }) => {
    const reading = vault.read(paths('slow.md'), signal);
    await pause(2 * PATIENCE_MS);
    open();
    assert.deepEqual(idsOf((await reading).succeeded), ['slow.md']);
  });

  hanging(
    'an abort ends a running or queued call at once, and the thread stops and takes the next task',
    async ({ vault }) => {
      const reason = new Error('enough');
      const busy = Array.from({ length: 3 }, () => new AbortController());
      const reading = busy.map((call, n) => vault.read(paths(`slow ${n}.md`), call.signal));
      const queued = new AbortController();
      const waiting = vault.read(paths('a.md'), queued.signal);
      queued.abort(reason);
      await assert.rejects(waiting, reason);
      for (const call of busy) call.abort(reason);
      for (const outcome of await Promise.allSettled(reading))
        assert.equal(outcome.status === 'rejected' && outcome.reason, reason);
      assert.deepEqual(idsOf((await vault.read(paths('a.md'), signal)).succeeded), ['a.md']);
    },
  );

  hanging('closing rejects running, queued and later calls', async ({ vault, threads }) => {
    const reading = vault.read(paths('hang.md'), signal);
    const refused = assert.rejects(reading, { code: 'SHUTTING_DOWN' });
    await pause(50);
    await threads.close();
    await refused;
    await assert.rejects(vault.read(paths('a.md'), signal), { code: 'SHUTTING_DOWN' });
  });

  hanging('closing lets a task stop where it can before it ends the thread', async ({ vault, threads, read }) => {
    const reading = assert.rejects(vault.read(paths('a.md', 'slow.md'), signal), { code: 'SHUTTING_DOWN' });
    await until(() => read() === 1, 'the task has read one of its files');
    await threads.close();
    await reading;
    assert.equal(read(), 2);
  });

  hanging('a thread that exits without an error fails only its own call', async ({ vault }) => {
    await assert.rejects(vault.read(paths('exit.md'), signal), { code: 'INTERNAL' });
    assert.deepEqual(idsOf((await vault.read(paths('a.md'), signal)).succeeded), ['a.md']);
  });

  for (const [what, setup] of [
    ['starts slowly', { startMs: 3_500 }],
    ['has finished and cannot hand over its answer yet', { answerMs: 3_500 }],
  ] as const) {
    it(`a thread that ${what} does not count as one that hangs`, { timeout: MAX_TEST_MS }, async () => {
      const gate = new Int32Array(new SharedArrayBuffer(8));
      const threads = new FileThreadPool(SCRIPT, { gate, ...setup }, 2_000);
      const vault = createFolderVault({ name: 'slow', access: 'read-only', earlier: neverAsked }, threads, notWatched);
      assert.deepEqual(idsOf((await vault.read(paths('a.md'), signal)).succeeded), ['a.md']);
      await threads.close();
    });
  }

  it('a thread that cannot start fails only its own call', async () => {
    const threads = new FileThreadPool(new URL('./no-such-thread.ts', import.meta.url), {}, PATIENCE_MS);
    for (let n = 0; n < 5; n += 1) await assert.rejects(threads.run({ kind: 'probe' }, signal), { code: 'INTERNAL' });
    await threads.close();
  });
});
