// S2: migrations between schema versions, with steps made for the tests.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { VaultgraphError } from '../../../../src/base/errors.ts';
import { prepareDatabase } from '../../../../src/providers/sqlite/database/migrate-database.ts';
import { SCHEMA_STEPS, UNPUBLISHED_IDS } from '../../../../src/providers/sqlite/database/schema.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import { fill, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from './index-folder.ts';

/** The first letters of the digest of each step that is released. */
const RELEASED = ['882934ff7bf45a7b'];

const FIRST = 'CREATE TABLE one (x); INSERT INTO one VALUES (1);';
const SECOND = 'CREATE TABLE two (x); INSERT INTO two SELECT x + 1 FROM one;';
const BROKEN = 'CREATE TABLE three (x); INSERT INTO nowhere VALUES (1);';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
  mkdirSync(folder.context.dataFolder);
});
afterEach(() => folder.remove());

function asUnpublished(file: string, mark = UNPUBLISHED_IDS[0]): void {
  const database = new Database(file);
  database.pragma(`application_id = ${mark}`);
  database.pragma('user_version = 16');
  database.close();
}

const prepare = (...steps: string[]) => prepareDatabase(Database, folder.file, signal, steps);
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function tablesIn(file: string): unknown[] {
  const database = new Database(file, { readonly: true });
  const version = database.pragma('user_version', { simple: true });
  const names = database.prepare('SELECT name FROM sqlite_schema ORDER BY name').pluck().all();
  database.close();
  return [version, ...names];
}

describe('S2: schema versions', () => {
  it('a new file takes every step, without a backup', async () => {
    await prepare(FIRST, SECOND);
    assert.deepEqual(tablesIn(folder.file), [2, 'one', 'two']);
    assert.deepEqual(
      readdirSync(folder.context.dataFolder).filter((name) => name.includes('schema')),
      [],
    );
  });

  it('an older file takes the missing steps, after a backup', async () => {
    await prepare(FIRST);
    await prepare(FIRST, SECOND);
    assert.deepEqual(tablesIn(folder.file), [2, 'one', 'two']);
    assert.deepEqual(tablesIn(`${folder.file}.schema-1`), [1, 'one']);
    const before = hashOf(folder.file);
    await prepare(FIRST, SECOND);
    assert.equal(hashOf(folder.file), before);
  });

  it('a failed step rolls everything back, and the older version still opens the file', async () => {
    await prepare(FIRST);
    await assert.rejects(prepare(FIRST, SECOND, BROKEN), (error: VaultgraphError<'STORE_MIGRATION_FAILED'>) => {
      assert.equal(error.code, 'STORE_MIGRATION_FAILED');
      const { backup, ...rest } = error.details;
      assert.deepEqual(rest, { from: 1, to: 3, step: 3 });
      return backup.endsWith('index.db.schema-1');
    });
    assert.deepEqual(tablesIn(folder.file), [1, 'one']);
    assert.ok(existsSync(`${folder.file}.schema-1`));
    await prepare(FIRST);
    await prepare(FIRST, SECOND);
    assert.deepEqual(tablesIn(folder.file), [2, 'one', 'two']);
  });

  it('a newer file is not changed', async () => {
    await prepare(FIRST, SECOND);
    const before = hashOf(folder.file);
    await assert.rejects(prepare(FIRST), { code: 'STORE_SCHEMA_TOO_NEW', details: { found: 2, supported: 1 } });
    assert.equal(hashOf(folder.file), before);
  });

  it('two processes can migrate at the same time', async () => {
    await Promise.all([prepare(FIRST, SECOND), prepare(FIRST, SECOND), prepare(FIRST, SECOND)]);
    assert.deepEqual(tablesIn(folder.file), [2, 'one', 'two']);
  });

  it('released steps have not changed', () => {
    const digests = SCHEMA_STEPS.map((step) => createHash('sha256').update(step).digest('hex').slice(0, 16));
    assert.deepEqual(digests.slice(0, RELEASED.length), RELEASED);
  });

  it('notes are kept when a step is added', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'water' });
    await close();
    await prepare(...SCHEMA_STEPS, 'CREATE TABLE later (x)');
    const database = new Database(folder.file, { readonly: true });
    assert.deepEqual(database.prepare('SELECT path FROM files').pluck().all(), ['Ebb.md']);
    database.close();
    await assert.rejects(folder.open(), { code: 'STORE_SCHEMA_TOO_NEW' });
  });

  it('an index of a build before the first release is set aside with one message, and a new one is made', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'water' });
    await close();
    asUnpublished(folder.file);
    const before = hashOf(folder.file);
    const logged: string[] = [];
    const context = { ...folder.context, log: (_level: string, event: string) => void logged.push(event) };
    const { capability: made, probe, close: closeMade } = await sqliteProvider.open({}, context, signal);
    assert.equal((await made.counts(signal)).files, 0);
    assert.deepEqual(logged, ['index_rebuilt']);
    const { detail } = await probe(signal);
    const [, kept = ''] = /it was of an unpublished version; the old file is kept as (\S+\.aside)/.exec(detail) ?? [];
    assert.equal(hashOf(join(folder.context.dataFolder, kept)), before);
    await closeMade();
    const again = await folder.open();
    assert.equal(tablesIn(folder.file)[0], SCHEMA_STEPS.length);
    await again.close();
  });

  it('an index of a build before the first release is not moved while a process holds its lease', async () => {
    const { capability: store, close } = await folder.open();
    await store.takeLease({ client: 'a test', jobs: [] }, signal);
    const copy = join(folder.context.dataFolder, 'copy.db');
    const database = new Database(folder.file);
    await database.backup(copy);
    database.close();
    await close();
    asUnpublished(copy, UNPUBLISHED_IDS[1]);
    const before = hashOf(copy);
    await assert.rejects(sqliteProvider.open({ path: copy }, folder.context, signal), { code: 'INDEX_CONFLICT' });
    assert.equal(hashOf(copy), before);
  });
});
