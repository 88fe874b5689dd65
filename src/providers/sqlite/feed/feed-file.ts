// Opens the file of the feed of changes, makes its tables, and moves a damaged one aside.
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import type { ProviderContext } from '../../../contracts/provider.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Connection, Engine } from '../database/open-database.ts';
import type { Rows } from '../database/rows.ts';
import { displayPath } from '../database/store-errors.ts';

/** `VGch`: another program's file is never touched. */
const FEED_ID = 0x56476368;
const VERSION = 1;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

const COLUMNS = `kind TEXT NOT NULL, hash TEXT, size INTEGER NOT NULL, modified REAL NOT NULL, title TEXT NOT NULL,
  tags TEXT NOT NULL, excluded INTEGER NOT NULL, sections TEXT, lines BLOB`;

/** `is_new`: when it was found, until it is recorded, once its content is known. A row of `gone` without `seq` is not recorded yet either. */
export const FEED_SCHEMA = `
CREATE TABLE meta (id TEXT NOT NULL, known_since INTEGER, step TEXT NOT NULL, revision INTEGER NOT NULL,
  doubt INTEGER NOT NULL, forgotten INTEGER NOT NULL, seen_at INTEGER NOT NULL, pruned_at INTEGER NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, ${COLUMNS}, is_new INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX new_files ON files (path) WHERE is_new;
CREATE INDEX excluded_files ON files (path) WHERE excluded;
CREATE TABLE gone (path TEXT PRIMARY KEY, ${COLUMNS}, linkers TEXT, seq INTEGER, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL,
  was TEXT, file_kind TEXT NOT NULL, title TEXT NOT NULL, tags TEXT NOT NULL, excluded INTEGER NOT NULL, modified REAL,
  before TEXT, after TEXT, lines TEXT, linkers TEXT, replaces INTEGER);
CREATE INDEX changes_by_time ON changes (at);
CREATE TABLE checkpoints (name TEXT PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA application_id = ${FEED_ID};
PRAGMA user_version = ${VERSION};
`;

export interface FeedPlace {
  /** Absolute. */
  readonly file: string;
  readonly days: number;
  readonly bytes: number;
}

/** Beside the change log, as it cannot be made again from the notes. */
export function feedPlaceOf({
  stateFolder,
  feed,
}: Pick<ProviderContext, 'stateFolder' | 'feed'>): FeedPlace | undefined {
  if (feed === undefined) return undefined;
  const { days, bytes, scope } = feed;
  return { file: join(stateFolder, scope === undefined ? 'changes.db' : `changes-${scope}.db`), days, bytes };
}

/** @param waitMs for a lock, which blocks the thread @throws the error of SQLite or of the file system; STORE_* if it is not ours */
export function openFeedWriter(engine: Engine, file: string, waitMs = 0): Connection {
  makeFolder(dirname(file), 0o700);
  return prepared(new engine(file, { timeout: waitMs }), file);
}

function prepared(connection: Connection, file: string): Connection {
  try {
    // Nothing of another program's file is changed.
    if (isEmpty(connection)) connection.pragma('auto_vacuum = INCREMENTAL');
    else checkVersion(connection, file);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    connection
      .transaction(() => {
        if (!isEmpty(connection)) return;
        connection.exec(FEED_SCHEMA);
        const id = randomBytes(5).toString('hex');
        connection.prepare(`INSERT INTO meta VALUES (?, NULL, '', 0, 0, 0, 0, 0)`).run(id);
      })
      .immediate();
    checkVersion(connection, file);
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

/** Undefined without a file. A lock is for the caller to wait for. @throws the error of SQLite; STORE_* if it is not ours */
export function openFeedReader(engine: Engine, file: string): Connection | undefined {
  if (!existsSync(file)) return undefined;
  const connection = new engine(file, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    if (isEmpty(connection)) {
      connection.close();
      return undefined;
    }
    checkVersion(connection, file);
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
  if (id !== FEED_ID) {
    const reason = `${displayPath(file)} is a file of another program`;
    throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'feed', reason, advice: 'Move it away.' });
  }
  if (found > VERSION) {
    const reason = `${displayPath(file)} was written by a later version of vaultgraph`;
    throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'feed', reason, advice: 'Update vaultgraph.' });
  }
}

export interface FeedMeta {
  readonly id: string;
  readonly known_since: number | null;
  /** The state of the index up to which it is written. */
  readonly step: string;
  readonly revision: number;
  /** 1 if the next whole scan has to compare it with the index. */
  readonly doubt: number;
  readonly forgotten: number;
  readonly seen_at: number;
  readonly pruned_at: number;
}

/** @throws DamagedRow */
export function metaOf(feed: Rows): FeedMeta {
  const meta = feed.first<FeedMeta>('SELECT * FROM meta');
  if (meta === undefined) throw new DamagedRow('the feed has no head');
  return meta;
}

/** Changes when another file takes its place; undefined without one. */
export function feedIdentity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

export const damagedPath = (file: string): string => `${file}.damaged`;

/**
 * Keeps the damaged file under another name, the last one only: the next write begins a new feed.
 * @returns whether the system lets it
 */
export function setFeedAside(file: string): boolean {
  try {
    moveAside(file);
    return true;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}

function moveAside(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(damagedPath(file) + suffix, { force: true });
    if (existsSync(file + suffix)) renamePatientlySync(file + suffix, damagedPath(file) + suffix);
  }
}
