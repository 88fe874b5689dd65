// A file that cannot be made again is set aside if another look finds the damage, and never because the disk did not read it once.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { toVaultgraphError } from '../../../../src/base/errors.ts';
import { openKeptReader, setAsideIfDamaged } from '../../../../src/providers/sqlite/database/kept-file.ts';
import { toStoreError } from '../../../../src/providers/sqlite/database/store-errors.ts';

/** As the engine throws it, also for a read that the disk refused. */
const CODES = ['SQLITE_CORRUPT', 'SQLITE_IOERR_CORRUPTFS'];

for (const [code, isDamaged] of CODES.flatMap((each) => [[each, true] as const, [each, false] as const]))
  test(`after ${code} ${isDamaged ? 'that is found again the file is set aside' : 'that is gone the file is kept'}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-kept-'));
    const file = join(folder, 'history.db');
    const database = new Database(file);
    database.exec('CREATE TABLE texts (x)');
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    for (let at = 0; at < 200; at += 1) insert.run('text '.repeat(100));
    database.close();
    if (isDamaged) writeFileSync(file, readFileSync(file).fill(0xa5, 4_096, 12_288));
    const thrown = Object.assign(new Error('database disk image is malformed'), { name: 'SqliteError', code });
    assert.equal(setAsideIfDamaged(Database, file, toStoreError(thrown, { op: 'history', file })), isDamaged);
    assert.deepEqual([existsSync(file), existsSync(`${file}.damaged`)], [!isDamaged, isDamaged]);
    rmSync(folder, { recursive: true });
  });

test('a file whose log the system refuses to read is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-kept-'));
  const file = join(folder, 'changes.db');
  writeFileSync(file, 'no database'.repeat(1_000));
  // As an unreadable file does for the engine, it fails with a system error.
  mkdirSync(`${file}-wal`);
  const thrown = Object.assign(new Error('disk I/O error'), { name: 'SqliteError', code: 'SQLITE_CORRUPT' });
  const error = toStoreError(thrown, { op: 'feed', file });
  assert.deepEqual([setAsideIfDamaged(Database, file, error), existsSync(file)], [false, true]);
  rmdirSync(`${file}-wal`);
  assert.deepEqual([setAsideIfDamaged(Database, file, error), existsSync(file)], [true, false]);
  rmSync(folder, { recursive: true });
});

test('a hint about a file that is not the index leads to no command for the index', () => {
  const codes = ['CORRUPT', 'FULL', 'IOERR_FSYNC', 'IOERR_SHMSIZE', 'PROTOCOL', 'BUSY', 'READONLY', 'CANTOPEN'];
  for (const code of [...codes.map((each) => `SQLITE_${each}`), 'EIO', 'EMFILE', 'EACCES', 'ENOENT'])
    for (const [op, name] of Object.entries({ feed: 'changes.db', history: 'history.db' })) {
      const thrown = Object.assign(new Error(code), { name: 'SqliteError', code });
      const error = toVaultgraphError(toStoreError(thrown, { op, file: `/state/${name}` }));
      assert.doesNotMatch(`${error.message} ${error.hint}`, /index|--data-dir|--rebuild/, code);
      assert.deepEqual(error.actions, [], code);
    }
});

test('a file that is removed while it is opened is no file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-kept-'));
  const file = join(folder, 'changes.db');
  writeFileSync(file, '');
  class Removing extends Database {
    constructor(path: string, options?: Database.Options) {
      rmSync(path, { force: true });
      super(path, options);
    }
  }
  const kept = { op: 'feed', id: 1, version: 1, make: () => assert.fail('nothing is made to be read') };
  assert.equal(openKeptReader(Removing, file, kept, 0), undefined);
  assert.throws(() => openKeptReader(Database, folder, kept, 0));
  rmSync(folder, { recursive: true });
});
