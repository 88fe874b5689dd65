// Keeps the feed of changes beside the index, in the thread that writes it. No failure of the feed fails the index.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Connection, Engine } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { isCorruptionOf, toStoreError } from '../database/store-errors.ts';
import type { UnpackedChanges } from '../write/unpack-changes.ts';
import { type FeedPlace, feedIdentity, metaOf, openFeedWriter, setFeedAside } from './feed-file.ts';
import { pruneFeed } from './prune.ts';
import { reconcile, settleAll } from './reconcile.ts';
import { recordChanges } from './record-changes.ts';

/** Another process keeps a name for some milliseconds. */
const WAIT_MS = 2_000;
/** Holds the lock for some milliseconds. */
const MAX_RETURNED_PAGES = 2_000;

interface OpenFeed {
  readonly connection: Connection;
  readonly rows: Rows;
  readonly identity: string | undefined;
}

export class FeedWriter {
  readonly #engine: Engine;
  readonly #place: FeedPlace;
  readonly #indexFile: string;
  #open: OpenFeed | undefined;

  constructor(engine: Engine, place: FeedPlace, indexFile: string) {
    this.#engine = engine;
    this.#place = place;
    this.#indexFile = indexFile;
  }

  /**
   * In a transaction of the index, before it is changed: what the feed has then is never missing from it, and what the index does not
   * keep after all is compared again.
   * @param revision of the index with these changes
   */
  record(source: Rows, changes: UnpackedChanges, revision: number): void {
    this.#attempt(source, (feed, index) => {
      const now = Date.now();
      const { known_since, step, doubt } = metaOf(feed);
      const isInStep = step === this.#stepAt(revision - 1);
      let isSilent = known_since === null;
      // A new feed beside a complete index.
      if (isSilent && isComplete(index)) {
        this.#begin(feed, index, now);
        isSilent = false;
      }
      recordChanges({ feed, index, now, isSilent }, changes);
      const isDoubtful = known_since !== null && (doubt === 1 || !isInStep);
      this.#writeStep(feed, revision, isDoubtful, now);
    });
  }

  /** In a transaction of the index, once it was compared with the whole vault. */
  scanCompleted(source: Rows): void {
    this.#attempt(source, (feed, index) => {
      const now = Date.now();
      const revision = index.value<number>('SELECT revision FROM state') ?? 0;
      const { known_since, step, doubt } = metaOf(feed);
      const rows = { feed, index, now, isSilent: false };
      if (known_since === null) this.#begin(feed, index, now);
      else {
        if (doubt === 1 || step !== this.#stepAt(revision)) reconcile(rows);
        settleAll(rows);
      }
      pruneFeed(feed, this.#place, now);
      this.#writeStep(feed, revision, false, now);
    });
    this.#open?.connection.pragma(`incremental_vacuum(${MAX_RETURNED_PAGES})`);
    this.close();
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.connection.close();
  }

  /** What is there now is no change. */
  #begin(feed: Rows, index: Rows, now: number): void {
    reconcile({ feed, index, now, isSilent: true });
    feed.run('UPDATE files SET is_new = 0 WHERE is_new');
    feed.run('UPDATE meta SET known_since = ?', now);
  }

  /** Differs for another file of the index, and for each of its revisions. */
  #stepAt(revision: number): string {
    return `${feedIdentity(this.#indexFile)}:${revision}`;
  }

  #writeStep(feed: Rows, revision: number, isDoubtful: boolean, now: number): void {
    const set = 'UPDATE meta SET step = ?, revision = ?, doubt = ?, seen_at = ?';
    feed.run(set, this.#stepAt(revision), revision, Number(isDoubtful), now);
  }

  /** What it missed is found by the next whole scan, which compares the feed with the index: readers see that it is behind. */
  #attempt(index: Rows, work: (feed: Rows, index: Rows) => void): void {
    try {
      const { connection, rows } = this.#ensureOpen();
      connection.transaction(() => work(rows, markingFailures(index))).immediate();
    } catch (thrown) {
      this.close();
      if (thrown instanceof IndexFailure) throw thrown.cause;
      const error = toStoreError(thrown, { op: 'feed', file: this.#place.file });
      if (!(error instanceof VaultgraphError) || !error.code.startsWith('STORE_')) throw error;
      if (isCorruptionOf('file', error)) setFeedAside(this.#place.file);
    }
  }

  /** Another process may have set the file aside. */
  #ensureOpen(): OpenFeed {
    const { file } = this.#place;
    if (this.#open !== undefined && this.#open.identity === feedIdentity(file)) return this.#open;
    this.close();
    const connection = openFeedWriter(this.#engine, file, WAIT_MS);
    this.#open = { connection, rows: createRows(connection), identity: feedIdentity(file) };
    return this.#open;
  }
}

/** A failure of the index, which is no failure of the feed. */
class IndexFailure extends Error {}

function markingFailures(index: Rows): Rows {
  const marked = <Args extends readonly unknown[], T>(read: (...args: Args) => T) => {
    return (...args: Args): T => {
      try {
        return read(...args);
      } catch (cause) {
        throw new IndexFailure('', { cause });
      }
    };
  };
  return {
    ...index,
    all: marked(index.all) as Rows['all'],
    column: marked(index.column) as Rows['column'],
    value: marked(index.value) as Rows['value'],
  };
}

const isComplete = (index: Rows): boolean => index.value<string | null>('SELECT scanned_at FROM state') !== null;
