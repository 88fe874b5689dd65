// Runs embed jobs one at a time, beside the jobs of the text index, and again when their provider is back.
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import type { IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import type { JobList } from '../jobs/job-list.ts';
import { JobRecord, type ResumedJob } from '../jobs/job-record.ts';
import { type EmbedJobParts, embedVault } from './embed-vault.ts';

/** A job that fails although its provider answers other callers is not retried more often. */
const RETRY_PAUSE_MS = 30_000;

/** Failures that pass by themselves: they leave a job interrupted, not failed. */
const TRANSIENT: readonly ErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_ERROR',
  'PROVIDER_CIRCUIT_OPEN',
  'PROVIDER_MODEL_PULLING',
  'OVERLOADED',
];

export interface EmbedSlotParts extends EmbedJobParts {
  readonly jobs: JobList;
  readonly onEnd: (job: IndexJob) => void;
  /** Resolves when this process may write. @throws INDEX_CONFLICT */
  readonly lead: () => Promise<void>;
  readonly isLeader: () => boolean;
}

/** `isWhole` as of `embedVault`. */
interface EmbedTask {
  readonly job: JobRecord;
  isWhole: boolean;
}

export class EmbedSlot {
  readonly #parts: EmbedSlotParts;
  readonly #retriedAt = new Map<ErrorCode, number>();
  #running: EmbedTask | undefined;
  #next: EmbedTask | undefined;
  #last: JobRecord | undefined;
  /** The last job, if a transient failure ended it. */
  #interrupted: (EmbedTask & { readonly error: VaultgraphError }) | undefined;
  /** While true no job starts. */
  #isPaused = false;
  #resumed: ResumedJob | undefined;

  constructor(parts: EmbedSlotParts) {
    this.#parts = parts;
  }

  /** The running job, or the last one. */
  get current(): IndexJob | undefined {
    return (this.#running?.job ?? this.#next?.job ?? this.#last)?.snapshot();
  }

  /** A job that starts no sooner than now, so that it sees all that is indexed by now. */
  start(isWhole: boolean, request: IndexRequest): IndexJob {
    this.#next ??= this.#newTask();
    const { job } = this.#next;
    job.join(request);
    this.#next.isWhole ||= isWhole;
    this.#startNext();
    return job.snapshot();
  }

  /** The running job if it does at least what is requested, otherwise a whole one after it. */
  join(request: IndexRequest): IndexJob {
    const { job, isWhole } = this.#running ?? {};
    const isEnough =
      isWhole && job?.signal.aborted === false && (job?.isRenewingVectors || request.renewVectors !== true);
    if (job === undefined || this.#next !== undefined || !isEnough) return this.start(true, request);
    job.join(request);
    return job.snapshot();
  }

  /** The next job continues this one, which was interrupted in another process or an earlier run. */
  resume(job: ResumedJob): void {
    this.#resumed = job;
  }

  /** Runs the interrupted job again. (A running job waits in the provider itself, which notices the answer as well.) */
  providerAnswered(): void {
    if (this.#running !== undefined || this.#interrupted === undefined) return;
    const { isWhole, error } = this.#interrupted;
    if (this.#mayRetry(error.code)) this.start(isWhole, { kind: 'embed' });
  }

  /** Ends a cancelled job that still waits for its turn. */
  dropCancelled(): void {
    const job = this.#next?.job;
    if (!job?.signal.aborted) return;
    this.#next = undefined;
    job.end(job.signal.reason);
    this.#parts.onEnd(job.snapshot());
  }

  /** Cancels the running job, and starts none while `work` runs. */
  async pauseDuring(work: () => Promise<void>): Promise<void> {
    await this.#pause((job) => job.cancel());
    await work().finally(() => this.#unpause());
  }

  /** Interrupts the running and the waiting job, to be resumed later. */
  async interrupt(error: VaultgraphError): Promise<void> {
    await this.close(error);
    this.#unpause();
  }

  /** Does what `interrupt` does, and starts no more jobs. */
  async close(error: VaultgraphError): Promise<void> {
    this.#interrupted = undefined;
    this.#next?.job.interrupt(error);
    this.dropCancelled();
    await this.#pause((job) => job.interrupt(error));
  }

  #newTask(): EmbedTask {
    const job = new JobRecord({ kind: 'embed' }, this.#resumed);
    this.#resumed = undefined;
    this.#parts.jobs.add(job);
    return { job, isWhole: false };
  }

  /** The next job takes over what an interrupted one was to do. */
  #startNext(): void {
    const task = this.#next;
    if (this.#running !== undefined || task === undefined || this.#isPaused) return;
    this.#next = undefined;
    task.isWhole ||= this.#interrupted?.isWhole === true;
    if (this.#interrupted?.job.isRenewingVectors) task.job.join({ kind: 'embed', renewVectors: true });
    this.#interrupted = undefined;
    void this.#perform(task);
  }

  async #perform(task: EmbedTask): Promise<void> {
    const { lead, isLeader, onEnd } = this.#parts;
    const { job, isWhole } = task;
    this.#running = task;
    this.#last = job;
    const work = (): Promise<void> => embedVault(job, isWhole, this.#parts);
    const error = await errorOf(isLeader() ? work() : lead().then(work));
    this.#running = undefined;
    const isPassing =
      error !== undefined && !job.signal.aborted && (TRANSIENT.includes(error.code) || isUnavailable(error));
    if (isPassing) this.#interrupted = { job, isWhole, error };
    job.end(error, isPassing || error?.code === 'INDEX_CONFLICT' ? 'interrupted' : 'failed');
    onEnd(job.snapshot());
    this.#startNext();
  }

  async #pause(stop: (job: JobRecord) => void): Promise<void> {
    this.#isPaused = true;
    if (this.#running !== undefined) stop(this.#running.job);
    await this.#running?.job.ended;
  }

  #unpause(): void {
    this.#isPaused = false;
    this.#startNext();
  }

  #mayRetry(code: ErrorCode): boolean {
    const now = performance.now();
    if (now - (this.#retriedAt.get(code) ?? Number.NEGATIVE_INFINITY) < RETRY_PAUSE_MS) return false;
    this.#retriedAt.set(code, now);
    return true;
  }
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_CORRUPT',
  'STORE_UNAVAILABLE',
  'VAULT_UNAVAILABLE',
]);

/** Whether the store or the vault is unavailable: the job is interrupted, not failed, and runs again once it is back. */
export function isUnavailable(error: VaultgraphError | undefined): boolean {
  return error !== undefined && UNAVAILABLE.has(error.code);
}
