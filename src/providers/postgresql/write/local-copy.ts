// The copy of the index on this machine, as the thread that writes it holds it open.
import type { Connection, Engine } from '../../sqlite/database/connection.ts';
import { openWriter } from '../../sqlite/database/open-database.ts';
import { createRows, type Rows } from '../../sqlite/database/rows.ts';
import { retryWhileBusy } from '../../sqlite/database/store-errors.ts';
import { deleteDropped, deleteUnused } from '../../sqlite/vectors/apply-vectors.ts';
import { ChangeWriter } from '../../sqlite/write/apply-changes.ts';
import { CREATE_POSITION } from '../copy/position.ts';

/** Servers that share a data folder write the same copy; each only for a moment. */
const MAX_WAIT_MS = 30_000;

export class LocalCopy {
  readonly rows: Rows;
  readonly #file: string;
  readonly #connection: Connection;
  #changes: ChangeWriter;
  #version: unknown;

  constructor(engine: Engine, file: string) {
    this.#file = file;
    this.#connection = openWriter(engine, file, (opened) => opened.exec(CREATE_POSITION));
    this.rows = createRows(this.#connection);
    this.#changes = new ChangeWriter(this.rows);
  }

  /** Forgets what it remembers of the index once another process has changed it. */
  get changes(): ChangeWriter {
    const version = this.#connection.pragma('data_version', { simple: true });
    if (version !== this.#version) this.#changes = new ChangeWriter(this.rows);
    this.#version = version;
    return this.#changes;
  }

  /**
   * Runs `work` in one transaction, in which it may wait for others; readers see the state before until the end.
   * @param checkCancelled throws once the caller has cancelled
   */
  async transaction<T>(op: string, checkCancelled: () => void, work: () => Promise<T> | T): Promise<T> {
    const attempt = { op, file: this.#file, checkCancelled };
    await retryWhileBusy(attempt, () => this.#connection.exec('BEGIN IMMEDIATE'), MAX_WAIT_MS);
    try {
      const result = await work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (thrown) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      this.#changes = new ChangeWriter(this.rows);
      throw thrown;
    }
  }

  /** What no generation uses, in transactions of their own. */
  async deleteUnused(op: string, checkCancelled: () => void, withVectors: boolean): Promise<void> {
    const deletions = withVectors ? [deleteDropped, deleteUnused] : [deleteDropped];
    for (const deletion of deletions)
      while (await this.transaction(op, checkCancelled, () => deletion(this.rows))) checkCancelled();
  }

  /** Gives back the space of a long run of changes. */
  checkpoint(): void {
    this.#connection.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#connection.close();
  }
}
