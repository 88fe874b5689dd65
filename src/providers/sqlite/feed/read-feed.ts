// Reads the feed of changes, and keeps named positions in it. Opens the file for each call: it may be replaced at any time.
import { existsSync } from 'node:fs';
import { NEVER } from '../../../base/async/waits.ts';
import type { VaultgraphError } from '../../../base/errors.ts';
import type { NotePath } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import {
  type Checkpoint,
  type FeedRecord,
  type FeedState,
  oldPathsIn,
  type StoredFeed,
} from '../../../contracts/feed.ts';
import type { Connection, Engine } from '../database/connection.ts';
import { driverOf } from '../database/engine.ts';
import {
  bytesIn,
  damagedPath,
  faultsIn,
  isCertain,
  openKeptReader,
  openKeptWriter,
  setFileAside,
} from '../database/kept-file.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { displayPath, isCorruptionOf, retryWhileBusy, toStoreError } from '../database/store-errors.ts';
import { Writer } from '../write/writer.ts';
import { FEED_FILE, metaOf } from './feed-file.ts';
import { historiesIn, lastRecord } from './histories.ts';
import { feedToMove, movedFrom, takeFeed } from './move-feed.ts';
import { recordsAfter } from './records.ts';

const RECORDS_AT_ONCE = 200;

export function createStoredFeed(file: string, engine: Engine): StoredFeed {
  const damage = new DamagedFile(file, engine);
  const within = async <T>(
    signal: AbortSignal,
    open: () => Connection | undefined,
    work: (feed: Rows) => T | Promise<T>,
  ): Promise<T | undefined> => {
    const attempt = { op: 'feed', file, checkCancelled: () => signal.throwIfAborted() };
    let connection: Connection | undefined;
    try {
      connection = await retryWhileBusy(attempt, open);
      const feed = connection && createRows(connection);
      return feed && (await (await retryWhileBusy(attempt, () => ({ result: work(feed) }))).result);
    } catch (thrown) {
      const error = toStoreError(thrown, attempt);
      connection?.close();
      // A new one begins with the next change or scan: as long as there is none, no change is known.
      if (isCorruptionOf('file', error) && (await damage.isOutOfTheWay(error))) return undefined;
      throw error;
    } finally {
      connection?.close();
    }
  };
  const reading = <T>(signal: AbortSignal, work: (feed: Rows) => T | Promise<T>) =>
    within(signal, () => openKeptReader(engine, file, FEED_FILE, 0), work);
  return Object.freeze<StoredFeed>({
    file: displayPath(file),
    remedy: `end the servers and delete ${displayPath(file)}: changes are then known from the next scan on`,
    hadDamage: () => existsSync(damagedPath(file)),
    faults: async (signal) => (await reading(signal, faultsIn)) ?? [],
    state: (signal) => reading(signal, stateOf),
    read: async ({ after, sinceMs = Number.NEGATIVE_INFINITY, upTo }, signal) => {
      const part = await reading(signal, async (feed) => {
        const records: FeedRecord[] = [];
        for (let from = after, isMore = true; isMore; from = records.at(-1)?.seq ?? from) {
          await letOthersRun(signal);
          const some = recordsAfter(feed, from, upTo, sinceMs, RECORDS_AT_ONCE);
          records.push(...some);
          isMore = some.length === RECORDS_AT_ONCE;
        }
        const excluded = new Set(feed.column<string>('SELECT path FROM files WHERE excluded'));
        const taken = new Set(feed.column<string>(TAKEN, JSON.stringify(oldPathsIn(records))));
        return { records, excluded, taken };
      });
      return part ?? { records: [], excluded: new Set<string>(), taken: new Set<string>() };
    },
    unread: async (signal) => (await reading(signal, (feed) => feed.column<NotePath>(UNREAD))) ?? [],
    checkpoints: async (signal) => (await reading(signal, namesIn)) ?? [],
    remember: async (name, seq, signal) => {
      await within(
        signal,
        () => openKeptWriter(engine, file, FEED_FILE, 0),
        (feed) => void feed.run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)', name, seq, Date.now()),
      );
    },
    give: (take, signal) =>
      reading(signal, (feed) => {
        // One moment for all that is read.
        feed.run('BEGIN');
        return take(feedToMove(feed, stateOf(feed), namesIn(feed), signal));
      }),
    takeOver: async (other, signal) => {
      const open = () => openKeptWriter(engine, file, FEED_FILE, 0);
      return (
        (await within(signal, open, (feed) => takeFeed(feed, () => [stateOf(feed), namesIn(feed)], other))) ?? 'kept'
      );
    },
  });
}

class DamagedFile {
  readonly #file: string;
  readonly #engine: Engine;
  #looking: Promise<boolean> | undefined;

  constructor(file: string, engine: Engine) {
    this.#file = file;
    this.#engine = engine;
  }

  /** Another look reads the whole file, so it is in a thread, one for all calls that wait. */
  async isOutOfTheWay(error: VaultgraphError): Promise<boolean> {
    if (isCertain(error)) return setFileAside(this.#file);
    this.#looking ??= this.#lookAgain().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAgain(): Promise<boolean> {
    const thread = new Writer({ file: this.#file, driver: driverOf(this.#engine) }, null);
    try {
      return await thread.run({ op: 'setAside' }, NEVER);
    } finally {
      await thread.close();
    }
  }
}

const namesIn = (feed: Rows): Checkpoint[] =>
  feed.all<Checkpoint>('SELECT name, seq, at FROM checkpoints ORDER BY name');

const TAKEN = 'SELECT path FROM files WHERE NOT excluded AND path IN (SELECT value FROM json_each(?))';
const UNREAD = `SELECT path FROM files WHERE kind = 'attachment' AND hash IS NULL ORDER BY path`;

function stateOf(feed: Rows): FeedState {
  const { id, known_since, forgotten, revision, seen_at } = metaOf(feed);
  const first = feed.value<number>('SELECT at FROM changes ORDER BY seq LIMIT 1');
  const oldest = forgotten > 0 ? (first ?? seen_at) : undefined;
  const last = lastRecord(feed);
  const { movedAt, earlier = [] } = movedFrom(feed);
  const knownSince = oldest ?? known_since;
  const places = new Map([...earlier, ...historiesIn(feed)]);
  return { id, earlier: places, movedAt, last, forgotten, knownSince, revision, bytes: bytesIn(feed) };
}
