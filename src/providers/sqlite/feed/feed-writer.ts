// Keeps the feed of changes beside the index, in the thread that writes it. No failure of the feed fails the index.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Connection, Engine } from '../database/connection.ts';
import { fileIdentity, openKeptWriter, setAsideIfDamaged } from '../database/kept-file.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { toStoreError } from '../database/store-errors.ts';
import { revisionOf } from '../write/apply-changes.ts';
import type { UnpackedChanges } from '../write/unpack-changes.ts';
import { FEED_FILE, type FeedPlace } from './feed-file.ts';
import { continueHistory, placeIn, type RecordPlace } from './histories.ts';
import { type Keeping, keepScan, keepSet } from './keep-feed.ts';
import { pruneFeed } from './prune.ts';

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
  /** Where this process left the feed. */
  #left: RecordPlace | undefined;

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
    this.#attempt(source, (keeping) => keepSet(keeping, changes, revision));
  }

  /** In a transaction of the index, once it was compared with the whole vault. */
  scanCompleted(source: Rows): void {
    this.#attempt(source, (keeping) => {
      pruneFeed(keeping.feed, this.#place, keeping.now);
      keepScan(keeping, revisionOf(keeping.index));
    });
    this.#open?.connection.pragma(`incremental_vacuum(${MAX_RETURNED_PAGES})`);
    this.close();
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.connection.close();
  }

  /** What it missed is found by the next whole scan, which compares the feed with the index: readers see that it is behind. */
  #attempt(index: Rows, work: (keeping: Keeping) => void): void {
    try {
      const { connection, rows: feed } = this.#ensureOpen();
      // Differs for another file of the index, and for each of its revisions.
      const stepAt = (revision: number) => `${fileIdentity(this.#indexFile)}:${revision}`;
      const keeping = { feed, index: markingFailures(index), now: Date.now(), stepAt };
      const transact = connection.transaction(() => {
        const before = placeIn(feed);
        work(keeping);
        return continueHistory(feed, before, this.#left);
      });
      this.#left = transact.immediate();
    } catch (thrown) {
      this.close();
      if (thrown instanceof IndexFailure) throw thrown.cause;
      const error = toStoreError(thrown, { op: 'feed', file: this.#place.file });
      if (!(error instanceof VaultgraphError) || !error.code.startsWith('STORE_')) throw error;
      setAsideIfDamaged(this.#engine, this.#place.file, error);
    }
  }

  /** Another process may have set the file aside. */
  #ensureOpen(): OpenFeed {
    const { file } = this.#place;
    if (this.#open !== undefined && this.#open.identity === fileIdentity(file)) return this.#open;
    this.close();
    const connection = openKeptWriter(this.#engine, file, FEED_FILE, WAIT_MS);
    this.#open = { connection, rows: createRows(connection), identity: fileIdentity(file) };
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
    tuples: marked(index.tuples) as Rows['tuples'],
    value: marked(index.value) as Rows['value'],
  };
}
