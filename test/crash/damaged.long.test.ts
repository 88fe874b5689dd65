// S1: an index with damaged files opens normally or is refused with a reason; the vault is not changed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { setAside } from '../../src/providers/sqlite/database/index-file.ts';
import { APPLICATION_ID } from '../../src/providers/sqlite/database/schema.ts';
import { fillNotes } from '../indexing/embed/embedding-under-test.ts';
import { openIndex } from '../indexing/index-under-test.ts';
import { fingerprint } from '../journeys/fingerprint.ts';
import { createVaultFolder, type VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { coldRows, doWork, indexFileIn } from './crashing.ts';
import { assertSameRows, type IndexRows, indexRows } from './index-rows.ts';

const NOTES = 80;
const PAGE = 4_096;
const MAX_AGAIN = 3;

let folder: VaultFolder;
let cold: IndexRows;
const file = (): string => indexFileIn(folder);

/** Creates an index whose process was killed, so that its write-ahead log has commits that the file has not. */
async function layKilled(): Promise<void> {
  await doWork(folder, { data: 'killed', failpoint: { work: 'completeScan', side: 'after', at: 1, deed: 'kill' } });
  assert.ok(statSync(`${indexFileIn(folder, 'killed')}-wal`).size > 0);
}

before(async () => {
  folder = createVaultFolder();
  fillNotes(folder, NOTES);
  cold = withoutVectors(await coldRows(folder));
  await layKilled();
  // The write-ahead log of another vault's index.
  const other = createVaultFolder();
  fillNotes(other, 10, 500);
  await doWork(other, { failpoint: { work: 'completeScan', side: 'after', at: 1, deed: 'kill' } });
  copyFileSync(`${indexFileIn(other)}-wal`, join(folder.outside, 'foreign-wal'));
  other.delete();
});
after(() => folder.delete());

function withoutVectors(rows: IndexRows): IndexRows {
  const left = new Set(['generations', 'chunks', 'embedded', 'failed_chunks']);
  return Object.fromEntries(Object.entries(rows).filter(([table]) => !left.has(table)));
}

function overwrite(path: string, offset: number, bytes: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  closeSync(descriptor);
}

/** Exits while its pages are in the file and the rollback journal still exists. */
const CUT_OFF = `
  const database = new (require('better-sqlite3'))(process.argv[1]);
  database.exec('PRAGMA application_id = ${APPLICATION_ID}; PRAGMA cache_size = 1; BEGIN; CREATE TABLE files (path)');
  for (let n = 0; n < 5000; n += 1) database.exec("INSERT INTO files VALUES (hex(randomblob(200)))");
  process.kill(process.pid, 'SIGKILL');
`;

type Outcome = 'heals' | readonly string[];

/** `heals`: after a catch-up it equals an index built from nothing; otherwise it is refused with one of these codes, or heals. */
const CASES: readonly (readonly [what: string, damage: () => void, outcome: Outcome])[] = [
  ['no damage', () => undefined, 'heals'],
  ['no shared memory file', () => rmSync(`${file()}-shm`, { force: true }), 'heals'],
  ['a truncated shared memory file', () => writeFileSync(`${file()}-shm`, Buffer.alloc(1_000, 0xa5)), 'heals'],
  ['an overwritten shared memory file', () => writeFileSync(`${file()}-shm`, Buffer.alloc(32_768, 0xa5)), 'heals'],
  [
    'a write-ahead log truncated within a frame',
    () => truncateSync(`${file()}-wal`, Math.floor(statSync(`${file()}-wal`).size / 2)),
    'heals',
  ],
  [
    'a write-ahead log truncated within its header',
    () => truncateSync(`${file()}-wal`, 20),
    ['STORE_CORRUPT', 'STORE_ERROR'],
  ],
  ['a write-ahead log overwritten from the middle on', () => overwrite(`${file()}-wal`, 40_000, 50_000), 'heals'],
  ['a missing write-ahead log', () => rmSync(`${file()}-wal`), ['STORE_CORRUPT', 'STORE_ERROR']],
  [
    'the write-ahead log of another index',
    () => copyFileSync(join(folder.outside, 'foreign-wal'), `${file()}-wal`),
    ['STORE_CORRUPT', 'STORE_ERROR', 'STORE_SCHEMA_TOO_NEW'],
  ],
  [
    'a text file instead of the write-ahead log',
    () => writeFileSync(`${file()}-wal`, 'no log\n'.repeat(9_000)),
    ['STORE_CORRUPT', 'STORE_ERROR'],
  ],
  ['an empty file and an existing write-ahead log', () => truncateSync(file(), 0), ['STORE_CORRUPT', 'STORE_ERROR']],
  ['a missing file and an existing write-ahead log', () => rmSync(file()), ['STORE_CORRUPT', 'STORE_ERROR']],
  [
    'an interrupted first commit',
    () => {
      for (const part of ['', '-wal', '-shm']) rmSync(file() + part);
      assert.equal(spawnSync(process.execPath, ['-e', CUT_OFF, file()]).signal, 'SIGKILL');
      assert.ok(existsSync(`${file()}-journal`));
    },
    'heals',
  ],
  ['a text file instead of the database', () => writeFileSync(file(), 'no database\n'.repeat(900)), ['STORE_CORRUPT']],
  ['a truncated file', () => truncateSync(file(), PAGE / 2), ['STORE_CORRUPT']],
  [
    'a folder instead of the file',
    () => {
      rmSync(file());
      mkdirSync(file());
    },
    ['STORE_CORRUPT', 'STORE_UNAVAILABLE'],
  ],
  [
    'a broken symbolic link instead of the file',
    () => {
      rmSync(file());
      symlinkSync(join(folder.outside, 'nowhere', 'index.db'), file());
    },
    ['STORE_UNAVAILABLE'],
  ],
];

describe('S1 an index with', () => {
  for (const [what, damage, outcome] of CASES) {
    it(`S1 ${what}`, async () => {
      layIndex();
      const vault = fingerprint(folder.root);
      damage();
      const code = await useIt();
      if (outcome === 'heals') assert.equal(code, undefined, what);
      if (code === undefined) assertSameRows(withoutVectors(indexRows(file())), cold, what);
      else assert.ok(outcome.includes(code), code);
      assert.equal(fingerprint(folder.root), vault, 'the vault is as it was');
      await healed(code !== undefined);
    });
  }

  it('S1 no right to read it', { skip: process.getuid?.() === 0 && 'the superuser may read everything' }, async () => {
    layIndex();
    chmodSync(file(), 0);
    assert.match((await useIt()) ?? '', /^STORE_(READONLY|UNAVAILABLE)$/);
    chmodSync(file(), 0o600);
    await healed(false);
  });
});

function layIndex(): void {
  rmSync(join(folder.outside, 'data'), { recursive: true, force: true });
  cpSync(join(folder.outside, 'killed'), join(folder.outside, 'data'), { recursive: true });
}

/** Opens the index and updates it. @returns the error code if it was refused */
async function useIt(again = 0): Promise<string | undefined> {
  const [outcome] = await Promise.allSettled([catchUp()]);
  if (outcome.status === 'fulfilled') return undefined;
  // Retries if the machine is so busy that the folder seems to hang.
  if (again < MAX_AGAIN && outcome.reason.code === 'VAULT_UNAVAILABLE') return useIt(again + 1);
  assert.ok(outcome.reason instanceof VaultgraphError, String(outcome.reason));
  assert.notEqual(outcome.reason.code, 'INTERNAL');
  assert.notEqual(outcome.reason.hint, '');
  return outcome.reason.code;
}

async function catchUp(): Promise<void> {
  const under = await openIndex(folder, join(folder.outside, 'data'));
  try {
    const job = await under.run();
    if (job.error !== undefined) throw job.error;
    assert.equal(job.state, 'succeeded');
  } finally {
    await under.close();
  }
}

/** Does what `doctor --rebuild-index` does: keeps the bad file and all that belongs to it, and builds a new index. */
async function healed(wasBad: boolean): Promise<void> {
  const parts = ['', '-wal', '-shm'].filter((part) => existsSync(file() + part));
  const kept = setAside(file());
  if (kept !== undefined) {
    const names = readdirSync(join(folder.outside, 'data'));
    for (const part of parts) assert.ok(names.includes(kept + part), `${part} was kept`);
    assert.match(kept, /^index\.db\.\d{4}-\d{2}-\d{2}T.*\.aside$/);
  } else assert.ok(wasBad || !existsSync(file()));
  assert.equal(await useIt(), undefined);
  assertSameRows(withoutVectors(indexRows(file())), cold, 'rebuilt');
}
