// One index job: its counts while it runs, its listeners, and its end.
import { randomBytes } from 'node:crypto';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ChunkCounts, IndexCounts, IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import type { Vault } from '../../contracts/vault.ts';

const MAX_FAILURES = 100;
const PROGRESS_EVERY_MS = 100;
/** A server has three seconds to end. */
const LATE_MS = 1_000;
/** Further skipped files are only counted in the log; `status` lists them. */
const MAX_LOGGED_FAILURES = 20;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** What an interrupted job keeps when it runs again, in this process or another. */
export type ResumedJob = Pick<IndexJob, 'id' | 'startedAt'>;

export class JobRecord {
  readonly id: string;
  readonly startedAt: string;
  readonly request: IndexRequest;
  readonly counts: Mutable<IndexCounts> = { listed: 0, changed: 0, done: 0, indexed: 0, failed: 0, removed: 0 };
  /** Where the listing in progress counts its files. */
  listing: Vault['progress'] | undefined;
  /** Reported of `embed` jobs only. */
  readonly chunks: Mutable<ChunkCounts> = { embedded: 0, kept: 0, failed: 0, requests: 0 };
  /** The same as in `IndexJob`. */
  replaces: readonly string[] | undefined;
  /** The request and those of the callers that joined the job. */
  readonly #requests: IndexRequest[];
  readonly #failures: IndexJob['failures'][number][] = [];
  readonly #stopping = new AbortController();
  readonly #stoppingLate = new AbortController();
  readonly #lateMs: number;
  readonly #ending = Promise.withResolvers<IndexJob>();
  #progress: Pick<IndexJob, 'state' | 'phase' | 'waiting' | 'endedAt' | 'error'> = {
    state: 'queued',
    phase: 'waiting',
  };
  #isInterrupted = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** @param lateMs between `signal` and `lateSignal` */
  constructor(request: IndexRequest, resumed?: ResumedJob, lateMs = LATE_MS) {
    this.#lateMs = lateMs;
    this.id = resumed?.id ?? `job_${randomBytes(4).toString('hex')}`;
    this.startedAt = resumed?.startedAt ?? new Date().toISOString();
    this.request = request;
    this.#requests = [request];
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborts a moment after `signal`: work that is as good as done comes to its end. */
  get lateSignal(): AbortSignal {
    return this.#stoppingLate.signal;
  }

  get hasEnded(): boolean {
    return this.#progress.endedAt !== undefined;
  }

  get ended(): Promise<IndexJob> {
    return this.#ending.promise;
  }

  /** Whether a caller allows it to remove more notes than the mass-delete guard would. */
  get isConfirmed(): boolean {
    return this.#requests.some(({ confirmed }) => confirmed === true);
  }

  /** Whether a caller wants what `renewVectors` of a request says. */
  get isRenewingVectors(): boolean {
    return this.#requests.some(({ renewVectors }) => renewVectors === true);
  }

  /** How long to wait for a provider that is down: the shortest wait of all callers. */
  get patienceMs(): number {
    return Math.min(...this.#requests.map(({ patienceMs = Number.POSITIVE_INFINITY }) => patienceMs));
  }

  /** Whether the watcher started it for single notes: no caller waits for it, and the next scan would find the same. */
  get isRoutine(): boolean {
    const { kind, hinted, confirmed } = this.request;
    return kind === 'notes' && hinted === true && confirmed !== true && this.#requests.length === 1;
  }

  join(request: IndexRequest): void {
    this.#requests.push(request);
  }

  enter(phase: IndexJob['phase']): void {
    this.#progress = { state: 'running', phase };
    this.#report();
  }

  /** The job waits for a provider, in the phase it is in, until `endWait`. */
  wait(waiting: NonNullable<IndexJob['waiting']>): void {
    this.#progress = { state: 'retrying', phase: this.#progress.phase, waiting };
    this.#report();
  }

  endWait(): void {
    if (this.#progress.state === 'retrying') this.enter(this.#progress.phase);
  }

  addFailures(failures: IndexJob['failures']): void {
    this.#failures.push(...failures.slice(0, MAX_FAILURES - this.#failures.length));
  }

  /** Reports the counts to the listeners, at most every 100 ms. */
  reportProgress(): void {
    if (performance.now() - this.#reportedAt >= PROGRESS_EVERY_MS) this.#report();
  }

  /** @param unsuccessful the state after an error, unless the job was cancelled or interrupted */
  end(error?: unknown, unsuccessful: 'failed' | 'interrupted' = 'failed'): void {
    const endedAt = new Date().toISOString();
    if (error === undefined) this.#progress = { state: 'succeeded', phase: 'ended', endedAt };
    else {
      const state = this.#isInterrupted ? 'interrupted' : this.signal.aborted ? 'cancelled' : unsuccessful;
      this.#progress = { state, phase: this.#progress.phase, endedAt, error: toVaultgraphError(error) };
    }
    this.#ending.resolve(this.snapshot());
    this.#report();
  }

  cancel(): void {
    this.#stop(new VaultgraphError('CANCELLED', { committed: 'none' }));
  }

  /** Stops it as a job that runs again later. */
  interrupt(error: VaultgraphError): void {
    if (this.signal.aborted) return;
    this.#isInterrupted = true;
    this.#stop(error);
  }

  #stop(error: VaultgraphError): void {
    this.#stopping.abort(error);
    setTimeout(() => this.#stoppingLate.abort(error), this.#lateMs).unref();
  }

  snapshot(): IndexJob {
    const { id, startedAt, request, counts, chunks, replaces } = this;
    return Object.freeze({
      id,
      kind: request.kind,
      startedAt,
      ...this.#progress,
      counts: { ...counts, ...this.listing },
      failures: [...this.#failures],
      ...(request.kind === 'embed' && { chunks: { ...chunks } }),
      ...(replaces && { replaces }),
    });
  }

  #report(): void {
    this.#reportedAt = performance.now();
    const job = this.snapshot();
    for (const { onProgress } of this.#requests) onProgress?.(job);
  }
}

/** Logs how a job ended: counts, codes and paths, never text of a note. */
export function logJob(log: Log, job: IndexJob): void {
  const { id, kind, state, phase, counts, chunks, replaces, error, startedAt, endedAt = startedAt } = job;
  for (const skipped of job.failures.slice(0, MAX_LOGGED_FAILURES)) {
    const { code, category } = skipped.error;
    log('warn', 'skipped', { job_id: id, path: skipped.id, code, category });
  }
  log(levelOf(job), 'index_job_ended', {
    job_id: id,
    kind,
    state,
    ...(replaces && { reason: `another ${replaces.join(', ')}` }),
    ...(error && { error_id: error.errorId, code: error.code, category: error.category, phase }),
    duration_ms: Date.parse(endedAt) - Date.parse(startedAt),
    counts: { ...counts, ...(chunks && loggedChunks(chunks)) },
  });
}

/** A job that ends only because its process does has not failed: the next process continues it. */
function levelOf({ state, error, failures, counts }: IndexJob): 'info' | 'warn' | 'error' {
  if (state === 'failed') return 'error';
  const isCutShort = state === 'interrupted' && error?.code !== 'SHUTTING_DOWN';
  return isCutShort || counts.failed > 0 || failures.length > 0 ? 'warn' : 'info';
}

function loggedChunks({ embedded, kept, failed, requests }: ChunkCounts) {
  return { chunks_embedded: embedded, chunks_kept: kept, chunks_failed: failed, requests };
}
