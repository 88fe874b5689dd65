// Moves a whole feed of changes from one store to another: which of two feeds goes on with the other, and how one on SQLite is given and taken.
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { Checkpoint, FeedState, FeedTable, FeedToMove, Takeover } from '../../../contracts/feed.ts';
import type { SqlValue } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { metaOf } from './feed-file.ts';

/** For a feed that was moved here: the names that its positions had, each with the last number under it. */
const MOVED =
  'CREATE TABLE IF NOT EXISTS moved (id TEXT PRIMARY KEY, last INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID';

export function movedFrom(feed: Rows): Pick<FeedState, 'earlier' | 'movedAt'> {
  if (feed.value<number>(`SELECT 1 FROM sqlite_schema WHERE name = 'moved'`) === undefined) return {};
  const moved = feed.all<{ id: string; last: number; at: number }>('SELECT * FROM moved');
  return {
    earlier: new Map(moved.map(({ id, last }) => [id, last])),
    movedAt: moved.reduce((latest, { at }) => Math.max(latest, at), 0),
  };
}

/** All names of the positions of a feed, each with the last number that it stands for. */
export const placesOf = ({ id, last, earlier = new Map() }: FeedState): ReadonlyMap<string, number> =>
  new Map([...earlier, [id, last]]);

/** Whether one feed can go on as the other: it has no record that the other one does not have. */
export function takeoverOf(own: FeedState | undefined, names: readonly Checkpoint[], { state }: FeedToMove): Takeover {
  if (own === undefined) return 'taken';
  const places = placesOf(state);
  const shared = [...placesOf(own)].map(([id, last]) => Math.min(last, places.get(id) ?? -1));
  const common = Math.max(...shared);
  if (common >= state.last) return 'had';
  return common >= own.last || (own.last === 0 && names.length === 0) ? 'taken' : 'kept';
}

/** Those of both; of two with one name the later. */
export function namesOfBoth(own: readonly Checkpoint[], other: readonly Checkpoint[]): readonly Checkpoint[] {
  const ascending = [...own, ...other].sort((one, next) => one.at - next.at);
  return [...new Map(ascending.map((one) => [one.name, one])).values()];
}

const ROWS_AT_ONCE = 500;

const KEYS: Readonly<Record<FeedTable, string>> = { files: 'path', gone: 'path', changes: 'seq' };

export function feedToMove(
  feed: Rows,
  state: FeedState,
  names: readonly Checkpoint[],
  signal: AbortSignal,
): FeedToMove {
  const rows = async function* (table: FeedTable): AsyncIterable<readonly object[]> {
    const key = KEYS[table];
    const sql = `SELECT * FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`;
    let last: SqlValue = table === 'changes' ? 0 : '';
    for (;;) {
      await letOthersRun(signal);
      const some: Record<string, SqlValue>[] = feed.all(sql, last);
      if (some.length > 0) yield some;
      if (some.length < ROWS_AT_ONCE) return;
      last = some.at(-1)?.[key] ?? last;
    }
  };
  return { state, seenAt: metaOf(feed).seen_at, names, rows };
}

const TABLES: readonly FeedTable[] = ['files', 'gone', 'changes'];

/** In one transaction. @param present reads its state and names */
export async function takeFeed(
  feed: Rows,
  present: () => readonly [FeedState, readonly Checkpoint[]],
  other: FeedToMove,
): Promise<Takeover> {
  feed.run('BEGIN IMMEDIATE');
  const [own, names] = present();
  const takeover = takeoverOf(own, names, other);
  if (takeover === 'taken') await replaceBy(feed, other, names);
  feed.run('COMMIT');
  return takeover;
}

async function replaceBy(feed: Rows, other: FeedToMove, names: readonly Checkpoint[]): Promise<void> {
  const { state, seenAt } = other;
  for (const table of TABLES) {
    const columns = feed.column<string>(`SELECT name FROM pragma_table_info('${table}')`);
    const insert = `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`;
    feed.run(`DELETE FROM ${table}`);
    for await (const some of other.rows(table))
      for (const row of some)
        feed.run(insert, ...columns.map((name) => (row as Record<string, SqlValue>)[name] ?? null));
  }
  feed.run(`DELETE FROM sqlite_sequence WHERE name = 'changes'`);
  feed.run(`INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', ?)`, state.last);
  feed.run(MOVED);
  feed.run('DELETE FROM moved');
  feed.run('DROP TABLE IF EXISTS histories');
  const now = Date.now();
  for (const [id, last] of placesOf(state)) feed.run('INSERT INTO moved VALUES (?, ?, ?)', id, last, now);
  for (const { name, seq, at } of namesOfBoth(names, other.names))
    feed.run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)', name, seq, at);
  // No step of an index has this name, so that the next scan compares all.
  const head = `UPDATE meta SET id = lower(hex(randomblob(5))), known_since = ?, step = '', revision = 0, doubt = 1,
    forgotten = ?, seen_at = ?, pruned_at = 0`;
  feed.run(head, state.knownSince, state.forgotten, seenAt);
}
