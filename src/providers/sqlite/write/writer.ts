// Runs jobs in the writer thread, one at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { Serial } from '../../../base/async/serial.ts';
import { commandLine } from '../../../base/command-line.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { dialectForThread } from '../../../base/threads/dialect.ts';
import { WorkerClient } from '../../../base/threads/worker-client.ts';
import { threadScript, unstartedThread } from '../../../base/threads/worker-threads.ts';
import { buffersOf } from '../../../contracts/change-set.ts';
import type { Driver } from '../database/engine.ts';
import type { FeedPlace } from '../feed/feed-file.ts';
import type { CloseRequest, StoreJob, StoreRequest, WriterReply, WriterResults } from './writer-messages.ts';

const SCRIPT = threadScript('writer-thread', import.meta.url);

/** The time for an idle thread to close its connection. */
const MAX_CLOSE_MS = 1_000;

/** What the store needs of it. */
export type IndexWriter = Pick<Writer, 'run' | 'token'>;

export interface WriterData {
  readonly file: string;
  /** The driver of all connections of this process to the file. */
  readonly driver: Driver;
  /** The feed of changes that it keeps beside the index. */
  readonly feed?: FeedPlace;
}

/** The thread that runs the jobs. */
interface WriterThread {
  readonly script: URL;
  readonly workerData: object;
}

export class Writer {
  readonly #start: WriterThread;
  readonly #closing = new AbortController();
  #thread: WorkerClient<StoreRequest | CloseRequest, WriterReply> | undefined;
  readonly #jobs = new Serial();
  #currentOp: StoreJob['op'] | undefined;
  #token: number | null;

  /**
   * @param lostToken the token of a lease in an earlier file; jobs that began under it are refused
   * @param script of another thread that takes the same jobs
   */
  constructor(workerData: object, lostToken: number | null, script = SCRIPT) {
    this.#start = { script, workerData: { ...workerData, ...dialectForThread() } };
    this.#token = lostToken;
  }

  /** The token of the last lease that was taken and not released, even if it was lost since; null without one. */
  token(): number | null {
    return this.#token;
  }

  /** Whether its thread runs. */
  get isRunning(): boolean {
    return this.#thread?.isAlive === true;
  }

  /** Waits for the jobs before it. An abort rolls back. @throws the error of the job, or the abort's reason */
  run<J extends StoreJob>(job: J, signal: AbortSignal): Promise<WriterResults[J['op']]> {
    // A queued job runs under the lease that is held now.
    const token = this.#token;
    return this.#jobs.run(() => this.#runNext(job, token, signal)) as Promise<WriterResults[J['op']]>;
  }

  /** Cancels the current job and ends the thread. */
  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await this.#jobs.idle();
    await this.#endThread();
  }

  /** Ends the thread between two jobs; the next job starts one again. */
  async release(): Promise<void> {
    await this.#jobs.run(() => this.#endThread());
  }

  async #endThread(): Promise<void> {
    if (!this.#thread?.isAlive) return;
    const timeout = new AbortController();
    const timedOut = sleep(MAX_CLOSE_MS, undefined, { signal: timeout.signal });
    await Promise.allSettled([Promise.race([this.#thread.ask('close'), timedOut])]);
    timeout.abort();
    await this.#thread.close();
  }

  /** Ends the thread in the middle of its job: for a job that changes nothing. */
  async end(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await this.#thread?.close();
  }

  async #runNext(job: StoreJob, token: number | null, signal: AbortSignal): Promise<unknown> {
    const signals = [signal, this.#closing.signal];
    for (const each of signals) each.throwIfAborted();
    if (!this.#thread?.isAlive) this.#thread = this.#startThread();
    this.#currentOp = job.op;
    const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const cancel = () => {
      Atomics.store(cancelled, 0, 1);
      Atomics.notify(cancelled, 0);
    };
    for (const each of signals) each.addEventListener('abort', cancel);
    const buffers = job.op === 'apply' ? buffersOf(job.changes) : [];
    try {
      const result = resultOf(await this.#thread.ask({ ...job, token, cancelled }, buffers), signals);
      if (job.op === 'takeLease') this.#token = (result as WriterResults['takeLease']) ?? this.#token;
      if (job.op === 'releaseLease' && result === true && this.#token === token) this.#token = null;
      return result;
    } finally {
      for (const each of signals) each.removeEventListener('abort', cancel);
      // A thread that waits for the cancellation waits no longer.
      Atomics.notify(cancelled, 0);
    }
  }

  #startThread(): WorkerClient<StoreRequest | CloseRequest, WriterReply> {
    const failure = (cause: unknown) => unstartedThread(cause) ?? ended(cause);
    const ended = (cause: unknown): VaultgraphError => {
      const reason = 'the writer thread ended; nothing of the job was saved';
      const advice = `Try again: the next job starts another. If that ends, too, ask the user to run \`${commandLine('doctor')}\`.`;
      return new VaultgraphError('STORE_UNAVAILABLE', { op: this.#currentOp ?? 'close', reason, advice }, { cause });
    };
    const { script, workerData } = this.#start;
    return new WorkerClient(script, { name: 'vaultgraph-store', workerData, inheritsOptions: true, failure });
  }
}

function resultOf(reply: WriterReply, signals: readonly AbortSignal[]): unknown {
  if (reply.kind === 'done') return reply.result;
  if (reply.kind === 'failed') {
    const { code, details, retry, cause } = reply;
    throw new VaultgraphError(code, details, { cause, retry });
  }
  for (const signal of signals) signal.throwIfAborted();
  throw new VaultgraphError('INTERNAL', { kind: 'cancelled_without_signal' });
}
