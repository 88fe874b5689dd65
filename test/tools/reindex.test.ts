// reindex over a real vault: start, follow, cancel, and the combinations that make no sense.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reindex } from '../../src/tools/reindex.ts';
import { searchText } from '../../src/tools/search_text.ts';
import { withTools } from './tools-under-test.ts';

const WAIT = { wait_ms: 45_000 };
const FILES = { 'a.md': 'first', 'b.md': 'second', 'x/T.md': '', 'y/T.md': '' };

test('brings what changed into the index', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.put('c.md', 'third');
    folder.remove('b.md');
    const job = await ask(reindex, WAIT);
    assert.deepEqual([job.kind, job.state, job.phase], ['catch_up', 'succeeded', 'ended']);
    assert.deepEqual([job.counts.indexed, job.counts.removed, job.counts.failed], [1, 1, 0]);
    assert.equal((await ask(searchText, { query: 'third' })).total, 1);
    assert.equal((await ask(searchText, { query: 'second' })).total, 0);
  }));

test('reads the named notes again, also one that is new', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.put('new.md', 'brand');
    const job = await ask(reindex, { notes: ['a', 'new'], ...WAIT });
    assert.deepEqual([job.kind, job.state], ['notes', 'succeeded']);
    assert.equal((await ask(searchText, { query: 'brand' })).total, 1);
  }));

test('rebuilds when confirmed', () =>
  withTools(FILES, async ({ ask, refusal }) => {
    const error = await refusal(reindex, { rebuild: true }, 'CONFIRMATION_REQUIRED');
    assert.match(error.message, /4 notes/);
    const job = await ask(reindex, { rebuild: true, confirm: true, ...WAIT });
    assert.deepEqual([job.kind, job.state, job.counts.indexed], ['rebuild', 'succeeded', 4]);
    assert.equal((await ask(searchText, { query: 'first' })).total, 1);
  }));

test('a scan that would drop most notes waits for a confirmation', () => {
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

test('answers before the job ends, then follows or cancels it', () => {
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

test('progress is told while a call waits, and the wait ends with the call', () => {
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

test('refusals', () =>
  withTools(FILES, async ({ refusal, folder }) => {
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
  }));
