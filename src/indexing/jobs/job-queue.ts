// Runs the index jobs of this process while it leads: one text job at a time, and vector jobs in parallel.
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf, outcomeOf } from '../../base/outcome.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { Embedding } from '../../contracts/embedding.ts';
import type { TextHistory } from '../../contracts/feed.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../../contracts/indexer.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import { EmbedJobs, isUnavailable } from '../embed/embed-vault.ts';
import type { AttachmentSamples } from './attachment-samples.ts';
import type { MassDeleteLimits } from './comparison.ts';
import { HistoryFill } from './fill-history.ts';
import { runFromFirstNotes } from './first-notes.ts';
import type { JobList } from './job-list.ts';
import { JobRecord, logJob, type ResumedJob } from './job-record.ts';
import { ModelDownloads, type Pull, type PulledFor } from './model-downloads.ts';
import type { PdfTexts } from './pdf-texts.ts';
import type { JobParts } from './run-job.ts';
import type { StoreTally } from './store-tally.ts';
import { UnreadNotes } from './unread-notes.ts';

export interface JobQueueParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly log: Log;
  readonly massDelete?: MassDeleteLimits;
  /** Reads the texts of PDFs; absent if they are not indexed. */
  readonly pdfs?: PdfTexts;
  /** Absent if earlier texts are not kept. */
  readonly history?: TextHistory;
  /** Absent if no feed of changes is kept. */
  readonly samples?: AttachmentSamples;
  /** If it is configured, the vectors follow the text index by themselves. */
  readonly embedding?: Embedding;
  /** Milliseconds that a model may take to download. */
  readonly pullLimitMs?: number;
  /** Milliseconds that a job may take to end what it is doing. */
  readonly lateMs?: number;
  readonly jobs: JobList;
  readonly tally: StoreTally;
  /** Must end before the vault is read for the first time. Gives paths that changed on purpose and that the index may not know. */
  readonly begin: () => Promise<readonly string[]>;
  /** Resolves when this process may write. @throws INDEX_CONFLICT */
  readonly lead: () => Promise<void>;
  readonly isLeader: () => boolean;
  /** Whether the end of the job is not worth a log line. */
  readonly isQuiet: (job: IndexJob) => boolean;
  /** A job was interrupted because the vault is unavailable; it waits to be resumed. */
  readonly onVaultLost: () => void;
}

/** A scan lets work that is already queued go first, above all the handshake of a server. */
const HEAD_START_MS = 5;
const PULL_LIMIT_MS = 3_600_000;
const MASS_DELETE: MassDeleteLimits = { ratio: 0.5, minNotes: 20 };

export class JobQueue {
  readonly #parts: JobQueueParts;
  readonly #closing = new AbortController();
  readonly #embed: EmbedJobs | undefined;
  readonly #pulls: ModelDownloads;
  readonly #fill: HistoryFill | undefined;
  /** The running job of the text index, and the one that a caller requested while a cancelled job or one of the watcher ran. */
  #running: JobRecord | undefined;
  #next: JobRecord | undefined;
  #beginning: Promise<unknown> | undefined;
  #freshness: IndexState['freshness'] = 'unknown';
  #lastError: VaultgraphError | undefined;
  /** Why the last scan failed: a later job that reads a few notes does not make up for it. */
  #scanError: VaultgraphError | undefined;

  /** Reads paths after the running job; may remove any number of notes, and ignores paths that are nowhere. */
  readonly refresh: Indexer['refresh'];
  /** Does what `refresh` does, for paths that may have changed; the mass-delete guard applies. */
  readonly refreshHinted: Indexer['refresh'];
  readonly #scan: Indexer['refresh'];
  /** Reads what an earlier job has left; nothing waits for it. */
  readonly #readLeft: Indexer['refresh'];
  /** How many calls and events wait for a job. */
  #waiting = 0;
  /** The attachments that earlier jobs have left to later ones. */
  readonly #left = new Set<string>();
  readonly #unread: UnreadNotes;

  constructor(parts: JobQueueParts) {
    const { jobs, tally, isLeader, embedding, pullLimitMs = PULL_LIMIT_MS } = parts;
    this.#parts = parts;
    const onEnd = (job: IndexJob): void => this.#logEnd(job);
    this.#embed = embedding && new EmbedJobs({ ...parts, embedding, onEnd });
    this.#pulls = new ModelDownloads({
      jobs,
      limitMs: pullLimitMs,
      onEnd,
      onPulled: ({ capability }) => {
        if (capability === 'embedding' && isLeader()) this.#embed?.join({ kind: 'embed' });
      },
    });
    const { history } = parts;
    const { signal } = this.#closing;
    this.#fill = history && new HistoryFill({ ...parts, history, idle: () => this.idle(), signal });
    const running = (): Promise<unknown> | undefined => this.#running?.ended;
    const refresh = (confirmed: boolean): Indexer['refresh'] =>
      createRefresh({ running, start: (paths) => this.#run({ kind: 'notes', paths, confirmed, hinted: true }) });
    this.refresh = this.#counted(refresh(true));
    this.refreshHinted = this.#counted(refresh(false));
    this.#readLeft = refresh(false);
    this.#unread = new UnreadNotes((paths) => outcomeOf(this.#readLeft(paths, signal)));
    this.#scan = this.#counted(createRefresh({ running, start: () => this.#run({ kind: 'catch_up', hinted: true }) }));
    void errorOf(tally.count()).then((error) => {
      this.#lastError ??= error;
    });
  }

  /** Files that are known to be missing in the index, besides those that the store counts. */
  get left(): number {
    return this.#left.size;
  }

  get state(): Pick<IndexState, 'freshness' | 'running' | 'embedJob' | 'lastError'> {
    const embedJob = this.#embed?.current;
    const lastError = this.#scanError ?? this.#lastError;
    return {
      freshness: this.#freshness,
      ...(this.#running && { running: this.#running.snapshot() }),
      ...(embedJob && { embedJob }),
      ...(lastError && { lastError }),
    };
  }

  /**
   * Does what `Indexer.start` does, without waiting for anything.
   * @param resumed a job that was interrupted in another process or an earlier run and continues as this one
   */
  start(request: IndexRequest, resumed?: ResumedJob): IndexJob {
    this.#closing.signal.throwIfAborted();
    if (request.kind === 'embed') return this.#startEmbedding(request);
    if (request.kind === 'pull') throw new VaultgraphError('INTERNAL', { kind: 'nothing_to_pull' });
    const running = this.#running;
    if (running !== undefined && mustWait(request, running)) return this.#enqueue(request, resumed);
    if (running !== undefined) return joinJob(running, request);
    this.#running = new JobRecord(request, resumed, this.#parts.lateMs);
    this.#parts.jobs.add(this.#running);
    void this.#perform(this.#running);
    return this.#running.snapshot();
  }

  /** A full scan that starts now or later. */
  catchUp(signal: AbortSignal): Promise<IndexJob> {
    return this.#scan([], signal);
  }

  startPull(pull: Pull, by: PulledFor): IndexJob {
    this.#closing.signal.throwIfAborted();
    return this.#pulls.start(pull, by);
  }

  resumeEmbedding(job: ResumedJob): void {
    this.#embed?.resume(job);
  }

  providerAnswered(): void {
    if (this.#parts.isLeader()) this.#embed?.providerAnswered();
  }

  /** Ends a cancelled job that still waits for its turn. */
  dropCancelled(): void {
    this.#embed?.dropCancelled();
    const job = this.#next;
    if (!job?.signal.aborted) return;
    this.#next = undefined;
    job.end(job.signal.reason);
    this.#logEnd(job.snapshot());
  }

  /** Resolves when no job of the text index runs. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running.ended;
  }

  /** Interrupts all jobs, to be resumed later. */
  async interrupt(error: VaultgraphError): Promise<void> {
    this.#freshness = 'unknown';
    this.#unread.forget();
    // Another process, perhaps on another machine or without a history, may index what follows.
    this.#parts.history?.doubt();
    this.#interruptText(error);
    await Promise.all([this.#running?.ended, this.#embed?.interrupt(error)]);
  }

  async close(): Promise<void> {
    const error = new VaultgraphError('SHUTTING_DOWN', {});
    this.#closing.abort(error);
    this.#unread.forget();
    this.#interruptText(error);
    await Promise.all([this.#running?.ended, this.#pulls.close(error), this.#fill?.ended()]);
    await this.#embed?.close(error);
  }

  /** The waiting job ends at once, so that no later request joins it. */
  #interruptText(error: VaultgraphError): void {
    for (const job of [this.#next, this.#running]) job?.interrupt(error);
    this.dropCancelled();
  }

  #counted(refresh: Indexer['refresh']): Indexer['refresh'] {
    return (paths, signal) => {
      this.#waiting += 1;
      return refresh(paths, signal).finally(() => {
        this.#waiting -= 1;
      });
    };
  }

  #run(request: IndexRequest): Promise<IndexJob> {
    return this.#parts.jobs.get(this.start(request).id).ended;
  }

  #startEmbedding(request: IndexRequest): IndexJob {
    if (this.#embed === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_embedding' });
    return this.#embed.join(request);
  }

  #enqueue(request: IndexRequest, resumed?: ResumedJob): IndexJob {
    if (this.#next !== undefined) return joinJob(this.#next, request);
    this.#next = new JobRecord(request, resumed, this.#parts.lateMs);
    this.#parts.jobs.add(this.#next);
    return this.#next.snapshot();
  }

  #startNext(): void {
    this.#running = this.#next;
    this.#next = undefined;
    if (this.#running !== undefined) void this.#perform(this.#running);
  }

  async #perform(job: JobRecord): Promise<void> {
    const isScan = job.request.kind !== 'notes';
    const error = await errorOf(this.#leadAndIndex(job));
    const isConflict = error?.code === 'INDEX_CONFLICT';
    if (!isConflict) this.#lastError = error;
    if (!isConflict && isScan) this.#scanError = error;
    if (isScan) this.#freshness = error === undefined ? 'fresh' : 'unknown';
    // What follows is in the list before this job ends, so that its callers find it there.
    this.#startNext();
    // After a failure the next scan finds what is left.
    if (error !== undefined) this.#left.clear();
    if (this.#left.size > 0) void this.#continueAfter(job);
    const { isRenewingVectors: renewVectors, patienceMs } = job;
    if (error === undefined) this.#embed?.start(isScan, { kind: 'embed', renewVectors, patienceMs });
    if (error === undefined && isScan) this.#fillAfterScan();
    if (error === undefined) this.#unread.jobEnded(job.request, job.snapshot().failures);
    job.end(error, isConflict || isUnavailable(error) ? 'interrupted' : 'failed');
    this.#logEnd(job.snapshot());
    if (error?.code === 'VAULT_UNAVAILABLE') this.#parts.onVaultLost();
  }

  #fillAfterScan(): void {
    const { signal } = this.#closing;
    this.#fill?.start();
    void this.#parts.samples?.fill((paths) => this.#readLeft(paths, signal), signal);
  }

  async #leadAndIndex(job: JobRecord): Promise<void> {
    /** What fails while the last write of a stopped job is still awaited is not why the job ends. */
    const orWhyStopped = (thrown: unknown): never => {
      throw job.signal.aborted ? job.signal.reason : thrown;
    };
    await untilAborted(this.#parts.lead(), job.lateSignal).catch(orWhyStopped);
    this.#beginning ??= errorOf(this.#begin());
    await this.#beginning;
    if (job.request.kind !== 'notes') await sleep(HEAD_START_MS);
    await this.#index(job)
      .catch(orWhyStopped)
      .finally(() => this.#parts.tally.count());
  }

  async #begin(): Promise<void> {
    const paths = await this.#parts.begin();
    if (paths.length > 0) await this.#index(new JobRecord({ kind: 'notes', paths, confirmed: true }));
  }

  async #index(job: JobRecord): Promise<void> {
    const { tally, massDelete = MASS_DELETE } = this.#parts;
    const parts: JobParts = {
      ...this.#parts,
      massDelete,
      isAwaited: () => this.#waiting > 0 || this.#next !== undefined,
      onCommit: () => tally.countIfDue(),
      reset: (signal) => this.#reset(signal),
    };
    const left = await runFromFirstNotes(job, parts);
    const { kind, paths = [] } = job.request;
    for (const path of kind === 'notes' ? paths : [...this.#left]) this.#left.delete(path);
    for (const path of left) this.#left.add(path);
  }

  /** After the jobs that wait for this one. */
  async #continueAfter(job: JobRecord): Promise<void> {
    await job.ended;
    await outcomeOf(this.#readLeft([...this.#left], this.#closing.signal));
  }

  /** No vectors may be written while the store discards everything. */
  async #reset(signal: AbortSignal): Promise<void> {
    const work = async (): Promise<void> => {
      await this.#parts.store.reset(signal);
      // From now on no answer may take the index for complete.
      await this.#parts.tally.count();
    };
    await (this.#embed === undefined ? work() : this.#embed.pauseDuring(work));
  }

  #logEnd(job: IndexJob): void {
    if (!this.#parts.isQuiet(job)) logJob(this.#parts.log, job);
  }
}

/** A caller neither joins a job that was cancelled nor conflicts with one that the watcher started. */
function mustWait(request: IndexRequest, running: JobRecord): boolean {
  const isOfWatcher = running.request.hinted === true && request.hinted !== true;
  return running.signal.aborted || (isOfWatcher && !covers(running, request));
}

/** Whether a caller with this request may wait for that job instead. */
function covers({ request: { kind, paths = [] } }: JobRecord, request: IndexRequest): boolean {
  const covered = new Set(paths);
  return kind === request.kind && (request.paths ?? []).every((path) => covered.has(path));
}

/** @throws INDEX_CONFLICT if the job does something else */
function joinJob(job: JobRecord, request: IndexRequest): IndexJob {
  if (!covers(job, request)) throw new VaultgraphError('INDEX_CONFLICT', { job_id: job.id, running: job.request.kind });
  job.join(request);
  return job.snapshot();
}

interface RefreshParts {
  /** The end of the running job; undefined if none runs. */
  readonly running: () => Promise<unknown> | undefined;
  /** Starts a job over the paths while no other one runs; resolves with its end. */
  readonly start: (paths: readonly string[]) => Promise<IndexJob>;
}

/** Waits for the running job, then reads all paths that were asked for meanwhile with one job. */
function createRefresh({ running, start }: RefreshParts): Indexer['refresh'] {
  let gathering: { readonly paths: Set<string>; readonly job: Promise<IndexJob> } | undefined;

  async function afterOthers(paths: ReadonlySet<string>): Promise<IndexJob> {
    // Not in the same step as the first request: those of this step come along.
    await undefined;
    for (let job = running(); job !== undefined; job = running()) await job;
    gathering = undefined;
    return start([...paths]);
  }

  return (requested, signal) => {
    if (gathering === undefined) {
      const paths = new Set<string>();
      gathering = { paths, job: afterOthers(paths) };
    }
    for (const path of requested) gathering.paths.add(path);
    return untilAborted(gathering.job, signal);
  };
}
