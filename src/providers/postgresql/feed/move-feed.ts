// Gives the whole feed of changes in PostgreSQL to another store, and takes one over.
import { randomBytes } from 'node:crypto';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { Checkpoint, FeedState, FeedTable, FeedToMove, Takeover } from '../../../contracts/feed.ts';
import { namesOfBoth, placesOf, takeoverOf } from '../../sqlite/feed/move-feed.ts';
import type { ChangeRow } from '../../sqlite/feed/records.ts';
import type { FileSnapshot } from '../../sqlite/feed/snapshot.ts';
import type { Run } from '../connection/database.ts';
import {
  changeFrom,
  type FeedGone,
  type FileColumns,
  fileFrom,
  type GoneColumns,
  goneFrom,
  packName,
} from './feed-rows.ts';
import { EMPTYING, rowsOf } from './send-feed.ts';

/** Runs statements in one transaction. */
export type Transact = <T>(signal: AbortSignal, work: (run: Run) => Promise<T>, mode?: string) => Promise<T>;

const ROWS_AT_ONCE = 500;
const FIRST_KEY = '00000000-0000-0000-0000-000000000000';

interface TableForm<Row> {
  readonly select: string;
  /** Comes before all keys. */
  readonly first: string | number;
  /** @throws DamagedOriginal */
  readonly read: (row: Row) => object;
}

const TABLES = {
  changes: {
    select: 'SELECT seq AS key, seq, at, record FROM $schema.feed_changes WHERE seq > $1 ORDER BY seq',
    first: 0,
    read: changeFrom,
  } satisfies TableForm<Parameters<typeof changeFrom>[0]>,
  files: {
    select: 'SELECT * FROM $schema.feed_files WHERE key > $1::uuid ORDER BY key',
    first: FIRST_KEY,
    read: fileFrom,
  } satisfies TableForm<FileColumns>,
  gone: {
    select: 'SELECT * FROM $schema.feed_gone WHERE key > $1::uuid ORDER BY key',
    first: FIRST_KEY,
    read: goneFrom,
  } satisfies TableForm<GoneColumns>,
} as const;

/** The rows of a table by their keys, in parts; each row is read by calling it. */
export async function* tableRows(
  run: Run,
  table: FeedTable,
  signal: AbortSignal,
): AsyncIterable<readonly (() => object)[]> {
  const { select, first, read } = TABLES[table] as TableForm<object>;
  for (let from = first; ; ) {
    await letOthersRun(signal);
    const some = await run<{ readonly key: string | number }>(`${select} LIMIT ${ROWS_AT_ONCE}`, [from]);
    if (some.length > 0) yield some.map((row) => () => read(row));
    if (some.length < ROWS_AT_ONCE) return;
    from = some.at(-1)?.key ?? from;
  }
}

export function feedToMove(
  run: Run,
  state: FeedState,
  seenAt: number,
  names: readonly Checkpoint[],
  signal: AbortSignal,
): FeedToMove {
  const rows = async function* (table: FeedTable): AsyncIterable<readonly object[]> {
    for await (const some of tableRows(run, table, signal)) yield some.map((read) => read());
  };
  return { state, seenAt, names, rows };
}

const NO_ROWS = { files: [], lostFiles: [], gone: [], lostGone: [], changes: [] };

/** @param present reads its state and names */
export async function takeFeed(
  run: Run,
  present: () => Promise<readonly [FeedState | undefined, readonly Checkpoint[]]>,
  other: FeedToMove,
  scope: string,
): Promise<Takeover> {
  // In the order of every change, so that none waits for the other. A set that another server has begun meanwhile is not accepted.
  await run('SELECT FROM $schema.lease FOR UPDATE');
  await run('UPDATE $schema.head SET seq = seq + 1');
  const [own, names] = await present();
  const takeover = takeoverOf(own, names, other);
  if (takeover !== 'taken') return takeover;
  for (const [sql] of EMPTYING) await run(sql);
  for await (const some of other.rows('files')) await put(run, { files: some as readonly FileSnapshot[] });
  for await (const some of other.rows('gone')) await put(run, { gone: some as readonly FeedGone[] });
  for await (const some of other.rows('changes')) await put(run, { changes: some as readonly ChangeRow[] });
  await putHead(run, other, scope);
  await putPlaces(run, other, names);
  return takeover;
}

async function put(run: Run, some: Partial<Parameters<typeof rowsOf>[0]>): Promise<void> {
  for (const [sql, ...values] of rowsOf({ ...NO_ROWS, ...some })) await run(sql, values);
}

const ID_BYTES = 5;
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';

/** No step of an index has an empty name, so that the next scan compares all. */
async function putHead(run: Run, { state, seenAt }: FeedToMove, scope: string): Promise<void> {
  const { knownSince, forgotten, last } = state;
  await run('DELETE FROM $schema.feed');
  const sql = `INSERT INTO $schema.feed (id, scope, known_since, step, revision, doubt, forgotten, seen_at, pruned_at, last, sized, bytes, damaged)
    VALUES ($1, $2, $3, '', 0, 1, $4, $5, 0, $6, 0, 0, false)`;
  await run(sql, [randomBytes(ID_BYTES).toString('hex'), scope, knownSince, forgotten, seenAt, last]);
}

async function putPlaces(run: Run, other: FeedToMove, own: readonly Checkpoint[]): Promise<void> {
  const places = [...placesOf(other.state)];
  await run('DELETE FROM $schema.feed_moved');
  await run(
    `INSERT INTO $schema.feed_moved SELECT id, last, ${NOW} FROM unnest($1::text[], $2::bigint[]) AS place (id, last)`,
    [places.map(([id]) => id), places.map(([, last]) => last)],
  );
  await run('DELETE FROM $schema.feed_names');
  for (const { name, seq, at } of namesOfBoth(own, other.names))
    await run('INSERT INTO $schema.feed_names VALUES ($1, $2, $3)', [packName(name), seq, at]);
}
