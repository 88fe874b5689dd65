// Opens the file of the kept history, makes its tables, and moves a damaged one aside.
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import type { Connection, Engine } from '../database/open-database.ts';
import { displayPath } from '../database/store-errors.ts';

/** `VGhi`: another program's file is never touched. */
const HISTORY_ID = 0x56476869;
const VERSION = 1;
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Another process writes for some milliseconds. */
const WAIT_MS = 2_000;

/**
 * A version is the text of a note from a time on, until another one replaces it or the note is gone; null for the newest. So a row that
 * is lost makes a gap, and never the time of another text longer. `sum` is the checksum of the row; a text is checked by its hash.
 */
const SCHEMA = `
CREATE TABLE meta (known_since INTEGER NOT NULL, forgotten INTEGER NOT NULL, seen_at INTEGER NOT NULL, pruned_at INTEGER NOT NULL, unkept INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE versions (path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, gone INTEGER NOT NULL, hash TEXT NOT NULL,
  sum INTEGER NOT NULL, PRIMARY KEY (path, since)) WITHOUT ROWID;
CREATE INDEX versions_by_hash ON versions (hash);
CREATE INDEX versions_by_since ON versions (since);
CREATE INDEX versions_by_until ON versions (until) WHERE until IS NOT NULL;
CREATE INDEX newest_versions ON versions (path, hash) WHERE until IS NULL;
PRAGMA application_id = ${HISTORY_ID};
PRAGMA user_version = ${VERSION};
`;

export function openHistoryWriter(engine: Engine, file: string): Connection {
  makeFolder(dirname(file), 0o700);
  const connection = new engine(file, { timeout: WAIT_MS });
  return checked(connection, () => {
    if (isEmpty(connection)) connection.pragma('auto_vacuum = INCREMENTAL');
    else checkVersion(connection, file);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    connection
      .transaction(() => {
        if (!isEmpty(connection)) return;
        connection.exec(SCHEMA);
        connection.prepare('INSERT INTO meta VALUES (?, 0, 0, 0, NULL)').run(Date.now());
      })
      .immediate();
    checkVersion(connection, file);
  });
}

/** Undefined without a file. */
export function openHistoryReader(engine: Engine, file: string): Connection | undefined {
  if (!existsSync(file)) return undefined;
  const connection = new engine(file, { readonly: true, fileMustExist: true, timeout: WAIT_MS });
  const opened = checked(connection, () => {
    if (!isEmpty(connection)) checkVersion(connection, file);
  });
  if (!isEmpty(opened)) return opened;
  opened.close();
  return undefined;
}

function checked(connection: Connection, prepare: () => void): Connection {
  try {
    prepare();
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

const isEmpty = (connection: Connection): boolean =>
  connection.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;

function checkVersion(connection: Connection, file: string): void {
  const id = connection.pragma('application_id', { simple: true });
  const found = connection.pragma('user_version', { simple: true }) as number;
  const refusal = (what: string, advice: string) =>
    new VaultgraphError('STORE_UNAVAILABLE', { op: 'history', reason: `${displayPath(file)} ${what}`, advice });
  if (id !== HISTORY_ID) throw refusal('is a file of another program', 'Move it away.');
  if (found > VERSION) throw refusal('was written by a later version of vaultgraph', 'Update vaultgraph.');
}

export const damagedHistory = (file: string): string => `${file}.damaged`;

/** Keeps the damaged file under another name, the last one only. @returns whether the system lets it */
export function setHistoryAside(file: string): boolean {
  try {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(damagedHistory(file) + suffix, { force: true });
      if (existsSync(file + suffix)) renamePatientlySync(file + suffix, damagedHistory(file) + suffix);
    }
    return true;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}
