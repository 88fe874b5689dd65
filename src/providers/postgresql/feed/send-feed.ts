// Writes what a set of changes did to the feed, in the transaction of the set.
import type { Run, SqlValue } from '../connection/database.ts';
import { codeOf } from '../connection/failures.ts';
import { keyOf } from '../write/images.ts';
import { changeImage, fileImages, goneImages } from './feed-rows.ts';
import type { FeedResult } from './workbench.ts';

export interface Pruning {
  /** Records before this time are too old; undefined if none is to be removed for its age. */
  readonly oldest: number | undefined;
  readonly bytes: number;
}

export interface FeedSending {
  readonly result: FeedResult;
  readonly scope: string;
  /** The number of the last record before. */
  readonly last: number;
  /** Whether there is no feed, or none that is of use. */
  readonly isNew: boolean;
  /** Undefined while nothing is to be removed. */
  readonly pruning: Pruning | undefined;
}

/** A table of the feed that another program locks holds up the index no longer than this. */
const MAX_LOCK_WAIT_MS = 1_000;

/** One is missing, locked, not to be written, or takes too long. */
const OF_TABLES: ReadonlySet<string> = new Set(['42P01', '55P03', '42501', '57014']);

/** What fails here is missing from the feed, which is then behind; the set goes on. */
export async function sendFeed(run: Run, sending: FeedSending): Promise<void> {
  const statements = [
    ...(sending.isNew ? EMPTYING : []),
    ...rowsOf(sending.result),
    headOf(sending),
    ...(sending.pruning ? [pruningOf(sending.pruning)] : []),
  ];
  const sent = [
    run(`SAVEPOINT feed; SET LOCAL lock_timeout = ${MAX_LOCK_WAIT_MS}`),
    ...statements.map(([sql, ...values]) => run(sql, values)),
  ];
  const [failure] = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected');
  if (failure === undefined) return;
  const { reason } = failure as PromiseRejectedResult;
  if (!OF_TABLES.has(codeOf(reason) ?? '')) throw reason;
  await run('ROLLBACK TO SAVEPOINT feed');
}

export type Statement = readonly [sql: string, ...values: readonly SqlValue[]];

export const EMPTYING: readonly Statement[] = ['feed_files', 'feed_gone', 'feed_changes'].map((table) => [
  `DELETE FROM $schema.${table}`,
]);

/** Names of positions go where the numbers begin again. */
function headOf({ result, scope, last, isNew }: FeedSending): Statement {
  const { id, known_since, step, revision, doubt, forgotten, seen_at, pruned_at } = result.meta;
  const names = `WITH other AS (DELETE FROM $schema.feed_names WHERE NOT EXISTS (SELECT FROM $schema.feed WHERE id = $1))`;
  const sql = `${isNew ? names : ''} INSERT INTO $schema.feed AS feed (id, scope, known_since, step, revision, doubt, forgotten, seen_at, pruned_at, last, sized, bytes, damaged)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, false)
    ON CONFLICT (one) DO UPDATE SET id = excluded.id, scope = excluded.scope, known_since = excluded.known_since, step = excluded.step,
      revision = excluded.revision, doubt = excluded.doubt, forgotten = greatest(feed.forgotten, excluded.forgotten),
      seen_at = excluded.seen_at, pruned_at = excluded.pruned_at, last = excluded.last, damaged = false`;
  const newest = result.changes.at(-1)?.seq ?? last;
  return [sql, id, scope, known_since, step, revision, doubt, forgotten, seen_at, pruned_at, newest];
}

export function rowsOf({ files, lostFiles, gone, lostGone, changes }: Omit<FeedResult, 'meta'>): Statement[] {
  const statements: Statement[] = [];
  const lose = (table: string, paths: readonly string[]): void => {
    if (paths.length > 0)
      statements.push([`DELETE FROM $schema.${table} WHERE key = ANY($1::uuid[])`, paths.map(keyOf)]);
  };
  lose('feed_files', lostFiles);
  lose('feed_gone', lostGone);
  for (const some of inParts(files)) statements.push([PUT_FILES, ...fileImages(some)]);
  for (const some of inParts(gone)) statements.push([PUT_GONE, ...goneImages(some)]);
  for (const some of inParts(changes)) statements.push([ADD, JSON.stringify(some.map(changeImage))]);
  return statements;
}

const MAX_ROWS = 5_000;

const inParts = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, part) =>
    rows.slice(part * MAX_ROWS, (part + 1) * MAX_ROWS),
  );

const LINES = 'CASE WHEN bytes > 0 THEN substring($2::bytea FROM "from" FOR bytes) END';
const PUT_FILES = `INSERT INTO $schema.feed_files (key, path, hash, excluded, is_new, about, lines)
  SELECT key, path, hash, excluded = 1, is_new, about, ${LINES} FROM json_to_recordset($1::json)
    AS image (key uuid, path text, hash text, excluded int, is_new bigint, about text, "from" int, bytes int)
  ON CONFLICT (key) DO UPDATE SET hash = excluded.hash, excluded = excluded.excluded, is_new = excluded.is_new,
    about = excluded.about, lines = excluded.lines`;
const PUT_GONE = `INSERT INTO $schema.feed_gone (key, path, seq, at, about, lines)
  SELECT key, path, seq, at, about, ${LINES} FROM json_to_recordset($1::json)
    AS image (key uuid, path text, seq bigint, at bigint, about text, "from" int, bytes int)
  ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, at = excluded.at, about = excluded.about, lines = excluded.lines`;
const ADD = `INSERT INTO $schema.feed_changes (seq, at, kind, key, path, replaces, record)
  SELECT seq, at, kind, key, path, replaces, record FROM json_to_recordset($1::json)
    AS image (seq bigint, at bigint, kind text, key uuid, path text, replaces bigint, record text)`;

/** In the order of the numbers, so that a cursor knows what is missing. What a row takes beside its values is an estimate. */
const PRUNE = `WITH sized AS (SELECT seq, sum(pg_column_size(record) + 100) OVER (ORDER BY seq DESC) AS total FROM $schema.feed_changes),
    files AS (SELECT coalesce(sum(pg_column_size(about) + coalesce(pg_column_size(lines), 0) + 100), 0) AS total FROM $schema.feed_files),
    cut AS (SELECT greatest((SELECT max(seq) FROM sized, files WHERE sized.total + files.total > $1),
      (SELECT max(seq) FROM $schema.feed_changes WHERE at < $2)) AS seq),
    forgotten AS (DELETE FROM $schema.feed_changes USING cut WHERE feed_changes.seq <= cut.seq)
  UPDATE $schema.feed SET forgotten = greatest(feed.forgotten, cut.seq), sized = last,
    bytes = files.total + coalesce((SELECT max(total) FROM sized WHERE seq > coalesce(cut.seq, 0)), 0)
  FROM cut, files`;

const pruningOf = ({ oldest, bytes }: Pruning): Statement => [PRUNE, bytes, oldest ?? null];
