// Reads the feed of changes from PostgreSQL, and keeps named positions in it.
import { createHash } from 'node:crypto';
import { VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../../base/note.ts';
import { errorOf } from '../../../base/outcome.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import {
  type Checkpoint,
  type FeedRecord,
  type FeedState,
  type FeedTable,
  type OwnChanges,
  oldPathsIn,
  type StoredFeed,
} from '../../../contracts/feed.ts';
import type { Change, PastChange } from '../../../contracts/writer.ts';
import { recordOf } from '../../sqlite/feed/records.ts';
import { DamagedOriginal, valueIn } from '../checked-values.ts';
import type { Run, SqlValue } from '../connection/database.ts';
import { type ConnectionSettings, serverName } from '../connection/settings.ts';
import { changeFrom, type FeedHead, IS_LOST, nameFrom, packName } from './feed-rows.ts';
import { feedToMove, type Transact, tableRows, takeFeed } from './move-feed.ts';

const RECORDS_AT_ONCE = 500;
const EXCLUDED_OR_AT = 'SELECT path, excluded FROM $schema.feed_files WHERE excluded OR path = ANY($1::text[])';

export interface FeedAccess {
  readonly settings: ConnectionSettings;
  readonly ask: Ask;
  readonly transact: Transact;
  /** The id of the part of the vault that is listed. */
  readonly scope: string;
}

export function createStoredFeed({ settings, ask, transact, scope }: FeedAccess): StoredFeed {
  const reading = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => soundly(ask, signal, work);
  const namesOf = (asked: Ask, signal: AbortSignal): Promise<Checkpoint[]> =>
    reading(signal, async () => {
      const rows = await asked<Checkpoint>(signal, 'SELECT name, seq, at FROM $schema.feed_names');
      const names = rows.map((row) => ({ ...row, name: nameFrom(row.name) }));
      return names.sort((one, other) => (one.name < other.name ? -1 : 1));
    });
  /** The state of one moment. */
  const present = async (run: Run, signal: AbortSignal): Promise<readonly [FeedState | undefined, Checkpoint[]]> => {
    const asked: Ask = (_, sql, ...values) => run(sql, values);
    return [await stateOf(asked, signal), await namesOf(asked, signal)];
  };
  return Object.freeze<StoredFeed>({
    file: `the feed on the PostgreSQL server at ${serverName(settings)}, schema ${JSON.stringify(settings.schema)}`,
    remedy: 'a server begins it again with the next change or scan: changes are then known from that on',
    hadDamage: () => false,
    faults: (signal) => faultsIn(ask, signal),
    state: (signal) => stateOf(ask, signal),
    read: ({ after, sinceMs, upTo }, signal) =>
      reading(signal, async () => {
        const records: FeedRecord[] = [];
        for (let from = after, isMore = true; isMore; from = records.at(-1)?.seq ?? from) {
          const rows = await ask<RecordColumns>(signal, RECORDS, from, upTo, sinceMs ?? 0, RECORDS_AT_ONCE);
          for (const row of rows) {
            await letOthersRun(signal);
            records.push(recordOf(changeFrom(row)));
          }
          isMore = rows.length === RECORDS_AT_ONCE;
        }
        const files = await ask<{ path: string; excluded: boolean }>(signal, EXCLUDED_OR_AT, oldPathsIn(records));
        const pathsOf = (isExcluded: boolean): ReadonlySet<string> =>
          new Set(files.filter(({ excluded }) => excluded === isExcluded).map(({ path }) => path));
        return { records, excluded: pathsOf(true), taken: pathsOf(false) };
      }),
    unread: async (signal) => {
      const rows = await ask<{ path: NotePath }>(signal, 'SELECT path FROM $schema.feed_files WHERE hash IS NULL');
      return rows.map(({ path }) => path).filter((path) => fileKindOf(path) === 'attachment');
    },
    checkpoints: (signal) => namesOf(ask, signal),
    sharedChanges: (sinceMs, signal) => reading(signal, () => changesOfTools(ask, sinceMs, signal)),
    remember: async (name, seq, signal) => void (await ask(signal, REMEMBER, packName(name), seq)),
    give: (take, signal) =>
      reading(signal, () =>
        transact(
          signal,
          async (run) => {
            const [state, names] = await present(run, signal);
            const [head] = await run<FeedHead>('SELECT * FROM $schema.feed WHERE scope = $1', [scope]);
            return state && head && take(feedToMove(run, state, head.seen_at, names, signal));
          },
          'ISOLATION LEVEL REPEATABLE READ READ ONLY',
        ),
      ),
    takeOver: (other, signal) => transact(signal, (run) => takeFeed(run, () => present(run, signal), other, scope)),
  });
}

interface RecordColumns {
  readonly seq: number;
  readonly at: number;
  readonly record: string;
}

const RECORDS = `SELECT seq, at, record FROM $schema.feed_changes
  WHERE seq > $1 AND seq <= $2 AND at >= $3::float8 ORDER BY seq LIMIT $4`;
const REMEMBER = `INSERT INTO $schema.feed_names (name, seq, at) VALUES ($1, $2, (extract(epoch FROM now()) * 1000)::bigint)
  ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, at = excluded.at`;

/** Marks a feed with a row that is not as it was written, so that the next server that writes it begins it again. @throws STORE_UNAVAILABLE */
async function soundly<T>(ask: Ask, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof DamagedOriginal)) throw thrown;
    const unmarked = await errorOf(ask(signal, MARK));
    const reason = 'what is in the feed of changes is not what was written there';
    const advice =
      unmarked === undefined
        ? 'A server begins it again with the next change or scan: list_notes with modified_after has what is new.'
        : 'Ask the user for a server that may write the tables, which begins the feed again.';
    throw new VaultgraphError('STORE_UNAVAILABLE', { op: 'feed', reason, advice }, { cause: thrown });
  }
}

const STATE = `SELECT feed.*, head.history, (SELECT at FROM $schema.feed_changes ORDER BY seq LIMIT 1) AS first,
    (SELECT max(at) FROM $schema.feed_moved) AS moved_at
  FROM $schema.feed, $schema.head WHERE NOT feed.damaged AND NOT ${IS_LOST}`;
/** The last record of each history but the present one. */
const HISTORIES = `SELECT id, last FROM (SELECT id, lead(feed) OVER (ORDER BY ordinal) AS last FROM $schema.histories) chain
  WHERE last IS NOT NULL`;
const MOVED = 'SELECT id, last FROM $schema.feed_moved';

interface Place {
  readonly id: string;
  readonly last: number;
}

interface StateColumns extends FeedHead {
  readonly moved_at: number | null;
  readonly history: string;
  readonly first: number | null;
}

async function stateOf(ask: Ask, signal: AbortSignal): Promise<FeedState | undefined> {
  const [[head], histories, moved] = await Promise.all([
    ask<StateColumns>(signal, STATE),
    ask<Place>(signal, HISTORIES),
    ask<Place>(signal, MOVED),
  ]);
  if (head === undefined) return undefined;
  const { id, last, forgotten, known_since, revision, bytes, first, seen_at } = head;
  const places = histories.map((one) => [placeIn(id, one.id), one.last] as const);
  const earlier = new Map([...moved.map((one) => [one.id, one.last] as const), ...places]);
  const knownSince = forgotten > 0 && known_since !== null ? (first ?? seen_at) : known_since;
  const movedAt = head.moved_at ?? undefined;
  return { id: placeIn(id, head.history), earlier, last, forgotten, knownSince, revision, bytes, movedAt };
}

const ID_DIGITS = 10;

/** A restored backup has the numbers of what it lost again, so a position says in which history of the index it was given. */
const placeIn = (feed: string, history: string): string =>
  createHash('sha256').update(`${feed} ${history}`).digest('hex').slice(0, ID_DIGITS);

const SHARED = `SELECT id, change, made_at FROM (
    SELECT id, change, (extract(epoch FROM made_at) * 1000)::float8 AS made_at FROM $schema.changes) made
  WHERE change IS NOT NULL AND made_at >= $1 ORDER BY made_at DESC`;
/** Those of too many files are missing, and those of another store. */
const COMPLETE = `SELECT greatest((SELECT known_since FROM $schema.feed), (SELECT max(at) FROM $schema.feed_moved),
  (extract(epoch FROM (SELECT max(made_at) FROM $schema.changes WHERE change IS NULL)) * 1000)::bigint) AS since`;

async function changesOfTools(ask: Ask, sinceMs: number, signal: AbortSignal): Promise<OwnChanges> {
  const [rows, [complete]] = await Promise.all([
    ask<{ id: string; change: string; made_at: number }>(signal, SHARED, sinceMs),
    ask<{ since: number | null }>(signal, COMPLETE),
  ]);
  const changes: PastChange[] = [];
  for (const { id, change, made_at } of rows) {
    await letOthersRun(signal);
    const madeChange = valueIn<Pick<Change, 'tool' | 'files'>>(change, id, 'the record of a change');
    // By the same clock as the feed.
    const time = new Date(made_at).toISOString();
    changes.push({ change: { ...madeChange, time, id, client: '', state: 'done' }, contentOf: () => undefined });
  }
  return { changes, completeSince: complete?.since ?? Number.POSITIVE_INFINITY };
}

/** Runs one statement once the tables are there. */
type Ask = <T>(signal: AbortSignal, sql: string, ...values: readonly SqlValue[]) => Promise<T[]>;

/** The next server that writes the feed begins it again. */
const MARK = 'UPDATE $schema.feed SET damaged = true';

const MAX_FAULTS = 10;
const FEED_ROWS: readonly (readonly [table: FeedTable, row: string])[] = [
  ['changes', 'a change'],
  ['files', 'the state of a file'],
  ['gone', 'the state of a file that is gone'],
];

/** Marks the feed if there are any. */
async function faultsIn(ask: Ask, signal: AbortSignal): Promise<string[]> {
  const faults = await damagedRows((sql, values = []) => ask(signal, sql, ...values), signal);
  if (faults.length > 0) await errorOf(ask(signal, MARK));
  return faults;
}

async function damagedRows(run: Run, signal: AbortSignal): Promise<string[]> {
  const faults: string[] = [];
  for (const [table, what] of FEED_ROWS) {
    for await (const rows of tableRows(run, table, signal)) {
      for (const read of rows) {
        await letOthersRun(signal);
        if (isDamaged(read)) faults.push(`${what} is not what was written`);
      }
      if (faults.length >= MAX_FAULTS) return faults;
    }
  }
  return faults;
}

function isDamaged(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (thrown) {
    if (thrown instanceof DamagedOriginal) return true;
    throw thrown;
  }
}
