// An index that another program keeps locked: reads go on, and what needs the lock ends at its limit with STORE_BUSY and a hint.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { configFile, indexFile, openSession, runBeside, temporaryFolder } from './session.ts';

const MAX_WAIT_MS = 2_000;

function assertBusy(text: string): void {
  const [, waited] = /STORE_BUSY.*another process has locked the index \(waited (\d+) ms\)/s.exec(text) ?? [];
  assert.ok(Number(waited) <= MAX_WAIT_MS, text);
  assert.match(text, /another vaultgraph or a backup, has locked the same index\. Try again/);
}

function setUp(context: TestContext) {
  const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
  for (let at = 0; at < 3; at += 1) writeFileSync(join(vault, `Note ${at}.md`), `quokka ${at} [[Note ${at + 1}]]`);
  return { vault, dataFolder, config: configFile(context, 'vault:\n  access: read-write\n') };
}

test('a write lock on the index: searches answer, notes are written, and what has to write the index is STORE_BUSY', async (context) => {
  const place = setUp(context);
  const session = await openSession(context, place);
  await session.indexed();
  const holder = new Database(indexFile(place.dataFolder));
  holder.exec('BEGIN EXCLUSIVE');
  const found = (await session.call('search_text', { query: 'quokka' })).structured;
  assert.equal(found.data?.total, 3, JSON.stringify(found));
  assertBusy((await session.call('list_notes', { require_fresh: true })).text);
  const written = (await session.call('create_note', { path: 'New.md', content: 'a wombat' })).structured;
  assert.equal(written.ok, true);
  assert.ok(
    written.warnings.some(({ code }: { code: string }) => code === 'INDEX_PENDING'),
    JSON.stringify(written),
  );
  assert.match(readFileSync(join(place.vault, 'New.md'), 'utf8'), /a wombat/);
  assert.equal((await session.call('status')).structured.ok, true);
  holder.close();
  const after = (await session.call('search_text', { query: 'wombat', require_fresh: true })).structured;
  assert.equal(after.data?.total, 1, JSON.stringify(after));
});

test('an index that cannot even be read: commands and a server end with STORE_BUSY and what holds them up', async (context) => {
  const { vault, dataFolder, config } = setUp(context);
  const run = (...args: string[]) =>
    runBeside(context, [...args, '--vault', vault, '--data-dir', dataFolder, '--config', config]);
  assert.equal((await run('index')).status, 0);
  const holder = new Database(indexFile(dataFolder));
  holder.pragma('locking_mode = EXCLUSIVE');
  holder.exec('BEGIN EXCLUSIVE');
  for (const args of [['status'], ['call', 'list_notes', '{}'], ['serve']]) {
    const { status, stdout, stderr } = await run(...args);
    assert.deepEqual([status === 0, stdout], [false, ''], args[0]);
    assertBusy(stderr);
  }
  holder.close();
});
