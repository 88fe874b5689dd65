// Begins a new history of the feed: an older copy of its file has the numbers of what it lost again, so a position says in which history it was given.
import type { Rows } from '../database/rows.ts';
import { metaOf } from './feed-file.ts';

/** A position of an earlier history is refused. */
const MAX_KEPT = 1_000;

const HISTORIES =
  'CREATE TABLE IF NOT EXISTS histories (ordinal INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, last INTEGER NOT NULL)';

export interface RecordPlace {
  readonly id: string;
  /** The number of the last record. */
  readonly last: number;
}

export const lastRecord = (feed: Rows): number =>
  feed.value<number>(`SELECT seq FROM sqlite_sequence WHERE name = 'changes'`) ?? 0;

export const placeIn = (feed: Rows): RecordPlace => ({ id: metaOf(feed).id, last: lastRecord(feed) });

/** The names that positions had before, each with the last number under it. */
export function historiesIn(feed: Rows): ReadonlyMap<string, number> {
  if (feed.value<number>(`SELECT 1 FROM sqlite_schema WHERE name = 'histories'`) === undefined) return new Map();
  const rows = feed.all<RecordPlace>('SELECT id, last FROM histories ORDER BY ordinal');
  return new Map(rows.map(({ id, last }) => [id, last]));
}

/**
 * After records were added: a process begins a history with its first one, and when the file is not as the process left it.
 * @param own where the process left the feed
 * @returns where it leaves it now
 */
export function continueHistory(
  feed: Rows,
  before: RecordPlace,
  own: RecordPlace | undefined,
): RecordPlace | undefined {
  const now = placeIn(feed);
  if (own?.id === before.id && own.last === before.last) return now;
  if (now.last === before.last) return own;
  feed.run(HISTORIES);
  feed.run('INSERT INTO histories (id, last) VALUES (?, ?)', before.id, before.last);
  feed.run(`DELETE FROM histories WHERE ordinal <= (SELECT max(ordinal) FROM histories) - ${MAX_KEPT}`);
  feed.run('UPDATE meta SET id = lower(hex(randomblob(5)))');
  return placeIn(feed);
}
