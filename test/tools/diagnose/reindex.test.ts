// Tests reindex on a real vault: start, follow, cancel, and contradictory arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reindex } from '../../../src/tools/diagnose/reindex.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { type FakeEmbedding, fakeEmbedding } from '../../fakes/embedding.ts';
import { embedEnded } from '../../indexing/index-under-test.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const WAIT = { wait_ms: 45_000 };
const FILES = { 'a.md': 'first', 'b.md': 'second', 'x/T.md': '', 'y/T.md': '' };

test('changed notes are indexed', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.put('c.md', 'third');
    folder.remove('b.md');
    const job = await ask(reindex, WAIT);
    assert.deepEqual([job.kind, job.state, job.phase], ['catch_up', 'succeeded', 'ended']);
    assert.deepEqual([job.counts.indexed, job.counts.removed, job.counts.failed], [1, 1, 0]);
    assert.equal((await ask(searchText, { query: 'third' })).total, 1);
    assert.equal((await ask(searchText, { query: 'second' })).total, 0);
  }));

test('the requested notes are read again, including a new one', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.put('new.md', 'brand');
    const job = await ask(reindex, { notes: ['a', 'new'], ...WAIT });
    assert.deepEqual([job.kind, job.state], ['notes', 'succeeded']);
    assert.equal((await ask(searchText, { query: 'brand' })).total, 1);
  }));

test('a confirmed rebuild rebuilds the index', () =>
  withTools(FILES, async ({ ask, refusal }) => {
    const error = await refusal(reindex, { rebuild: true }, 'CONFIRMATION_REQUIRED');
    assert.match(error.message, /4 notes/);
    const job = await ask(reindex, { rebuild: true, confirm: true, ...WAIT });
    assert.deepEqual([job.kind, job.state, job.counts.indexed], ['rebuild', 'succeeded', 4]);
    assert.equal((await ask(searchText, { query: 'first' })).total, 1);
  }));

test('a scan that would drop most notes requires confirmation', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}.md`, `word${at}`]));
  return withTools(many, async ({ ask, refusal, folder }) => {
    for (let at = 0; at < 30; at += 1) folder.remove(`n${at}.md`);
    const blocked = await refusal(reindex, WAIT, 'INDEX_JOB_FAILED');
    assert.match(blocked.message, /\[MASS_DELETE_BLOCKED\] 30 of 40/);
    assert.match(blocked.hint, /confirm: true/);
    await refusal(reindex, { rebuild: true, confirm: true, ...WAIT }, 'INDEX_JOB_FAILED');
    const passed = await ask(reindex, { confirm: true, ...WAIT });
    assert.deepEqual([passed.state, passed.counts.removed], ['succeeded', 30]);
  });
});

test('a call may return before the job ends, and later calls follow or cancel the job', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}.md`, `word${at} `.repeat(200)]));
  return withTools(many, async ({ ask, refusal }) => {
    const started = await ask(reindex, { rebuild: true, confirm: true, wait_ms: 0 });
    assert.ok(['queued', 'running'].includes(started.state), started.state);
    await refusal(reindex, { notes: ['n1'] }, 'INDEX_CONFLICT');
    const followed = await ask(reindex, { job_id: started.job_id, ...WAIT });
    assert.deepEqual([followed.job_id, followed.state], [started.job_id, 'succeeded']);
    const again = await ask(reindex, { rebuild: true, confirm: true, wait_ms: 0 });
    await ask(reindex, { job_id: again.job_id, cancel: true });
    const ended = await ask(reindex, { job_id: again.job_id, ...WAIT });
    assert.equal(ended.state, 'cancelled');
  });
});

test('progress is reported while a call waits, and the wait ends with the call', () => {
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`n${at}.md`, `word${at} `.repeat(300)]));
  return withTools(many, async ({ ask, indexer }) => {
    const seen: number[] = [];
    const progress = (done: number) => void seen.push(done);
    const job = await ask(reindex, { rebuild: true, confirm: true, ...WAIT }, { progress });
    assert.equal(job.state, 'succeeded');
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    );
    const call = new AbortController();
    const waiting = ask(reindex, { rebuild: true, confirm: true, ...WAIT }, { signal: call.signal });
    call.abort(new Error('the client went away'));
    await assert.rejects(waiting, /went away/);
    const [running] = indexer.jobs();
    assert.ok(running);
    assert.equal((await indexer.ended(running.id, new AbortController().signal)).state, 'succeeded');
  });
});

test('contradictory arguments, unknown jobs and unknown notes are refused', () =>
  withTools(
    FILES,
    async ({ refusal, folder }) => {
      for (const input of [
        { cancel: true },
        { job_id: 'job_1', rebuild: true },
        { job_id: 'job_1', confirm: true },
        { job_id: 'job_1', notes: ['a'] },
        { notes: ['a'], rebuild: true, confirm: true },
        { notes: ['a'], confirm: true },
      ]) {
        await refusal(reindex, input, 'INVALID_INPUT');
      }
      for (const more of [{}, { cancel: true }, { wait_ms: 0 }]) {
        const error = await refusal(reindex, { job_id: 'job_nix', ...more }, 'JOB_NOT_FOUND');
        assert.equal((error.details as { recent: string[] }).recent.length, 1);
      }
      await refusal(reindex, { notes: ['Nix'] }, 'NOTE_NOT_FOUND');
      await refusal(reindex, { notes: ['T'] }, 'NOTE_AMBIGUOUS');
      await refusal(reindex, { notes: ['../a'] }, 'PATH_NOT_ALLOWED');
      folder.vanish();
      await refusal(reindex, { notes: ['Nix'] }, 'VAULT_UNAVAILABLE');
      folder.comeBack();
    },
    { fresh: true },
  ));

interface Embedded extends ToolsUnderTest {
  readonly fake: FakeEmbedding;
}

const withVectors = (
  check: (under: Embedded) => Promise<void>,
  files: Record<string, string> = FILES,
): Promise<void> => {
  const fake = fakeEmbedding();
  const work = async (under: ToolsUnderTest): Promise<void> => {
    await embedEnded(under.indexer);
    await check({ ...under, fake });
  };
  return withTools(files, work, { embedding: fake.provider, embeds: true });
};

test('a call also waits for the embed job and reports it separately', () =>
  withVectors(async ({ ask, folder, store, warnings }) => {
    folder.put('c.md', 'third');
    const job = await ask(reindex, WAIT);
    assert.deepEqual([job.kind, job.state, job.counts.indexed], ['catch_up', 'succeeded', 1]);
    assert.deepEqual([job.embedding.kind, job.embedding.state], ['embed', 'succeeded']);
    assert.deepEqual(job.embedding.chunks, { embedded: 1, kept: 0, failed: 0, requests: 1 });
    assert.deepEqual(warnings, []);
    folder.put('c.md', 'fourth');
    const some = await ask(reindex, { notes: ['c'], ...WAIT });
    assert.deepEqual([some.kind, some.embedding.state, some.embedding.chunks.embedded], ['notes', 'succeeded', 1]);
    const rebuilt = await ask(reindex, { rebuild: true, confirm: true, ...WAIT });
    assert.deepEqual([rebuilt.embedding.state, rebuilt.embedding.chunks.embedded], ['succeeded', 4]);
    const [generation] = await store.generations(new AbortController().signal);
    assert.deepEqual([generation?.state, generation?.embedded], ['active', 5]);
  }));

test('a provider that hangs does not delay the index job: the wait ends while the embed job runs', () =>
  withVectors(async ({ ask, folder, fake }) => {
    fake.become({ hang: true });
    folder.put('c.md', 'third');
    const job = await ask(reindex, { wait_ms: 1_000 });
    assert.deepEqual([job.state, job.embedding.state], ['succeeded', 'running']);
    const followed = await ask(reindex, { job_id: job.embedding.job_id, wait_ms: 0 });
    assert.deepEqual([followed.kind, followed.state, 'embedding' in followed], ['embed', 'running', false]);
    await ask(reindex, { job_id: job.embedding.job_id, cancel: true });
    const ended = await ask(reindex, { job_id: job.embedding.job_id, ...WAIT });
    assert.equal(ended.state, 'cancelled');
    assert.equal((await ask(searchText, { query: 'third' })).total, 1);
  }));

test('an interrupted embed job is returned with a warning, also when it is followed', () =>
  withVectors(async ({ ask, folder, fake, warnings }) => {
    fake.become({ down: true });
    folder.put('c.md', 'third');
    const job = await ask(reindex, WAIT);
    assert.deepEqual([job.state, job.embedding.state], ['succeeded', 'interrupted']);
    assert.deepEqual([job.embedding.error.code, job.embedding.error.retryable], ['PROVIDER_UNAVAILABLE', true]);
    assertEach(warnings, ({ code }) => code, ['INDEX_PENDING']);
    assert.match(warnings[0]?.message ?? '', /interrupted with \[PROVIDER_UNAVAILABLE\]/);
    const followed = await ask(reindex, { job_id: job.embedding.job_id, ...WAIT });
    assert.deepEqual([followed.state, warnings.length], ['interrupted', 1]);
  }));

test('a failed embed job does not fail the index call, but fails a call that follows it', () =>
  withVectors(async ({ ask, refusal, folder, fake, warnings }) => {
    fake.become({ digest: 'sha256:next' });
    folder.put('c.md', 'third');
    const job = await ask(reindex, { notes: ['c'], ...WAIT });
    assert.deepEqual(
      [job.state, job.embedding.state, job.embedding.error.code],
      ['succeeded', 'failed', 'EMBEDDER_MISMATCH'],
    );
    assert.match(job.embedding.error.message, /differ in digest/);
    assert.equal(warnings.length, 1);
    const error = await refusal(reindex, { job_id: job.embedding.job_id }, 'INDEX_JOB_FAILED');
    assert.match(error.message, /\[EMBEDDER_MISMATCH\]/);
    const whole = await ask(reindex, WAIT);
    assert.deepEqual([whole.embedding.state, whole.embedding.chunks.embedded], ['succeeded', 4]);
  }));

test('up to fifty failed chunks are listed, and each call tries them again', () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`n${at}.md`, `word${at}`]));
  return withVectors(async ({ ask, fake, folder, warnings }) => {
    fake.become({ poison: { poison: 'rejected' } });
    for (let at = 0; at < 60; at += 1) folder.put(`n${at}.md`, `poison ${at}`);
    const job = await ask(reindex, WAIT);
    assert.deepEqual([job.embedding.state, job.embedding.chunks.failed], ['succeeded', 60]);
    assert.equal(job.embedding.failures.length, 50);
    assert.deepEqual(Object.keys(job.embedding.failures[0]), ['path', 'code', 'message']);
    assert.deepEqual(
      [job.embedding.failures[0].path, job.embedding.failures[0].code],
      ['n0.md:1-1', 'PROVIDER_REJECTED_INPUT'],
    );
    assertEach(warnings, ({ code, count }) => [code, count], [['QUARANTINED', 60]]);
    fake.become({ poison: {} });
    const again = await ask(reindex, WAIT);
    assert.deepEqual(again.embedding.chunks, { embedded: 60, kept: 0, failed: 0, requests: 4 });
  }, many);
});

const PULLED = { capability: 'embedding', provider: 'fake', model: 'hashed-words' } as const;

test('a pull is followed and cancelled like any other job', () =>
  withVectors(async ({ ask, indexer }) => {
    const { id } = indexer.startPull((onProgress) => {
      onProgress(0.4);
      return new Promise(() => {});
    }, PULLED);
    const job = await ask(reindex, { job_id: id, wait_ms: 0 });
    assert.deepEqual([job.kind, job.phase, job.counts.done, job.counts.changed], ['pull', 'pulling', 40, 100]);
    await ask(reindex, { job_id: id, cancel: true });
    assert.equal((await ask(reindex, { job_id: id, ...WAIT })).state, 'cancelled');
  }));
