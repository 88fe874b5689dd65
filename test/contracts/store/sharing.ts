// Contract tests of the lease, the shared jobs and the requests between processes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { IndexJob } from '../../../src/contracts/indexer.ts';
import type { HolderReport, KeptJob } from '../../../src/contracts/lease.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { changes, fill, filled, found, type Law, notesWith, type StoreUnderTest, signal } from './law.ts';

export const REPORT: HolderReport = { client: 'a test', freshness: 'fresh', watching: { mode: 'off', pending: 0 } };

const taking = { client: 'a test', jobs: [] };

export function keptJob(id: string, more: Partial<IndexJob> = {}): KeptJob {
  const counts = { listed: 3, changed: 2, done: 1, indexed: 1, failed: 0, removed: 0 };
  const job: IndexJob = {
    ...{ id, kind: 'catch_up', state: 'running', phase: 'indexing', counts, failures: [] },
    ...{ startedAt: '2026-11-21T10:00:00.000Z', ...more },
  };
  return { job, request: { kind: job.kind } };
}

const ended = (id: string, more: Partial<IndexJob> = {}): KeptJob =>
  keptJob(id, { state: 'succeeded', phase: 'ended', endedAt: '2026-11-21T10:00:01.000Z', ...more });

const idsOf = async (store: Store): Promise<string[]> => (await store.keptJobs(signal)).map(({ job }) => job.id);

export function sharingLaws(law: Law, open: () => Promise<StoreUnderTest>): void {
  law('a lease is free, then held, then free again, and its token grows each time it is taken', async (store) => {
    const before = await store.lease(signal);
    assert.deepEqual([before.holder, before.isMine, before.isDead], [undefined, false, false]);
    const taken = await store.takeLease(taking, signal);
    assert.deepEqual([taken.isMine, taken.isDead, taken.holder?.client], [true, false, 'a test']);
    assert.equal(taken.holder?.pid, process.pid);
    assert.ok(taken.token > before.token && taken.heartbeats > before.heartbeats);
    await store.releaseLease(signal);
    const freed = await store.lease(signal);
    assert.deepEqual([freed.holder, freed.isMine], [undefined, false]);
    assert.ok((await store.takeLease(taking, signal)).token > taken.token);
  });

  law('heartbeats and changes of the index increase the heartbeat count, and the report is readable', async (store) => {
    await store.apply(filled({ 'Ebb.md': 'low' }), signal);
    const { heartbeats } = await store.takeLease(taking, signal);
    await store.publish({ report: REPORT, jobs: [], answers: [] }, signal);
    const reported = await store.lease(signal);
    assert.deepEqual(reported.report, REPORT);
    assert.ok(reported.heartbeats > heartbeats);
    await store.apply(changes({ added: [found('Flow.md')] }), signal);
    assert.ok((await store.lease(signal)).heartbeats > reported.heartbeats);
    const lastError = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOENT' });
    await store.publish({ report: { ...REPORT, lastError, client: 'its client' }, jobs: [], answers: [] }, signal);
    const { report, holder } = await store.lease(signal);
    assert.ok(report?.lastError instanceof VaultgraphError);
    assert.deepEqual([report.lastError.code, report.lastError.details], ['VAULT_UNAVAILABLE', { errno: 'ENOENT' }]);
    assert.equal(holder?.client, 'its client');
  });

  law('the mark changes with each write and only then', async (store) => {
    await store.apply(filled({ 'Ebb.md': 'low' }), signal);
    const before = await store.mark(signal);
    assert.equal(await store.mark(signal), before);
    await store.requestFromLeader({ kind: 'catch_up' }, signal);
    assert.notEqual(await store.mark(signal), before);
  });

  law('jobs are stored as last published, with errors, twenty of each kind', async (store) => {
    const error = new VaultgraphError('MASS_DELETE_BLOCKED', { known: 9, missing: 8, ratio: 0.9 });
    const lost = { id: 'Note.md', error: new VaultgraphError('FILE_UNREADABLE', { path: 'Note.md', errno: 'EACCES' }) };
    await store.takeLease({ ...taking, jobs: [keptJob('job_a')] }, signal);
    assert.deepEqual(await idsOf(store), ['job_a']);
    const failed = ended('job_a', { state: 'failed', error, failures: [lost] });
    await store.publish({ report: REPORT, jobs: [failed, ended('job_b', { kind: 'notes' })], answers: [] }, signal);
    const [second, first] = await store.keptJobs(signal);
    assert.deepEqual([second?.job.id, first?.job.state], ['job_b', 'failed']);
    assert.ok(first?.job.error instanceof VaultgraphError);
    assert.deepEqual([first.job.error.code, first.job.error.message], [error.code, error.message]);
    assert.deepEqual(first.job.failures[0]?.error.details, lost.error.details);
    const many = Array.from({ length: 30 }, (_, at) => ended(`job_${at}`));
    await store.publish({ report: REPORT, jobs: many, answers: [] }, signal);
    const ids = await idsOf(store);
    assert.deepEqual([ids.length, ids[0], ids.includes('job_b'), ids.includes('job_a')], [21, 'job_29', true, false]);
  });

  law('a job is running only while the store that published it holds the lease', async (store) => {
    await store.takeLease({ ...taking, jobs: [keptJob('job_a')] }, signal);
    const stateNow = async () =>
      (await store.keptJobs(signal)).map(({ job }) => [job.state, job.phase, job.endedAt !== undefined]);
    assert.deepEqual(await stateNow(), [['running', 'indexing', false]]);
    await store.releaseLease(signal);
    assert.deepEqual(await stateNow(), [['interrupted', 'indexing', true]]);
    await store.takeLease(taking, signal);
    assert.deepEqual(await stateNow(), [['interrupted', 'indexing', true]]);
    await store.publish({ report: REPORT, jobs: [keptJob('job_a')], answers: [] }, signal);
    assert.deepEqual(await stateNow(), [['running', 'indexing', false]]);
  });

  law('a request is open until it is answered, with a job or with an error', async (store) => {
    const one = await store.requestFromLeader({ kind: 'refresh', paths: ['Ebb.md'] }, signal);
    const other = await store.requestFromLeader({ kind: 'cancel', jobId: 'job_a' }, signal);
    assert.deepEqual(await store.openRequests(signal), [
      { id: one, request: { kind: 'refresh', paths: ['Ebb.md'] } },
      { id: other, request: { kind: 'cancel', jobId: 'job_a' } },
    ]);
    assert.equal(await store.leaderReply(one, signal), undefined);
    await store.takeLease(taking, signal);
    const { job } = ended('job_a');
    const error = new VaultgraphError('JOB_NOT_FOUND', { id: 'job_a', recent: [] });
    await store.publish(
      {
        report: REPORT,
        jobs: [],
        answers: [
          { id: one, answer: { job } },
          { id: other, answer: { error } },
        ],
      },
      signal,
    );
    assert.deepEqual(await store.openRequests(signal), []);
    assert.deepEqual(await store.leaderReply(one, signal), { job });
    const refused = await store.leaderReply(other, signal);
    assert.equal(refused && 'error' in refused ? refused.error.code : undefined, 'JOB_NOT_FOUND');
  });

  it('S10 one of two stores holds the lease; writes of the other are refused, and a stalled lease is taken over once', async () => {
    const under = await open();
    const again = await under.again?.();
    assert.ok(again, 'a store can be opened twice');
    const [one, other] = [under.store, again.store];
    const refusal = { code: 'INDEX_CONFLICT' };
    const first = await one.takeLease(taking, signal);
    const refused = await other.takeLease({ ...taking, client: 'other' }, signal);
    assert.deepEqual([refused.isMine, refused.token, refused.holder?.client], [false, first.token, 'a test']);
    await assert.rejects(
      other.apply(filled({ 'Ebb.md': 'low' }), signal),
      (error: VaultgraphError<'INDEX_CONFLICT'>) => {
        assert.deepEqual([error.code, error.details.holder?.pid], ['INDEX_CONFLICT', process.pid]);
        return true;
      },
    );
    await assert.rejects(other.completeScan('2026-11-21T10:00:00.000Z', signal), refusal);
    await assert.rejects(other.reset(signal), refusal);
    await assert.rejects(other.sweepVectors([], signal), refusal);
    await assert.rejects(other.publish({ report: REPORT, jobs: [], answers: [] }, signal), refusal);
    await one.apply(filled({ 'Ebb.md': 'low' }), signal);
    const moved = await other.takeLease({ ...taking, stalled: first }, signal);
    assert.equal(moved.isMine, false, 'it moved since');
    const taken = await other.takeLease({ ...taking, client: 'other', stalled: moved }, signal);
    assert.deepEqual([taken.isMine, taken.token > first.token], [true, true]);
    const { revision } = await other.counts(signal);
    await assert.rejects(one.apply(filled({ 'Flow.md': 'high' }), signal), refusal);
    await assert.rejects(one.publish({ report: REPORT, jobs: [keptJob('job_a')], answers: [] }, signal), refusal);
    assert.deepEqual(
      [(await other.counts(signal)).revision, await idsOf(other)],
      [revision, []],
      'not a row was written',
    );
    await one.releaseLease(signal);
    assert.equal((await other.lease(signal)).isMine, true, 'what is lost cannot be freed');
    await other.releaseLease(signal);
    await assert.rejects(one.apply(filled({ 'Flow.md': 'high' }), signal), refusal);
    await again.close();
    await under.close();
  });

  it('a store that was released keeps the lease and answers the same without what it has kept', async () => {
    const { store, release, close } = await open();
    assert.ok(release, 'the store can be released');
    await store.takeLease(taking, signal);
    await fill(store, { 'Ebb.md': 'low [[Flow]]', 'Flow.md': 'high' });
    const before = await store.graph(signal);
    const [found] = await Promise.all([notesWith(store, 'low'), release()]);
    assert.deepEqual(found, ['Ebb']);
    const after = await store.graph(signal);
    assert.notEqual(after, before, 'it is read again');
    assert.deepEqual(after.paths, before.paths);
    assert.deepEqual(await notesWith(store, 'high'), ['Flow']);
    assert.equal((await store.lease(signal)).isMine, true);
    await fill(store, { 'Tide.md': 'low' });
    assert.deepEqual(await notesWith(store, 'low'), ['Ebb', 'Tide']);
    await close();
  });
}
