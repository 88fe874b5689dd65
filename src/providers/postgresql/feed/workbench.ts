// Holds a part of the feed of PostgreSQL in tables in memory, where the rules of the feed change it, and says what they changed.
import type { SqlValue } from '../../sqlite/database/checksum.ts';
import type { Connection, Engine } from '../../sqlite/database/connection.ts';
import { createRows, type Rows } from '../../sqlite/database/rows.ts';
import { FEED_SCHEMA, type FeedMeta, metaOf } from '../../sqlite/feed/feed-file.ts';
import type { ChangeRow } from '../../sqlite/feed/records.ts';
import { type FileSnapshot, foundRow, putFile, putGone } from '../../sqlite/feed/snapshot.ts';
import type { FeedGone } from './feed-rows.ts';
import type { FeedPart } from './load-feed.ts';

/** What is to be sent to PostgreSQL. */
export interface FeedResult {
  readonly meta: FeedMeta;
  readonly files: readonly FileSnapshot[];
  readonly lostFiles: readonly string[];
  readonly gone: readonly FeedGone[];
  readonly lostGone: readonly string[];
  readonly changes: readonly ChangeRow[];
}

const TABLES = ['files', 'gone'];

const TOUCHED = TABLES.map((table) => {
  const events = [
    ['INSERT', 'new'],
    ['UPDATE', 'new'],
    ['DELETE', 'old'],
  ] as const;
  const triggers = events.map(
    ([event, row]) => `CREATE TRIGGER ${table}_${event} AFTER ${event} ON ${table}
      BEGIN INSERT OR IGNORE INTO touched_${table} VALUES (${row}.path); END;`,
  );
  return `CREATE TABLE touched_${table} (path TEXT PRIMARY KEY) WITHOUT ROWID;\n${triggers.join('\n')}`;
});

interface Workbench {
  readonly connection: Connection;
  readonly feed: Rows;
}

/** Kept between the uses: to make the tables takes longer than most uses. */
let idleBench: Workbench | undefined;

function openWorkbench(engine: Engine): Workbench {
  const connection = new engine(':memory:');
  connection.exec(FEED_SCHEMA);
  connection.exec(TOUCHED.join('\n'));
  return { connection, feed: createRows(connection) };
}

/** Gives back the memory of many files. */
const MAX_KEPT_ROWS = 1_000;

/** @param last the number of the last record */
export function onWorkbench(
  engine: Engine,
  part: FeedPart,
  meta: FeedMeta,
  last: number,
  work: (feed: Rows) => void,
): FeedResult {
  const bench = idleBench ?? openWorkbench(engine);
  const { connection, feed } = bench;
  idleBench = undefined;
  try {
    connection.exec('BEGIN');
    fill(feed, part, meta, last);
    for (const table of TABLES) feed.run(`DELETE FROM touched_${table}`);
    work(feed);
    const result = resultOf(feed, last);
    // The tables are empty again.
    connection.exec('ROLLBACK');
    if (part.files.length + part.known.length + result.files.length <= MAX_KEPT_ROWS) idleBench = bench;
    return result;
  } finally {
    if (idleBench !== bench) connection.close();
  }
}

function fill(feed: Rows, { files, gone, recent, known }: FeedPart, meta: FeedMeta, last: number): void {
  const { id, known_since, step, revision, doubt, forgotten, seen_at, pruned_at } = meta;
  const values: SqlValue[] = [id, known_since, step, revision, doubt, forgotten, seen_at, pruned_at];
  feed.run('INSERT INTO meta VALUES (?,?,?,?,?,?,?,?)', ...values);
  for (const { is_new, ...row } of files) putFile(feed, row, is_new);
  for (const { path, hash, excluded, is_new } of known) putFile(feed, { ...stubOf(path, excluded), hash }, is_new);
  for (const { seq, at, linkers, ...row } of gone) {
    putGone(feed, row, linkers, at);
    feed.run('UPDATE gone SET seq = ? WHERE path = ?', seq, row.path);
  }
  const stub = `INSERT INTO changes (seq, at, kind, path, before, replaces, file_kind, title, tags, excluded) VALUES (?,?,?,?,?,?,'','','[]',0)`;
  for (const { seq, at, kind, path, before, replaces } of recent) feed.run(stub, seq, at, kind, path, before, replaces);
  feed.run(`DELETE FROM sqlite_sequence WHERE name = 'changes'`);
  feed.run(`INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', ?)`, last);
}

/** A file whose hash alone is compared. */
const stubOf = (path: string, excluded: boolean) =>
  foundRow({
    path: path as FileSnapshot['path'],
    kind: 'note',
    sizeBytes: 0,
    modifiedMs: 0,
    evicted: false,
    conflictCopy: false,
    excluded,
  });

function resultOf(feed: Rows, last: number): FeedResult {
  const lost = (table: string): string[] =>
    feed.column(`SELECT path FROM touched_${table} WHERE path NOT IN (SELECT path FROM ${table})`);
  const kept = <T>(table: string): T[] =>
    feed.all<T>(`SELECT * FROM ${table} WHERE path IN (SELECT path FROM touched_${table})`);
  return {
    meta: metaOf(feed),
    files: kept<FileSnapshot>('files'),
    lostFiles: lost('files'),
    gone: kept<FeedGone>('gone'),
    lostGone: lost('gone'),
    changes: feed.all<ChangeRow>('SELECT * FROM changes WHERE seq > ? ORDER BY seq', last),
  };
}
