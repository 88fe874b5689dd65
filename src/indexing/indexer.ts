// Keeps the index true to the vault, together with the other processes on it: the leader does the work, followers ask it to.
import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER, untilAborted } from '../base/async/waits.ts';
import { VaultgraphError } from '../base/errors.ts';
import { errorOf } from '../base/outcome.ts';
import { keepHeapsSmall } from '../base/system/memory.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../contracts/indexer.ts';
import type { HolderReport, KeptJob, SharedRequest } from '../contracts/lease.ts';
import type { StoreProgress } from '../contracts/store.ts';
import { JobList, JobWriter } from './jobs/job-list.ts';
import { JobQueue, type JobQueueParts } from './jobs/job-queue.ts';
import type { JobRecord } from './jobs/job-record.ts';
import type { Pull, PulledFor } from './jobs/model-downloads.ts';
import {
  askLeader,
  hasHadJob,
  hasNeverStarted,
  RequestDesk,
  resumableJobs,
  SharedJobs,
  StoredJobs,
} from './jobs/shared-jobs.ts';
import { StoreTally } from './jobs/store-tally.ts';
import { Leadership, type LeadershipParts } from './leadership/leadership.ts';
import { VaultWatch, type WatchTimes } from './watch/watch-vault.ts';

export interface IndexerParts
  extends Omit<JobQueueParts, 'jobs' | 'tally' | 'begin' | 'lead' | 'isLeader' | 'isQuiet' | 'onVaultLost'>,
    Pick<LeadershipParts, 'clock' | 'times' | 'onTakeover'> {
  /** The name of this process for other processes. */
  readonly client?: () => string;
  readonly watchTimes?: Partial<WatchTimes>;
  /** The same as in `JobQueueParts`; a failure of it fails no job. */
  readonly begin?: (signal: AbortSignal) => Promise<readonly string[]>;
}

export interface OpenIndexer extends Indexer {
  /** Reads what other processes do now, so that `state` and `jobs` include it. */
  look(): Promise<void>;
  /**
   * From now on this process leads whenever no other one does, and then follows the vault, starting with a scan; otherwise it follows
   * the leader. Without this call, a job takes the lease if it is free, and nothing else does.
   */
  attend(): void;
  /** Downloads the model of a provider as a job; after that of the embedding provider, an embed job starts. */
  startPull(pull: Pull, by: PulledFor): IndexJob;
  /** Interrupts every job, waits for that, and frees the lease. */
  close(): Promise<void>;
}

/** How long the watcher waits for the scan at startup: both walk the vault, and at once they would slow each other down. */
const SCAN_FIRST_MS = 1_000;

/** Does nothing but count the notes of the store until a job is started. */
export function createIndexer(parts: IndexerParts): OpenIndexer {
  return new SharedIndexer(parts);
}

class SharedIndexer implements OpenIndexer {
  readonly #parts: IndexerParts;
  readonly #closing = new AbortController();
  readonly #tally: StoreTally;
  readonly #jobWriter: JobWriter;
  readonly #ownJobs: JobList;
  readonly #storedJobs: StoredJobs;
  readonly #sharedJobs: SharedJobs;
  readonly #leadership: Leadership;
  readonly #queue: JobQueue;
  readonly #watch: VaultWatch;
  readonly #desk: RequestDesk;
  #isServing = false;
  /** Whether jobs may wait for the vault to be available again. */
  #hasLostVault = false;
  #hasBegunAsFollower = false;
  /** Whether this process leads, and could not yet read the jobs of the leader before it. */
  #isToServe = false;
  #beginning: Promise<readonly string[]> | undefined;
  /** Id of the scan that a server starts with before a leader is known. */
  #firstScan: string | undefined;
  /** The state of the watch as other processes know it. */
  #sharedWatchState = '';

  constructor(parts: IndexerParts) {
    const { store, vault, log, watchTimes, client = () => 'vaultgraph' } = parts;
    this.#parts = parts;
    this.#tally = new StoreTally(store);
    this.#jobWriter = new JobWriter((jobs) => this.#leadership.update(jobs));
    this.#ownJobs = new JobList((job) => this.#jobWriter.follow(job));
    this.#storedJobs = new StoredJobs(store, () => this.#tally.count());
    this.#leadership = new Leadership({
      ...parts,
      client,
      firstJobs: () => this.#jobWriter.offered(),
      report: () => this.#report(),
      onLead: () => this.#onLead(),
      onLost: (error) => {
        void this.#watch.stop();
        void this.#queue.interrupt(error);
      },
      onPoll: (hasChanged) => this.#onPoll(hasChanged),
    });
    this.#sharedJobs = new SharedJobs({
      store,
      own: this.#ownJobs,
      stored: this.#storedJobs,
      leadership: this.#leadership,
      isFirstScan: (id) => id === this.#firstScan,
      readAll: (signal) => this.#readAll(signal),
      onCancelled: () => this.#queue.dropCancelled(),
      closing: this.#closing.signal,
    });
    this.#queue = new JobQueue({
      ...parts,
      jobs: this.#ownJobs,
      tally: this.#tally,
      begin: () => this.#begin(),
      lead: () => this.#lead(),
      isLeader: () => this.#leadership.isLeader,
      // That another process leads is a normal start of a server.
      isQuiet: hasNeverStarted,
      onVaultLost: () => {
        this.#hasLostVault = true;
        this.#watch.scanSoon();
      },
    });
    this.#watch = new VaultWatch({
      vault,
      log,
      refresh: this.#queue.refreshHinted,
      scan: () => this.#scanForWatch(),
      ...(watchTimes && { times: watchTimes }),
    });
    this.#desk = new RequestDesk(
      store,
      (request) => this.#performFor(request),
      (answers) => this.#leadership.update([], answers),
    );
  }

  state(): IndexState {
    const { isLeader, isFollower, lease } = this.#leadership;
    const job = isFollower ? this.#storedJobs.running : this.#queue.state.running;
    const counts = countsOf(this.#tally.counts, isFollower ? 0 : this.#queue.left, job);
    if (!isFollower) {
      const unknown = lease === undefined && { isHolderUnknown: true as const };
      const role = isLeader ? 'leader' : 'follower';
      const state = this.#queue.state;
      const isAbout = !counts.complete && state.running === undefined && state.lastError === undefined;
      const isBeginning = isAbout && this.#isServing && this.#begins(this.#ownJobs.snapshots());
      const beginning = isBeginning && { isBeginning: true as const };
      return { role, watching: this.#watch.state, ...counts, ...state, ...unknown, ...beginning };
    }
    const { holder, report } = lease ?? {};
    const { running, embedJob } = this.#storedJobs;
    const hasFailed = report?.lastError !== undefined;
    const hasBegun = counts.complete || hasFailed || !this.#begins(this.#storedJobs.all.map(({ job: kept }) => kept));
    return {
      role: 'follower',
      ...(holder && { holder }),
      watching: report?.watching ?? { mode: 'off', pending: 0 },
      freshness: report?.freshness ?? 'unknown',
      ...counts,
      ...(running && { running }),
      ...(!hasBegun && { isBeginning: true as const }),
      ...(embedJob && { embedJob }),
      ...(report?.lastError && { lastError: report.lastError }),
    };
  }

  /**
   * A moment after the index was replaced or emptied no process leads; each that serves takes the lead then, and compares it with the vault.
   * @param jobs of the process that leads
   */
  #begins(jobs: readonly IndexJob[]): boolean {
    const { holder } = this.#leadership.lease ?? {};
    if (holder === undefined) return this.#isServing;
    const { emptiedAt } = this.#tally;
    // What ran before the index was emptied does not count, also if the process that led then leads still.
    return !hasHadJob(jobs, emptiedAt > holder.since ? emptiedAt : holder.since);
  }

  async start(request: IndexRequest): Promise<IndexJob> {
    if (this.#isOtherLeading && request.kind !== 'pull') throw this.#conflict();
    const job = this.#ownJobs.get(this.#queue.start(request).id);
    if (this.#leadership.isLeader || this.#leadership.isAttending) await this.#writeJob(job);
    return job.snapshot();
  }

  refresh(paths: readonly string[], signal: AbortSignal): Promise<IndexJob> {
    return this.#byLeader(() => this.#refreshWritten(paths, signal), { kind: 'refresh', paths }, signal);
  }

  async #refreshWritten(paths: readonly string[], signal: AbortSignal): Promise<IndexJob> {
    const job = await this.#queue.refresh(paths, signal);
    if (job.state === 'succeeded') this.#watch.indexed(paths);
    return job;
  }

  catchUp(signal: AbortSignal): Promise<IndexJob> {
    return this.#byLeader(() => this.#queue.catchUp(signal), { kind: 'catch_up' }, signal);
  }

  startPull(pull: Pull, by: PulledFor): IndexJob {
    return this.#queue.startPull(pull, by);
  }

  providerAnswered(): void {
    this.#queue.providerAnswered();
  }

  jobs(): readonly IndexJob[] {
    return this.#sharedJobs.all();
  }

  cancel(id: string, signal: AbortSignal): Promise<IndexJob> {
    return this.#sharedJobs.cancel(id, signal);
  }

  ended(id: string, signal: AbortSignal): Promise<IndexJob> {
    return this.#sharedJobs.ended(id, signal);
  }

  look(): Promise<void> {
    return this.#readAll(NEVER);
  }

  attend(): void {
    this.#isServing = true;
    const { scan } = resumableJobs(this.#storedJobs.all);
    this.#firstScan = this.#queue.start(scan?.request ?? { kind: 'catch_up' }, scan?.job).id;
    this.#leadership.attend();
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await Promise.all([this.#watch.stop(), this.#queue.close()]);
    await this.#leadership.close();
  }

  get #isOtherLeading(): boolean {
    return this.#leadership.isAttending && this.#leadership.isFollower;
  }

  /** Resolves once every process can find the job. If another process leads, this one's job is about to end. */
  async #writeJob(job: JobRecord): Promise<void> {
    const error = await errorOf(this.#leadership.lead());
    if (error === undefined) await this.#jobWriter.write(job);
  }

  /** Does it here if this process leads or can, otherwise asks the leader; if the leader ends meanwhile, does it after all. */
  async #byLeader(own: () => Promise<IndexJob>, request: SharedRequest, signal: AbortSignal): Promise<IndexJob> {
    this.#closing.signal.throwIfAborted();
    const error = this.#isOtherLeading ? this.#conflict() : await errorOf(untilAborted(this.#lead(), signal));
    signal.throwIfAborted();
    if (error === undefined) {
      const job = await own();
      if (job.error?.code !== 'INDEX_CONFLICT') return job;
    } else if (error.code !== 'INDEX_CONFLICT') throw error;
    this.#leadership.attend();
    const job = await untilAborted(askLeader(request, this.#parts.store, signal), this.#closing.signal);
    await this.#readAll(signal);
    return job;
  }

  #performFor(request: SharedRequest): Promise<IndexJob> {
    const { signal } = this.#closing;
    if (request.kind === 'refresh') return this.#refreshWritten(request.paths, signal);
    return request.kind === 'catch_up' ? this.#queue.catchUp(signal) : this.cancel(request.jobId, signal);
  }

  async #lead(): Promise<void> {
    const error = await errorOf(this.#leadership.lead());
    if (error === undefined) return;
    if (error.code !== 'INDEX_CONFLICT') throw error;
    await this.#storedJobs.read(NEVER);
    throw this.#conflict();
  }

  #conflict(): VaultgraphError {
    const { holder } = this.#leadership.lease ?? {};
    const { running } = this.#storedJobs;
    const job = running && { job_id: running.id, running: running.kind };
    return new VaultgraphError('INDEX_CONFLICT', { ...(holder && { holder }), ...job });
  }

  /** Reads what other processes wrote, so that `state` agrees with answers from the store. */
  async #readAll(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#leadership.refresh(), this.#storedJobs.read(signal)]);
  }

  #report(): Omit<HolderReport, 'client'> {
    const { freshness, lastError } = this.#queue.state;
    const watching = this.#watch.state;
    this.#sharedWatchState = JSON.stringify(watching);
    return { freshness, watching, ...(lastError && { lastError }) };
  }

  #onLead(): void {
    void this.#leadership.update(this.#jobWriter.current());
    void errorOf(this.#desk.serveOpen(NEVER));
    this.#isToServe = this.#isServing;
    void errorOf(this.#serveIfDue());
  }

  async #onPoll(hasChanged: boolean): Promise<boolean> {
    if (this.#leadership.isLeader) {
      await this.#serveIfDue();
      if (JSON.stringify(this.#watch.state) !== this.#sharedWatchState) void this.#leadership.update([]);
      return hasChanged && this.#desk.serveOpen(NEVER);
    }
    // During the first index every poll counts, because callers wait for it to be complete.
    if (hasChanged) await this.#storedJobs.read(NEVER);
    else await (this.state().complete ? this.#tally.countIfDue() : this.#tally.count());
    if (this.#isServing && !this.#hasBegunAsFollower && this.#leadership.isFollower)
      void errorOf(this.#beginAsFollower());
    return false;
  }

  /** A store that fails is asked again at the next poll: a leader that does not serve leaves every process without an index. */
  async #serveIfDue(): Promise<void> {
    if (!this.#isToServe) return;
    this.#isToServe = false;
    const error = await errorOf(this.#storedJobs.read(NEVER));
    this.#isToServe ||= error !== undefined;
    if (error !== undefined) throw error;
    void errorOf(this.#serve());
  }

  /** A new leader resumes what the previous one could not finish, then follows the vault. */
  async #serve(): Promise<void> {
    const { scan, notes, embed } = resumableJobs(this.#storedJobs.all);
    if (embed !== undefined) this.#queue.resumeEmbedding(embed.job);
    if (scan === undefined && this.#queue.state.running === undefined) this.#queue.start({ kind: 'catch_up' });
    void this.#watchAfterScan();
    const isScanRunning = scan?.job.id === this.#queue.state.running?.id;
    await this.#resume(isScanRunning || scan === undefined ? notes : [scan, ...notes]);
  }

  async #watchAfterScan(): Promise<void> {
    await Promise.race([this.#queue.idle(), sleep(SCAN_FIRST_MS, undefined, { ref: false })]);
    if (this.#leadership.isLeader && !this.#closing.signal.aborted) this.#watch.start();
  }

  /** A scan that finds the vault again resumes what was interrupted while it was unavailable. */
  async #scanForWatch(): Promise<IndexJob> {
    const hadLostVault = this.#hasLostVault;
    const job = await this.#queue.catchUp(this.#closing.signal);
    if (hadLostVault && job.state === 'succeeded') {
      this.#hasLostVault = false;
      void errorOf(this.#resumeInterrupted()).then((error) => {
        this.#hasLostVault ||= error !== undefined;
      });
    }
    return job;
  }

  async #resumeInterrupted(): Promise<void> {
    // Updates are written in order: after this one, the ends of the interrupted jobs are in the store.
    await this.#leadership.update([]);
    await this.#storedJobs.read(NEVER);
    const { scan, notes } = resumableJobs(this.#storedJobs.all);
    await this.#resume(scan === undefined ? notes : [scan, ...notes]);
  }

  async #resume(jobs: readonly KeptJob[]): Promise<void> {
    for (const { request, job } of jobs) {
      await this.#queue.idle();
      if (!this.#leadership.isLeader) return;
      this.#queue.start(request, job);
    }
  }

  #begin(): Promise<readonly string[]> {
    this.#beginning ??= this.#parts.begin?.(this.#closing.signal) ?? Promise.resolve([]);
    return this.#beginning;
  }

  /** Has the leader read the writes of this process that were interrupted in an earlier run. */
  async #beginAsFollower(): Promise<void> {
    this.#hasBegunAsFollower = true;
    keepHeapsSmall();
    const paths = await this.#begin();
    if (paths.length === 0) return;
    const error = await errorOf(this.refresh(paths, this.#closing.signal));
    this.#hasBegunAsFollower = error === undefined;
  }
}

/**
 * @param left files that the store does not count as pending
 * @param job the running one: the first knows how many notes there are before the store does
 */
function countsOf(counts: StoreProgress | undefined, left: number, job: IndexJob | undefined) {
  const { indexed = 0, quarantined = 0, scannedAt: asOf = null } = counts ?? {};
  const listed = asOf === null ? (job?.counts.changed ?? 0) - indexed - quarantined : 0;
  const pending = Math.max((counts?.pending ?? 0) + left, listed);
  return { complete: asOf !== null, asOf, total: indexed + pending, indexed, pending, quarantined };
}
