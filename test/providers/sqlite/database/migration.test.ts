// S2: migrations between schema versions, with steps made for the tests.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { VaultgraphError } from '../../../../src/base/errors.ts';
import { prepareDatabase } from '../../../../src/providers/sqlite/database/migrate-database.ts';
import { namesIn, SCHEMA_STEPS } from '../../../../src/providers/sqlite/database/schema.ts';
import { fill, rewrite, signal } from '../../../contracts/store/law.ts';
import { EAST, embed, nearChunks, opened, pendingNotes } from '../../../contracts/store/vector-vault.ts';
import { createIndexFolder, type IndexFolder } from './index-folder.ts';

/** The last version whose full-text index was FTS5's. */
const BEFORE_POSTINGS = 10;

/** The first letters of the digest of each step that was ever released. */
const RELEASED = ['a184969d88ad4893'];

const FIRST = 'CREATE TABLE one (x); INSERT INTO one VALUES (1);';
const SECOND = 'CREATE TABLE two (x); INSERT INTO two SELECT x + 1 FROM one;';
const BROKEN = 'CREATE TABLE three (x); INSERT INTO nowhere VALUES (1);';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
  mkdirSync(folder.context.dataFolder);
});
afterEach(() => folder.remove());

const prepare = (...steps: string[]) => prepareDatabase(Database, folder.file, signal, steps);
/** Takes back the steps after a version, as far as the tests need it. */
function asVersion(file: string, version: number): void {
  const database = new Database(file);
  const typeOf = database.prepare('SELECT type FROM sqlite_schema WHERE name = ?').pluck();
  for (const name of namesIn(SCHEMA_STEPS.slice(version))) database.exec(`DROP ${typeOf.get(name)} ${name}`);
  database.exec('CREATE VIRTUAL TABLE texts USING fts5 (body)');
  database.pragma(`user_version = ${version}`);
  database.close();
}

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

  it('an index of the first version keeps its notes and can store vectors', async () => {
    await prepare(...SCHEMA_STEPS.slice(0, 1));
    const old = new Database(folder.file);
    old.exec(`INSERT INTO files (path, name_key, kind, size, modified, evicted, conflict_copy, hash, edges_revision)
      VALUES ('Ebb.md', 'ebb.md', 'note', 5, 1000, 0, 0, 'hash of water', 0); UPDATE state SET revision = 7`);
    old.close();
    const { capability: store, close } = await folder.open();
    assert.equal((await store.counts(signal)).revision, 7);
    const generation = await opened(store);
    assert.deepEqual(await pendingNotes(store, generation), ['Ebb.md']);
    await embed(store, generation, { 'Ebb.md': ['water', ['1', EAST]] });
    await store.activate(generation.id, signal);
    assert.deepEqual(await nearChunks(store, generation, EAST), ['Ebb.md 1-10 1.00']);
    await fill(store, { 'Flow.md': 'high' });
    assert.deepEqual(await store.integrity(signal), []);
    await close();
    const backup = new Database(`${folder.file}.schema-1`, { readonly: true });
    assert.deepEqual(backup.prepare('SELECT path FROM files').pluck().all(), ['Ebb.md']);
    backup.close();
  });

  it('an index without words says that no note is searched yet, until all notes are read again', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'water', 'Flow.md': 'water' });
    await store.completeScan('2026-11-22T10:00:00.000Z', signal);
    await close();
    asVersion(folder.file, BEFORE_POSTINGS);
    const { capability: migrated, close: closeAgain } = await folder.open();
    const { indexed, pending, scannedAt } = await migrated.progress(signal);
    assert.deepEqual([indexed, pending, scannedAt], [0, 2, null]);
    assert.deepEqual(
      (await migrated.fileStates(signal)).map(({ hash }) => hash),
      [null, null],
    );
    await rewrite(migrated, { 'Ebb.md': 'water' });
    assert.deepEqual(await migrated.mentions('water', 9, signal), ['Ebb.md']);
    assert.equal((await migrated.progress(signal)).pending, 1);
    assert.deepEqual(await migrated.integrity(signal), []);
    await closeAgain();
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
});
