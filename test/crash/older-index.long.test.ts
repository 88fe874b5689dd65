// S2: an index of an older version is migrated completely or not at all, and its notes are read again if the parser rules changed.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { prepareDatabase } from '../../src/providers/sqlite/database/migrate-database.ts';
import { addChecksumFunction } from '../../src/providers/sqlite/database/open-database.ts';
import { SCHEMA_STEPS } from '../../src/providers/sqlite/database/schema.ts';
import { fillNotes } from '../indexing/embed/embedding-under-test.ts';
import { signal } from '../indexing/index-under-test.ts';
import { createVaultFolder, type VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { assertLike, coldRows, doWork, endWork, forgetSent, indexFileIn, sentTexts, startWork } from './crashing.ts';
import type { IndexRows } from './index-rows.ts';

const OLDER_VERSION = SCHEMA_STEPS.length;
const NEXT = { isNext: true };
const DONE = 'succeeded - succeeded -';
const NOTES = 60;

describe('S2 an index of an older version', () => {
  let folder: VaultFolder;
  let cold: IndexRows;
  before(async () => {
    folder = createVaultFolder();
    fillNotes(folder, NOTES);
    cold = await coldRows(folder);
  });
  after(() => folder.delete());
  afterEach(endWork);
  beforeEach(() => {
    rmSync(join(folder.outside, 'data'), { recursive: true, force: true });
    cpSync(join(folder.outside, 'cold'), join(folder.outside, 'data'), { recursive: true });
    forgetSent(folder);
  });
  const file = (): string => indexFileIn(folder);
  const backup = (): string => `${file()}.schema-${OLDER_VERSION}`;

  it('S2 is migrated after a backup, without embedding anything again', async () => {
    assert.equal((await doWork(folder, NEXT)).said, DONE);
    assertLike(cold, folder, 'migrated');
    assert.deepEqual(sentTexts(folder), []);
    assert.equal(versionOf(backup()), OLDER_VERSION);
  });

  for (const side of ['before', 'after'] as const) {
    it(`S2 whose migration is killed ${side} its commit is intact, and the next start finishes the migration`, async () => {
      const { status } = await doWork(folder, { ...NEXT, failpoint: { work: 'migrate', side, at: 1, deed: 'kill' } });
      assert.equal(status, 'SIGKILL');
      assert.equal(versionOf(backup()), OLDER_VERSION);
      assert.equal(versionOf(file()), side === 'before' ? OLDER_VERSION : OLDER_VERSION + 1);
      if (side === 'before') await prepareDatabase(Database, file(), signal);
      assert.equal((await doWork(folder, NEXT)).said, DONE);
      assertLike(cold, folder, `killed ${side}`);
    });
  }

  it('S2 whose migration fails is unchanged, and the older version still opens it', async () => {
    const { said, status } = await doWork(folder, {
      ...NEXT,
      failpoint: { work: 'migrate', side: 'before', at: 1, deed: 'throw' },
    });
    assert.match(`${said} ${status}`, /STORE_FULL|1$/);
    assert.equal(versionOf(file()), OLDER_VERSION);
    await prepareDatabase(Database, file(), signal);
    assert.equal((await doWork(folder, NEXT)).said, DONE);
    assertLike(cold, folder, 'failed, then migrated');
  });

  it('S2 can be read by other processes during the migration', async () => {
    const { child, ended } = startWork(folder, {
      ...NEXT,
      failpoint: { work: 'migrate', side: 'before', at: 1, deed: 'stop' },
    });
    await untilStopped(child.pid);
    const reader = new Database(file(), { readonly: true });
    assert.equal(reader.prepare('SELECT count(*) FROM contents').pluck().get(), NOTES);
    assert.throws(() => new Database(file(), { timeout: 0 }).exec('BEGIN IMMEDIATE'), { code: 'SQLITE_BUSY' });
    child.kill('SIGCONT');
    assert.equal((await ended).said, DONE);
    assert.equal(reader.pragma('user_version', { simple: true }), OLDER_VERSION + 1);
    reader.close();
  });

  it('S2 is migrated by one of two processes, and the other waits for it', async () => {
    const first = startWork(folder, { ...NEXT, failpoint: { work: 'migrate', side: 'before', at: 1, deed: 'stop' } });
    await untilStopped(first.child.pid);
    const second = startWork(folder, { ...NEXT, kind: 'catch_up' });
    // Longer than a call waits for a lock.
    await sleep(3_000);
    assert.equal(second.child.exitCode, null);
    first.child.kill('SIGCONT');
    const said = (await Promise.all([first.ended, second.ended])).map((one) => one.said);
    assert.ok(said.includes(DONE), said.join(' / '));
    assert.doesNotMatch(said.join(), /STORE_|INTERNAL/);
    assert.equal((await doWork(folder, NEXT)).said, DONE);
    assertLike(cold, folder, 'after two');
    assert.equal(versionOf(backup()), OLDER_VERSION);
    assert.equal(existsSync(`${backup()}.part`), false);
  });

  it('S2 is read again once if the parser rules changed, and its vectors are kept', async () => {
    const database = new Database(file());
    addChecksumFunction(database);
    database.exec(`UPDATE state SET rules = 0; UPDATE contents SET headings = '[["Stale",1,1,0]]'; DELETE FROM links`);
    database.close();
    rmSync(`${file()}.seal`, { force: true });
    const migrated = await doWork(folder);
    assert.equal(migrated.said, DONE);
    assert.ok(migrated.commits.filter((work) => work === 'apply').length >= 1, 'notes were written again');
    assertLike(cold, folder, 'by the rules of now');
    assert.deepEqual(sentTexts(folder), []);
    const again = await doWork(folder);
    assert.equal(again.commits.includes('apply'), false, 'nothing is left to be read');
  });
});

function versionOf(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true }) as number;
  } finally {
    database.close();
  }
}

async function untilStopped(pid: number | undefined): Promise<void> {
  for (let look = 0; look < 3_000; look += 1) {
    if (/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return;
    await sleep(20);
  }
  assert.fail('the process never stopped');
}
