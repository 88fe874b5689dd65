// Tests two indexers on one index: one leads, the other sends requests, follows its jobs and takes over.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { addChecksumFunction } from '../../../src/providers/sqlite/database/open-database.ts';
import { keptJob, REPORT } from '../../contracts/store/sharing.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { createVaultFolder, type VaultFolder } from '../../providers/filesystem/vault-folder.ts';
import {
  coldRebuild,
  contentOf,
  found,
  type IndexOptions,
  type IndexUnderTest,
  openIndex,
  signal,
} from '../index-under-test.ts';

interface Shared {
  readonly folder: VaultFolder;
  readonly leader: IndexUnderTest;
  readonly follower: IndexUnderTest;
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const began = performance.now(); performance.now() - began < 60_000; await sleep(20)) if (await isSo()) return;
  assert.fail(`never happened: ${what}`);
}

const isFresh = ({ indexer }: IndexUnderTest): boolean => indexer.state().freshness === 'fresh';

const indexOf = ({ outside }: VaultFolder): string => join(outside, 'data', 'index.db');

/** Both serve; the first one leads and has scanned. */
async function shared(check: (shared: Shared) => Promise<void>, options: IndexOptions = {}): Promise<void> {
  const folder = createVaultFolder();
  const open: IndexUnderTest[] = [];
  try {
    for (let n = 0; n < 30; n += 1) folder.put(`area ${n % 3}/Note ${n}.md`, `[[Note ${n + 1}]] word${n}\n`);
    for (const _ of ['leader', 'follower']) {
      const under = await openIndex(folder, undefined, options);
      open.push(under);
      await under.indexer.look();
      under.indexer.attend();
      await until(() => isFresh(under), 'fresh');
    }
    const [leader, follower] = open as [IndexUnderTest, IndexUnderTest];
    assert.deepEqual([leader.indexer.state().role, follower.indexer.state().role], ['leader', 'follower']);
    await check({ folder, leader, follower });
  } finally {
    for (const under of open.toReversed()) await under.close();
    folder.delete();
  }
}

describe('two servers on one vault', () => {
  it('S9 the follower reports the state of the leader, and refuses jobs with its holder', () =>
    shared(async ({ leader, follower }) => {
      await until(() => follower.indexer.state().watching.mode !== 'off', 'the watch is reported');
      const { holder, running: _running, role, ...rest } = follower.indexer.state();
      assert.deepEqual([role, holder?.pid, typeof holder?.heartbeat_age_ms], ['follower', process.pid, 'number']);
      const { freshness, complete, total, indexed, pending } = rest;
      assert.deepEqual(
        { freshness, complete, total, indexed, pending },
        { freshness: 'fresh', complete: true, total: 30, indexed: 30, pending: 0 },
      );
      for (const kind of ['catch_up', 'rebuild', 'notes', 'embed'] as const) {
        await assert.rejects(
          follower.indexer.start({ kind }),
          ({ code, details }: VaultgraphError<'INDEX_CONFLICT'>) =>
            code === 'INDEX_CONFLICT' && details.holder?.pid === process.pid,
        );
      }
      const ids = ({ indexer }: IndexUnderTest): string =>
        indexer
          .jobs()
          .map(({ id }) => id)
          .join();
      await until(() => ids(follower) === ids(leader), 'both tell of the same jobs');
    }));

  it('S9 the leader indexes what the follower wrote before the follower continues', () =>
    shared(async ({ folder, leader, follower }) => {
      folder.put('New.md', 'brand [[Note 1]]');
      folder.remove('area 2/Note 2.md');
      const job = await follower.indexer.refresh(['New.md', 'area 2/Note 2.md'], signal);
      assert.deepEqual([job.kind, job.state, job.failures], ['notes', 'succeeded', []]);
      assert.deepEqual(await found(follower.store, 'brand'), ['New.md']);
      assert.equal(follower.indexer.state().total, 30);
      assert.ok(
        leader.indexer.jobs().some(({ id }) => id === job.id),
        'the leader did it',
      );
      folder.put('Newer.md', 'newest');
      const scan = await follower.indexer.catchUp(signal);
      assert.deepEqual([scan.kind, scan.state], ['catch_up', 'succeeded']);
      assert.deepEqual(await found(follower.store, 'newest'), ['Newer.md']);
      assert.deepEqual(await contentOf(follower.store), await coldRebuild(leader));
    }));

  it('concurrent callers all see what they wrote', () =>
    shared(async ({ folder, leader, follower }) => {
      const requested = Array.from({ length: 20 }, async (_, at) => {
        folder.put(`Late ${at}.md`, `late${at}`);
        const { indexer, store } = at % 2 === 0 ? leader : follower;
        await indexer.refresh([`Late ${at}.md`], signal);
        assert.deepEqual(await found(store, `late${at}`), [`Late ${at}.md`]);
      });
      await Promise.all(requested);
    }));

  it('an abort ends the wait, not the job', () =>
    shared(async ({ folder, follower }) => {
      folder.put('Late.md', 'late');
      const waiting = new AbortController();
      const refreshed = follower.indexer.refresh(['Late.md'], waiting.signal);
      await sleep(20);
      waiting.abort(new Error('enough'));
      await assert.rejects(refreshed, /enough/);
      await until(async () => (await found(follower.store, 'late')).length === 1, 'read all the same');
    }));

  it('M5 S9 a follower follows and cancels a job of the leader; S13 an unknown id is refused with the recent ones', () =>
    shared(async ({ folder, leader, follower }) => {
      // A rebuild of so much text lasts longer than it takes a follower to see it.
      for (let n = 0; n < 3_000; n += 1) folder.put(`more/More ${n}.md`, `word${n} [[Note ${n}]] `.repeat(400));
      // The watch scans by itself now and then.
      await until(() => leader.indexer.state().running === undefined, 'no other job runs');
      const job = await leader.indexer.start({ kind: 'rebuild' });
      await until(() => follower.indexer.state().running?.id === job.id, 'the follower sees it');
      const call = AbortSignal.abort(new Error('the call is over'));
      await assert.rejects(follower.indexer.ended(job.id, call), /the call is over/);
      assert.equal(leader.indexer.state().running?.id, job.id, 'it continues');
      // On a busy machine a write of the leader can take longer than the request waits.
      const isAsked = (error: VaultgraphError): boolean => {
        if (error.code !== 'STORE_BUSY') throw error;
        return false;
      };
      await until(() => follower.indexer.cancel(job.id, signal).then(() => true, isAsked), 'the leader is asked');
      const ended = await follower.indexer.ended(job.id, signal);
      assert.deepEqual([ended.state, ended.error?.code], ['cancelled', 'CANCELLED']);
      assert.equal((await leader.indexer.ended(job.id, signal)).state, 'cancelled');
      for (const { indexer } of [leader, follower]) {
        const unknown = ({ code, details }: VaultgraphError<'JOB_NOT_FOUND'>) =>
          code === 'JOB_NOT_FOUND' && details.recent.includes(job.id);
        await assert.rejects(indexer.ended('job_none', signal), unknown);
        await assert.rejects(indexer.cancel('job_none', signal), unknown);
      }
      assert.equal((await follower.indexer.cancel(job.id, signal)).state, 'cancelled', 'what ended stays as it ended');
    }));

  it('a job is in the store by the time its id is returned', () =>
    shared(async ({ folder, leader, follower }) => {
      await until(() => leader.indexer.state().running === undefined, 'no other job runs');
      for (let n = 0; n < 300; n += 1) folder.put(`more/More ${n}.md`, `word${n} `.repeat(300));
      for (const request of [{ kind: 'rebuild' }, { kind: 'notes', paths: ['more/More 1.md'] }] as const) {
        const { id } = await leader.indexer.start(request);
        const stored = (await follower.store.keptJobs(signal)).map(({ job }) => job.id);
        assert.ok(stored.includes(id), request.kind);
        await leader.indexer.ended(id, signal);
      }
    }));

  it('the follower takes over when the leader ends, follows the vault itself, and writes on', () =>
    shared(async ({ folder, leader, follower }) => {
      await leader.indexer.close();
      await until(() => follower.indexer.state().role === 'leader' && isFresh(follower), 'it leads');
      folder.put('After.md', 'afterwards');
      await follower.indexer.refresh(['After.md'], signal);
      assert.deepEqual(await found(follower.store, 'afterwards'), ['After.md']);
      await until(() => follower.indexer.state().watching.mode !== 'off', 'it watches');
      folder.put('External.md', 'outside');
      await until(async () => (await found(follower.store, 'outside')).length === 1, 'seen by itself');
    }));

  it('V1 a request during an unavailable vault is interrupted, and done when the vault is back', () =>
    shared(async ({ folder, leader }) => {
      await until(() => leader.indexer.state().running === undefined, 'no other job runs');
      folder.vanish();
      const { id } = await leader.indexer.start({ kind: 'rebuild' });
      const job = await leader.indexer.ended(id, signal);
      assert.deepEqual([job.state, job.error?.code], ['interrupted', 'VAULT_UNAVAILABLE']);
      folder.comeBack();
      // A job that succeeds before the next scan does not make it forgotten.
      assert.equal((await leader.indexer.refresh(['area 0/Note 0.md'], signal)).state, 'succeeded');
      const again = () => leader.indexer.jobs().find((one) => one.id === id);
      await until(() => again()?.state === 'succeeded', 'it is begun again');
      assert.equal(leader.indexer.state().lastError, undefined);
    }));

  it('S10 a leader that loses its lease during a job stops writing and follows; the job restarts when it leads again', () =>
    shared(async ({ folder, leader, follower }) => {
      await follower.close();
      for (let n = 0; n < 3_000; n += 1) folder.put(`more/More ${n}.md`, `word${n} `.repeat(300));
      await until(() => leader.indexer.state().running === undefined, 'no other job runs');
      const { id } = await leader.indexer.start({ kind: 'rebuild' });
      await until(() => (leader.indexer.state().running?.counts.done ?? 0) > 0, 'under way');
      const other = new Database(indexOf(folder));
      addChecksumFunction(other);
      const revision = other.prepare('SELECT revision FROM state').pluck();
      // As an observer does it for whom this leader stood still.
      const takes = `UPDATE lease SET token = token + 1, holder = json_set(holder, '$.client', 'another'), report = NULL`;
      const atTaking = other.transaction(() => [other.prepare(takes).run(), revision.get()][1]).immediate();
      const job = await leader.indexer.ended(id, signal);
      assert.deepEqual([job.state, job.error?.code], ['interrupted', 'INDEX_CONFLICT']);
      await until(() => leader.indexer.state().holder?.client === 'another', 'it follows');
      await assert.rejects(leader.indexer.start({ kind: 'catch_up' }), { code: 'INDEX_CONFLICT' });
      assert.equal(revision.get(), atTaking, 'not a row more');
      other.prepare('UPDATE lease SET holder = NULL').run();
      other.close();
      await until(() => leader.indexer.state().running?.id === id, 'it continues as the same job');
      assert.equal((await leader.indexer.ended(id, signal)).state, 'succeeded');
      assert.deepEqual(await contentOf(leader.store), await coldRebuild(leader));
    }));

  it('a request that a leader did not finish is done by the next one', () =>
    shared(async ({ folder, leader, follower }) => {
      folder.put('Between.md', 'between');
      const refreshed = follower.indexer.refresh(['Between.md'], signal);
      await leader.indexer.close();
      assert.equal((await refreshed).state, 'succeeded');
      assert.deepEqual(await found(follower.store, 'between'), ['Between.md']);
    }));

  it('only the leader requests vectors', async () => {
    const fake = fakeEmbedding();
    await shared(
      async ({ leader, follower }) => {
        await until(() => follower.indexer.state().embedJob?.state === 'succeeded', 'embedded');
        const [generation] = await follower.store.generations(signal);
        assert.deepEqual([generation?.state, generation?.embedded], ['active', 30]);
        for (const { indexer } of [leader, follower]) {
          const embedded = indexer.jobs().reduce((sum, { chunks }) => sum + (chunks?.embedded ?? 0), 0);
          assert.equal(embedded, 30, 'no text was embedded twice');
        }
      },
      { embedding: fake.provider },
    );
  });
});

it('a follower says that its leader has just begun until the leader has had a job', async () => {
  const folder = createVaultFolder();
  const [leader, follower] = [await openIndex(folder), await openIndex(folder)];
  try {
    const earlier = keptJob('job_earlier');
    await leader.store.takeLease({ client: 'earlier', jobs: [earlier] }, signal);
    await leader.store.releaseLease(signal);
    await sleep(5);
    await leader.store.takeLease({ client: 'leader', jobs: [] }, signal);
    const isBeginning = async () => {
      await follower.indexer.look();
      const { role, complete, isBeginning } = follower.indexer.state();
      assert.deepEqual([role, complete], ['follower', false]);
      return isBeginning;
    };
    assert.equal(await isBeginning(), true, 'the earlier job is interrupted');
    const running = keptJob('job_first', { startedAt: new Date().toISOString() });
    await leader.store.publish({ report: REPORT, jobs: [running], answers: [] }, signal);
    assert.equal(await isBeginning(), undefined, 'its job runs');
    const endedAt = new Date().toISOString();
    const cancelled = keptJob('job_first', { ...running.job, state: 'cancelled', endedAt });
    await leader.store.publish({ report: REPORT, jobs: [cancelled], answers: [] }, signal);
    assert.equal(await isBeginning(), undefined, 'no job is about to come');
  } finally {
    for (const under of [follower, leader]) await under.close();
    folder.delete();
  }
});

describe('jobs that outlive their process', () => {
  it('an unfinished job is shown as interrupted, and the next leader restarts it with the same id', async () => {
    const folder = createVaultFolder();
    try {
      folder.put('Note.md', 'text');
      const dying = await openIndex(folder);
      const rebuild = keptJob('job_rebuild', { kind: 'rebuild' });
      const notes = {
        ...keptJob('job_notes', { kind: 'notes' }),
        request: { kind: 'notes' as const, paths: ['Note.md'] },
      };
      await dying.store.takeLease({ client: 'dying', jobs: [rebuild, notes] }, signal);
      await dying.store.publish({ report: REPORT, jobs: [], answers: [] }, signal);
      await dying.store.releaseLease(signal);
      await dying.close();
      const next = await openIndex(folder);
      await next.indexer.look();
      const statesOf = () => Object.fromEntries(next.indexer.jobs().map(({ id, state }) => [id, state]));
      assert.deepEqual(statesOf(), { job_notes: 'interrupted', job_rebuild: 'interrupted' });
      next.indexer.attend();
      assert.equal(next.indexer.state().running?.id, 'job_rebuild');
      await until(() => Object.values(statesOf()).every((state) => state === 'succeeded'), 'both are done');
      assert.deepEqual(await found(next.store, 'text'), ['Note.md']);
      await next.close();
      const later = await openIndex(folder);
      await later.indexer.look();
      assert.ok(later.indexer.jobs().some(({ id, state }) => id === 'job_rebuild' && state === 'succeeded'));
      await later.close();
    } finally {
      folder.delete();
    }
  });

  it('a job that ends with its server is interrupted and continues at the next start', async () => {
    const folder = createVaultFolder();
    try {
      for (let n = 0; n < 1_500; n += 1) folder.put(`Note ${n}.md`, `word${n} `.repeat(300));
      const one = await openIndex(folder);
      one.indexer.attend();
      await until(() => (one.indexer.state().running?.counts.done ?? 0) > 0, 'under way');
      const id = one.indexer.state().running?.id;
      await one.close();
      const other = await openIndex(folder);
      await other.indexer.look();
      const [job] = other.indexer.jobs();
      assert.deepEqual([job?.id, job?.state, job?.error?.code], [id, 'interrupted', 'SHUTTING_DOWN']);
      other.indexer.attend();
      const done = await other.indexer.ended(id ?? '', signal);
      assert.deepEqual([done.id, done.state], [id, 'succeeded']);
      assert.equal((await other.store.counts(signal)).indexed, 1_500);
      await other.close();
    } finally {
      folder.delete();
    }
  });

  it('a command waits for a holder of unknown state, and replaces it if it sends no heartbeats', async () => {
    const folder = createVaultFolder();
    try {
      folder.put('Note.md', 'text');
      const gone = await openIndex(folder);
      await gone.store.takeLease({ client: 'gone', jobs: [] }, signal);
      await gone.close();
      const database = new Database(indexOf(folder));
      addChecksumFunction(database);
      const elsewhere = `UPDATE lease SET holder = json_set(holder, '$.life.machine', 'another boot', '$.life.host', 'another'), beat_at = '2026-01-01T00:00:00.000Z'`;
      database.prepare(elsewhere).run();
      database.close();
      // As a program that is killed leaves it.
      rmSync(`${indexOf(folder)}.seal`);
      const command = await openIndex(folder);
      const began = performance.now();
      assert.equal((await command.run()).state, 'succeeded');
      assert.ok(performance.now() - began > 14_000, 'not before it could know');
      await command.close();
    } finally {
      folder.delete();
    }
  });

  it('a command that finds another process leading ends with INDEX_CONFLICT and changes nothing', () =>
    shared(async ({ folder, leader }) => {
      const command = await openIndex(folder);
      const { revision } = await leader.store.counts(signal);
      const job = await command.run({ kind: 'rebuild' });
      assert.deepEqual([job.state, job.error?.code], ['interrupted', 'INDEX_CONFLICT']);
      assert.equal((job.error?.details as { holder: { pid: number } }).holder.pid, process.pid);
      assert.equal((await leader.store.counts(signal)).revision, revision);
      await command.close();
      assert.equal(leader.indexer.state().role, 'leader');
    }));
});
