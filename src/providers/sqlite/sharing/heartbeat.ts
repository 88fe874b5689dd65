// Writes the heartbeats of an idle leader on the main thread, so that the writer thread can end.
import { statSync } from 'node:fs';
import type { Connection, Engine } from '../database/connection.ts';
import { CHECKPOINT_BYTES, openWriter } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import type { IndexWriter, Writer } from '../write/writer.ts';
import type { StoreJob } from '../write/writer-messages.ts';
import { updateHolder } from './lease.ts';
import type { PackedUpdate } from './packed-jobs.ts';

const CACHE_KIB = 64;
/** The writer thread holds some 14 MiB. It outlives a pause between changes. */
const IDLE_MS = 10_000;

type ThreadWriter = Pick<Writer, 'run' | 'token' | 'isRunning' | 'release'>;

/** Writes as the index writer does, but its thread ends when nothing but heartbeats is to write. */
export class HeartbeatWriter implements IndexWriter {
  readonly #engine: Engine;
  readonly #file: string;
  readonly #writer: ThreadWriter;
  readonly #idleMs: number;
  #open: { readonly connection: Connection; readonly rows: Rows } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(engine: Engine, file: string, writer: ThreadWriter, idleMs: number = IDLE_MS) {
    this.#engine = engine;
    this.#file = file;
    this.#writer = writer;
    this.#idleMs = idleMs;
  }

  token(): number | null {
    return this.#writer.token();
  }

  run: IndexWriter['run'] = async (job, signal) => {
    const update = heartbeatIn(job);
    // A running thread also writes the first page after its checkpoint, which waits for the disk.
    if (update !== undefined && !this.#writer.isRunning && this.#beat(update)) return undefined as never;
    if (update === undefined || this.#idleTimer === undefined) this.#watchIdle();
    return this.#writer.run(job, signal);
  };

  close(): void {
    clearTimeout(this.#idleTimer);
    this.#closeConnection();
  }

  #watchIdle(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      void this.#writer.release();
    }, this.#idleMs).unref();
  }

  #closeConnection(): void {
    this.#open?.connection.close();
    this.#open = undefined;
  }

  /** @returns false if the writer thread has to: it waits for a lock, checkpoints a long log, and reports what is wrong */
  #beat(update: PackedUpdate): boolean {
    try {
      if (statSync(`${this.#file}-wal`).size >= CHECKPOINT_BYTES) return false;
      this.#open ??= this.#openConnection();
      const { connection, rows } = this.#open;
      const write = () => updateHolder(rows, update, this.token(), new Date().toISOString());
      connection.transaction(write).immediate();
      return true;
    } catch {
      this.#closeConnection();
      return false;
    }
  }

  #openConnection(): { readonly connection: Connection; readonly rows: Rows } {
    const connection = openWriter(this.#engine, this.#file, (opened) => {
      opened.pragma(`cache_size = -${CACHE_KIB}`);
      // A checkpoint waits for the disk.
      opened.pragma('wal_autocheckpoint = 0');
    });
    return { connection, rows: createRows(connection) };
  }
}

function heartbeatIn(job: StoreJob): PackedUpdate | undefined {
  if (job.op !== 'publish') return undefined;
  return job.update.jobs.length + job.update.answers.length === 0 ? job.update : undefined;
}
