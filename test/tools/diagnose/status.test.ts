// Tests status on a real vault: its parts, and what it reports if one of them fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { status } from '../../../src/tools/diagnose/status.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { embedEnded } from '../../indexing/index-under-test.ts';
import { REPORT, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const FILES = { 'a.md': '[[b]] #tag', 'b.md': '---\na: b: c\n---\n[[nix]]' };

test('status reports the server, its index, counts, quarantine and jobs', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(status);
    assert.equal(answer.version, REPORT.version);
    assert.deepEqual(answer.capabilities, { present: [], absent: [] });
    assert.equal(answer.index.freshness, 'fresh');
    assert.equal(answer.index.complete, true);
    assert.deepEqual([answer.index.total, answer.index.indexed, answer.index.pending], [2, 2, 0]);
    assert.deepEqual([answer.counts.notes, answer.counts.links, answer.counts.unresolved], [2, 2, 1]);
    assert.deepEqual(
      answer.quarantine.map(({ path, phase, code }: Record<string, string>) => [path, phase, code]),
      [['b.md', 'parse', 'PROPERTIES_INVALID']],
    );
    assert.equal(answer.jobs[0].state, 'succeeded');
    assert.equal('unavailable' in answer, false);
  }));

test('at most fifty quarantined files are listed; the total counts all', () => {
  const broken = Object.fromEntries(Array.from({ length: 55 }, (_, at) => [`n${at}.md`, '---\na: b: c\n---\n']));
  return withTools(broken, async ({ ask }) => {
    const answer = await ask(status);
    assert.equal(answer.quarantine.length, 50);
    assert.deepEqual([answer.index.quarantined, answer.quarantine_total], [55, 55]);
  });
});

test('a part that fails is reported with its code, and the others are complete', () =>
  withTools(FILES, async ({ ask }) => {
    const report = async () => {
      throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
    };
    const answer = await ask(status, {}, { report });
    assert.deepEqual(
      answer.unavailable.map(({ part, code }: Record<string, string>) => [part, code]),
      [['server', 'VAULT_UNAVAILABLE']],
    );
    assert.equal(answer.counts.notes, 2);
    assert.equal('version' in answer, false);
  }));

test('an interrupted job is reported with its error', () =>
  withTools(FILES, async ({ ask, folder, run }) => {
    folder.vanish();
    await run();
    const answer = await ask(status);
    assert.equal(answer.index.freshness, 'unknown');
    assert.equal(answer.index.last_error.code, 'VAULT_UNAVAILABLE');
    assert.equal(answer.jobs[0].state, 'interrupted');
    assert.equal(answer.jobs[0].error.code, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));

test('without an embedding provider there is no embedding part', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(status);
    assert.equal('embedding' in answer, false);
  }));

test('each generation is listed with its counts, and every failed chunk with its reason', () => {
  const fake = fakeEmbedding({ poison: { poison: 'too long' } });
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`n${at}.md`, at < 45 ? `poison ${at}` : `words ${at}`]),
  );
  const check = async ({ ask, run, indexer }: ToolsUnderTest): Promise<void> => {
    await embedEnded(indexer);
    const answer = await ask(status);
    const [row] = answer.embedding;
    assert.deepEqual([row.role, row.model, row.state, answer.embedding.length], ['main', 'hashed-words', 'active', 1]);
    assert.deepEqual([row.embedded, row.pending, row.total], [61, 0, 61]);
    assert.deepEqual([row.chunks, row.failed_chunks], [16, 45]);
    assert.ok(Date.parse(row.activated_at) > 0);
    assert.equal(row.job, indexer.state().embedJob?.id);
    assert.equal(answer.quarantine_total, 46);
    const [file, ...chunks] = answer.quarantine;
    assert.deepEqual([file.path, file.phase, chunks.length], ['x.md', 'parse', 45]);
    const { first, last, reason, ...chunk } = chunks[0];
    assert.deepEqual(chunk, {
      ...{ path: 'n0.md', phase: 'embed', chunk: 0, lines: [1, 1] },
      ...{ code: 'PROVIDER_INPUT_TOO_LONG', attempts: 1 },
    });
    assert.match(reason, /longer than the context/);
    assert.ok(Date.parse(first) <= Date.parse(last));
    fake.become({ digest: 'sha256:next', hang: true });
    await run();
    const hanging = await ask(status);
    const [job] = hanging.jobs;
    assert.deepEqual([job.kind, job.state, job.phase], ['embed', 'running', 'identifying']);
    assert.equal(hanging.embedding[0].job, job.job_id);
  };
  return withTools({ ...files, 'x.md': '---\na: b: c\n---\n' }, check, { embedding: fake.provider, embeds: true });
});

test('an embed job that cannot reach its provider is reported before there is any generation', () => {
  const { provider } = fakeEmbedding({ down: true });
  const check = async ({ ask, indexer }: ToolsUnderTest): Promise<void> => {
    await embedEnded(indexer);
    const answer = await ask(status);
    assert.deepEqual(answer.embedding, []);
    assert.deepEqual([answer.jobs[0].state, answer.jobs[0].error.code], ['interrupted', 'PROVIDER_UNAVAILABLE']);
    assert.deepEqual([answer.index.freshness, 'last_error' in answer.index], ['fresh', false]);
  };
  return withTools(FILES, check, { embedding: provider, embeds: true });
});

test('vectors of a model that changed under its name are not called active', () => {
  const fake = fakeEmbedding();
  const check = async ({ ask, run, indexer }: ToolsUnderTest): Promise<void> => {
    await embedEnded(indexer);
    assert.equal((await ask(status)).embedding[0].state, 'active');
    fake.become({ digest: 'sha256:next' });
    await run();
    await embedEnded(indexer);
    const { embedding, jobs } = await ask(status);
    assert.deepEqual([jobs[0].error.code, embedding[0].state], ['EMBEDDER_MISMATCH', 'mismatched']);
  };
  return withTools(FILES, check, { embedding: fake.provider, embeds: true });
});
