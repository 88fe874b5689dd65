// Damaged and foreign index files, and the location of the index file.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { addChecksumFunction } from '../../../../src/providers/sqlite/database/open-database.ts';
import { APPLICATION_ID, SCHEMA_STEPS } from '../../../../src/providers/sqlite/database/schema.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import { ALL, asPath, fill, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from './index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const query = { terms: [{ text: 'water', kind: 'word', negated: false } as const], match: 'any' } as const;
const open = (path: string) => sqliteProvider.open({ path }, folder.context, signal);

async function filledFile(): Promise<string> {
  const { capability: store, close } = await folder.open();
  const texts = Array.from({ length: 300 }, (_, i) => [`n${i}.md`, `water number ${i} #tide [[n${i + 1}]]`]);
  await fill(store, Object.fromEntries(texts));
  await close();
  return folder.file;
}

async function refill(): Promise<void> {
  rmSync(folder.context.dataFolder, { recursive: true, force: true });
  const { capability: store, close } = await folder.open();
  await fill(store, { 'n1.md': '# Water\n#tide [[n2]]', 'n2.md': 'water' });
  await close();
}

/** Runs SQL. The rows that it changes get the checksum of their new values. */
function change(file: string, sql: string): void {
  const database = new Database(file);
  addChecksumFunction(database);
  database.exec(sql);
  database.close();
}

/** Overwrites the first page of a table. */
function spoil(file: string, table: string): void {
  const database = new Database(file, { readonly: true });
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number;
  const size = database.pragma('page_size', { simple: true }) as number;
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, (page - 1) * size, page * size);
  writeFileSync(file, bytes);
}

describe('S1: a damaged or foreign file', () => {
  it('is refused unchanged if it is a text, truncated, foreign or a folder', async () => {
    const file = await filledFile();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    writeFileSync(join(folder.context.dataFolder, 'text.db'), 'This is no database.\n'.repeat(100));
    writeFileSync(join(folder.context.dataFolder, 'short.db'), 'SQLite format 3\0');
    const foreign = new Database(join(folder.context.dataFolder, 'foreign.db'));
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    for (const name of ['index.db', 'text.db', 'short.db', 'foreign.db']) {
      const path = join(folder.context.dataFolder, name);
      const before = hashOf(path);
      await assert.rejects(open(path), (error: VaultgraphError<'STORE_CORRUPT'>) => {
        assert.equal(error.code, 'STORE_CORRUPT');
        return error.details.file.endsWith(name);
      });
      assert.equal(hashOf(path), before);
    }
    mkdirSync(join(folder.context.dataFolder, 'folder.db'));
    await assert.rejects(open(join(folder.context.dataFolder, 'folder.db')), { category: 'store' });
  });

  it('is not set aside if it is the database of another program that a config names, and is where it is empty or damaged', async () => {
    mkdirSync(folder.context.dataFolder);
    const path = join(folder.context.dataFolder, 'theirs.db');
    const theirs = new Database(path);
    theirs.exec('CREATE TABLE theirs (x)');
    theirs.close();
    const before = hashOf(path);
    const aside = async () => sqliteProvider.setAside?.({ path }, folder.context);
    await assert.rejects(aside(), { code: 'STORE_UNAVAILABLE' });
    assert.equal(hashOf(path), before);
    for (const text of ['', 'This is no database.']) {
      writeFileSync(path, text);
      assert.match((await aside()) ?? '', /aside$/);
    }
  });

  it('is refused unchanged if its tables are not those of its version', async () => {
    for (const sql of [
      'PRAGMA user_version = -1',
      'PRAGMA user_version = 0',
      'DROP TABLE names',
      'DROP INDEX unread_files',
    ]) {
      await refill();
      change(folder.file, sql);
      const before = hashOf(folder.file);
      await assert.rejects(folder.open(), { code: 'STORE_CORRUPT' }, sql);
      assert.equal(hashOf(folder.file), before, sql);
    }
  });

  it('is refused unchanged if it is of another program with the same application id', async () => {
    mkdirSync(folder.context.dataFolder);
    for (const version of [0, 1, SCHEMA_STEPS.length]) {
      rmSync(folder.file, { force: true });
      change(
        folder.file,
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}; CREATE TABLE t (x)`,
      );
      const before = hashOf(folder.file);
      await assert.rejects(folder.open(), { code: 'STORE_CORRUPT' }, String(version));
      assert.equal(hashOf(folder.file), before);
    }
  });

  it('is reported while the store is open, if a table or a stored JSON text is damaged', async () => {
    for (const [sql, read] of [
      ['DROP TABLE links', (store) => store.links(asPath('n1.md'), 'out', ALL, signal)],
      ['DROP TABLE text_segments', (store) => store.searchText(query, {}, ALL, signal)],
      [`UPDATE contents SET headings = '[['`, (store) => store.notes([asPath('n1.md')], signal)],
      [`UPDATE lease SET holder = '{'`, (store) => store.lease(signal)],
      ['DROP TABLE contents', (store) => fill(store, { 'new.md': 'text' })],
    ] satisfies [string, (store: Store) => Promise<unknown>][]) {
      await refill();
      const { capability: store, close } = await folder.open();
      change(folder.file, sql);
      await assert.rejects(read(store), { code: 'STORE_CORRUPT' }, sql);
      await close();
    }
  });

  it('becomes a new index if it is empty', async () => {
    mkdirSync(folder.context.dataFolder);
    writeFileSync(folder.file, '');
    const { capability: store, close } = await folder.open();
    assert.equal((await store.counts(signal)).files, 0);
    await close();
  });

  it('is refused at the start if any page is damaged, also one that no call reads', async () => {
    for (const table of ['links', 'text_segments', 'quarantine']) {
      await refill();
      spoil(folder.file, table);
      await assert.rejects(folder.open(), { code: 'STORE_CORRUPT' }, table);
    }
  });

  it('is refused at the start if its schema is damaged', async () => {
    const file = await filledFile();
    spoil(file, 'state');
    await assert.rejects(folder.open(), { code: 'STORE_CORRUPT' });
  });
});

describe('the location of the index', () => {
  it('is the data folder, private to the user, or the configured file', async () => {
    const { close } = await folder.open();
    await close();
    assert.equal(statSync(folder.context.dataFolder).mode & 0o777, 0o700);
    assert.ok(existsSync(folder.file));
    const elsewhere = join(folder.context.dataFolder, 'deep', 'er', 'my.db');
    await (await open(elsewhere)).close();
    assert.ok(existsSync(elsewhere));
  });

  it('is never inside the vault, also not through symbolic links', async () => {
    const { vaultRoot, dataFolder } = folder.context;
    mkdirSync(dataFolder);
    symlinkSync(vaultRoot, join(dataFolder, 'way'));
    const inside = ['x.db', 'new/x.db', '..new/x.db'].map((name) => join(vaultRoot, name));
    for (const path of [...inside, join(dataFolder, 'way', 'x.db'), join(dataFolder, '..', 'vault', 'x.db')]) {
      await assert.rejects(open(path), { code: 'STORE_UNAVAILABLE' });
    }
    const { context } = folder;
    await assert.rejects(sqliteProvider.open({}, { ...context, dataFolder: vaultRoot }, signal), {
      code: 'STORE_UNAVAILABLE',
    });
    assert.equal(existsSync(join(vaultRoot, 'new')), false);
    await (await open(join(dataFolder, '..', 'vault.db'))).close();
  });

  it('is an absolute path or one below the home folder', () => {
    assert.deepEqual(sqliteProvider.config.parse({}), {});
    assert.deepEqual(sqliteProvider.config.parse({ path: '~/x.db' }), { path: '~/x.db' });
    for (const given of [{ path: 'x.db' }, { path: '' }, { path: 5 }, { file: '/x.db' }]) {
      assert.equal(sqliteProvider.config.safeParse(given).success, false);
    }
  });

  it('is unavailable if its folder cannot be created', async () => {
    mkdirSync(folder.context.dataFolder);
    writeFileSync(join(folder.context.dataFolder, 'file'), '');
    await assert.rejects(open(join(folder.context.dataFolder, 'file', 'x.db')), (error) => {
      assert.ok(error instanceof VaultgraphError);
      return error.code === 'STORE_UNAVAILABLE';
    });
  });
});
