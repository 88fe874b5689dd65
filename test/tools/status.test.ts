// status over a real vault: what is there, and what is said when a part of it cannot be told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { status } from '../../src/tools/status.ts';
import { REPORT, withTools } from './tools-under-test.ts';

const FILES = { 'a.md': '[[b]] #tag', 'b.md': '---\na: b: c\n---\n[[nix]]' };

test('the server, its index, counts, quarantine and jobs', () =>
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

test('at most twenty quarantined files are shown; the count is whole', () => {
  const broken = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`n${at}.md`, '---\na: b: c\n---\n']));
  return withTools(broken, async ({ ask }) => {
    const answer = await ask(status);
    assert.equal(answer.quarantine.length, 20);
    assert.equal(answer.index.quarantined, 25);
  });
});

test('a part that fails is told with its code, and the rest stands', () =>
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

test('a failed job is told with its error', () =>
  withTools(FILES, async ({ ask, folder, run }) => {
    folder.vanish();
    await run();
    const answer = await ask(status);
    assert.equal(answer.index.freshness, 'unknown');
    assert.equal(answer.index.last_error.code, 'VAULT_UNAVAILABLE');
    assert.equal(answer.jobs[0].state, 'failed');
    assert.equal(answer.jobs[0].error.code, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));
