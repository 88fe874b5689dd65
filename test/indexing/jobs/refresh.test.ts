// Tests the refresh after a write, and the work that precedes the first job.
import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { assertEach } from '../../assert-each.ts';
import { createVaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { until } from '../../until.ts';
import {
  coldRebuild,
  contentOf,
  found,
  type IndexUnderTest,
  openIndex,
  signal,
  withIndex,
} from '../index-under-test.ts';

function fill({ folder }: IndexUnderTest, notes: number): void {
  for (let n = 0; n < notes; n += 1)
    folder.put(`area ${n % 5}/Note ${n}.md`, `[[Note ${n + 1}]] word${n}\n`.repeat(40));
}

test('after changed, new, moved and deleted files and attachments the index equals a cold rebuild', () =>
  withIndex(async (under) => {
    const { folder, store, indexer, run } = under;
    fill(under, 30);
    folder.put('img/lamp.png', 'png');
    await run();
    folder.put('area 1/Note 1.md', 'other words, ![[lamp.png]]');
    folder.put('New.md', 'brand new [[Note 3]]');
    folder.move('area 2/Note 2.md', 'moved/Note 2.md');
    folder.move('img/lamp.png', 'pictures/lamp.png');
    folder.remove('area 3/Note 3.md');
    const paths = ['area 1/Note 1.md', 'New.md', 'area 2/Note 2.md', 'moved/Note 2.md', 'area 3/Note 3.md'];
    const job = await indexer.refresh([...paths, 'img/lamp.png', 'pictures/lamp.png'], signal);
    assert.deepEqual([job.kind, job.state, job.failures], ['notes', 'succeeded', []]);
    assert.deepEqual(await found(store, 'brand'), ['New.md']);
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  }));

test('a file that vanishes after it was listed is looked for again, and is not left in quarantine', () =>
  withIndex(
    async (under) => {
      // After a first scan, no note is read before the vault is listed.
      await under.run();
      fill(under, 10);
      const job = await under.run();
      assert.deepEqual([job.state, job.failures.map(({ id }) => id)], ['succeeded', ['area 1/Note 1.md']]);
      await until(async () => (await under.store.counts(signal)).quarantined === 0, 'the file is looked for again');
      assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
    },
    { afterList: ({ root }) => rmSync(join(root, 'area 1/Note 1.md'), { force: true }) },
  ));

test('an unchanged note costs no write, one with another time only that', () =>
  withIndex(async ({ folder, store, indexer, run }) => {
    folder.put('Only.md', 'text');
    await run();
    const { revision } = await store.counts(signal);
    assert.deepEqual((await indexer.refresh(['Only.md'], signal)).counts.indexed, 1);
    assert.equal((await store.counts(signal)).revision, revision);
    utimesSync(join(folder.root, 'Only.md'), 1_000, 1_000);
    await indexer.refresh(['Only.md'], signal);
    assert.equal((await store.counts(signal)).revision, revision + 1);
    assertEach(await store.fileStates(signal), ({ modifiedMs }) => modifiedMs, [1_000_000]);
  }));

test('the last notes of a vault leave the index when they were deleted on purpose', () =>
  withIndex(async ({ folder, store, indexer, run }) => {
    folder.put('Only.md', 'text');
    await run();
    folder.remove('Only.md');
    assert.equal((await indexer.refresh(['Only.md'], signal)).state, 'succeeded');
    assert.equal((await store.counts(signal)).notes, 0);
  }));

test('waits for the running job, and one job serves all waiting callers', () =>
  withIndex(async (under) => {
    const { folder, store, indexer, run } = under;
    fill(under, 400);
    const first = run();
    const requested = Array.from({ length: 20 }, (_, at) => `Late ${at}.md`);
    const refreshed = requested.map((path, at) => {
      folder.put(path, `late${at}`);
      return indexer.refresh([path], signal);
    });
    assert.equal(indexer.state().running?.kind, 'catch_up');
    const jobs = await Promise.all(refreshed);
    assert.deepEqual([...new Set(jobs.map(({ kind, state }) => `${kind} ${state}`))], ['notes succeeded']);
    assert.equal(new Set(jobs.map(({ id }) => id)).size, 1);
    assert.equal((await first).state, 'succeeded');
    for (const [at, path] of requested.entries()) assert.deepEqual(await found(store, `late${at}`), [path]);
  }));

test('an abort ends the wait, not the job', () =>
  withIndex(async (under) => {
    const { folder, store, indexer, run } = under;
    fill(under, 300);
    const first = run();
    folder.put('Late.md', 'late');
    const waiting = new AbortController();
    const refreshed = indexer.refresh(['Late.md'], waiting.signal);
    waiting.abort(new Error('enough'));
    await assert.rejects(refreshed, /enough/);
    await first;
    await indexer.refresh([], signal);
    assert.deepEqual(await found(store, 'late'), ['Late.md']);
  }));

test('a job that can no longer include the paths says so in its state, and the next one includes them', () =>
  withIndex(async ({ folder, store, indexer, run }) => {
    folder.put('Note.md', 'first');
    await run();
    folder.put('Note.md', 'second');
    folder.vanish();
    const job = await indexer.refresh(['Note.md'], signal);
    assert.deepEqual([job.state, job.error?.code], ['interrupted', 'VAULT_UNAVAILABLE']);
    folder.comeBack();
    assert.equal((await indexer.refresh(['Note.md'], signal)).state, 'succeeded');
    assert.deepEqual(await found(store, 'second'), ['Note.md']);
  }));

test('callers that wait while the indexer closes get an error', async () => {
  const folder = createVaultFolder();
  try {
    const under = await openIndex(folder);
    fill(under, 300);
    void under.indexer.start({ kind: 'catch_up' });
    const refreshed = under.indexer.refresh(['Note.md'], signal);
    const [outcome] = await Promise.all([Promise.allSettled([refreshed]), under.close()]);
    assert.equal(outcome[0].status, 'rejected');
    assert.equal((outcome[0] as PromiseRejectedResult).reason.code, 'SHUTTING_DOWN');
  } finally {
    folder.delete();
  }
});

for (const fails of [false, true]) {
  test(`the startup work ends before the first job reads, and runs once${fails ? ', also when it fails' : ''}`, async () => {
    const folder = createVaultFolder();
    try {
      let begun = 0;
      const begin = async (): Promise<readonly string[]> => {
        begun += 1;
        folder.put('Ended.md', 'ended');
        if (fails) throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
        return [];
      };
      const under = await openIndex(folder, undefined, { begin });
      try {
        assert.equal(begun, 0);
        const [scan] = await Promise.all([under.run(), under.indexer.refresh(['Ended.md'], signal)]);
        assert.equal(scan.state, 'succeeded');
        assert.equal(begun, 1);
        assert.deepEqual(await found(under.store, 'ended'), ['Ended.md']);
      } finally {
        await under.close();
      }
    } finally {
      folder.delete();
    }
  });
}

test('V8 notes moved or deleted on purpose before a kill do not block the index', async () => {
  const folder = createVaultFolder();
  try {
    const first = await openIndex(folder);
    fill(first, 40);
    await first.run();
    await first.close();
    for (let n = 0; n < 5; n += 1) folder.move(`area ${n}`, `moved ${n}`);
    const paths = Array.from({ length: 40 }, (_, n) => [
      `area ${n % 5}/Note ${n}.md`,
      `moved ${n % 5}/Note ${n}.md`,
    ]).flat();
    folder.remove('moved 0/Note 0.md');
    const second = await openIndex(folder, undefined, { begin: async () => paths });
    try {
      const scan = await second.run();
      assert.deepEqual([scan.state, scan.counts.removed, scan.counts.changed], ['succeeded', 0, 0]);
      assert.deepEqual(await contentOf(second.store), await coldRebuild(second));
    } finally {
      await second.close();
    }
  } finally {
    folder.delete();
  }
});

test('a requested job waits for a routine job instead of conflicting with it', () =>
  withIndex(async (under) => {
    const { store, indexer, run } = under;
    fill(under, 30);
    await run();
    const scan = indexer.catchUp(signal);
    await new Promise(setImmediate);
    const starting = indexer.start({ kind: 'rebuild' });
    assert.equal(indexer.jobs()[0]?.state, 'queued');
    const joining = indexer.start({ kind: 'rebuild' });
    await assert.rejects(indexer.start({ kind: 'notes', paths: ['area 1/Note 1.md'] }), { code: 'INDEX_CONFLICT' });
    const [requested, joined] = await Promise.all([starting, joining]);
    assert.equal(joined.id, requested.id);
    assert.equal((await scan).state, 'succeeded');
    assert.equal((await indexer.ended(requested.id, signal)).state, 'succeeded');
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  }));

test('a job that waits for a routine job can be cancelled, and ends with the process', () =>
  withIndex(async (under) => {
    const { indexer, run } = under;
    fill(under, 30);
    await run();
    for (const end of [(id: string) => indexer.cancel(id, signal), () => indexer.close()]) {
      const scan = indexer.catchUp(signal);
      await new Promise(setImmediate);
      void indexer.start({ kind: 'rebuild' });
      const [{ id = '' } = {}] = indexer.jobs();
      const ended = indexer.ended(id, signal);
      await end(id);
      assert.match((await ended).state, /^(cancelled|interrupted)$/);
      await scan;
    }
  }));
