// The file of the feed of changes: where it is, its tables and its head.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ProviderContext } from '../../../contracts/provider.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { KeptFile } from '../database/kept-file.ts';
import type { Rows } from '../database/rows.ts';

/** `VGch`. */
const FEED_ID = 0x56476368;
const VERSION = 1;

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

/** The file of the feed, as `openKeptWriter` and `openKeptReader` take it. */
export const FEED_FILE: KeptFile = {
  op: 'feed',
  id: FEED_ID,
  version: VERSION,
  make: (connection) => {
    connection.exec(FEED_SCHEMA);
    const id = randomBytes(5).toString('hex');
    connection.prepare(`INSERT INTO meta VALUES (?, NULL, '', 0, 0, 0, 0, 0)`).run(id);
  },
};

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
