// Lists the jobs of all processes that share the index: those of this process and those in the store.
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { HolderUpdate, KeptJob, SharedAnswer, SharedRequest, SharedStore } from '../../contracts/lease.ts';
import type { Leadership } from '../leadership/leadership.ts';
import type { JobList } from './job-list.ts';

/** The jobs of all processes as they were last read from the store. */
export class StoredJobs {
  readonly #store: SharedStore;
  readonly #count: () => Promise<void>;
  #jobs: readonly KeptJob[] = [];

  /** @param count reads the totals of the store: they include what a job did before the job is seen as ended */
  constructor(store: SharedStore, count: () => Promise<void>) {
    this.#store = store;
    this.#count = count;
  }

  async read(signal: AbortSignal): Promise<void> {
    const jobs = await this.#store.keptJobs(signal);
    await this.#count();
    this.#jobs = jobs;
  }

  /** Newest first. */
  get all(): readonly KeptJob[] {
    return this.#jobs;
  }

  /** The running job of the text index. */
  get running(): IndexJob | undefined {
    return this.#newest((job) => job.endedAt === undefined && isOfText(job));
  }

  /** The last job of the vectors, whatever its state. */
  get embedJob(): IndexJob | undefined {
    return this.#newest(({ kind }) => kind === 'embed');
  }

  #newest(isWanted: (job: IndexJob) => boolean): IndexJob | undefined {
    return this.#jobs.find(({ job }) => isWanted(job))?.job;
  }
}

/** Whether a job of the text index runs or came to its end since then, by the clock of its process. @param since ISO time */
export const hasHadJob = (jobs: readonly IndexJob[], since: string): boolean =>
  jobs.some((job) => isOfText(job) && job.state !== 'interrupted' && (job.endedAt ?? since) >= since);

const isOfText = ({ kind }: IndexJob): boolean => kind !== 'embed' && kind !== 'pull';

interface SharedJobsParts {
  readonly store: SharedStore;
  readonly own: JobList;
  readonly stored: StoredJobs;
  readonly leadership: Pick<Leadership, 'isLeader' | 'isFollower' | 'isAttending'>;
  /** Whether it is the scan that a server starts with, before a leader is known. */
  readonly isFirstScan: (id: string) => boolean;
  /** Reads all that other processes wrote. */
  readonly readAll: (signal: AbortSignal) => Promise<void>;
  readonly onCancelled: () => void;
  readonly closing: AbortSignal;
}

const POLL_MS = 100;

export class SharedJobs {
  readonly #parts: SharedJobsParts;

  constructor(parts: SharedJobsParts) {
    this.#parts = parts;
  }

  /** Newest first. Of a job that both this process and the store know, the leader's view wins. */
  all(): readonly IndexJob[] {
    const { own, stored, leadership } = this.#parts;
    const { isLeader, isFollower, isAttending } = leadership;
    const mine = own.snapshots().filter((job) => !isAttending || !hasNeverStarted(job));
    const storedJobs = stored.all.flatMap(({ job }) => (isLeader && job.endedAt === undefined ? [] : [job]));
    const [preferred, others] = isFollower ? [storedJobs, mine] : [mine, storedJobs];
    const rest = others.filter((job) => !preferred.some(({ id }) => id === job.id));
    return isFollower ? [...rest, ...preferred] : [...preferred, ...rest];
  }

  /** Asks the leader if the job is not of this process. @throws JOB_NOT_FOUND; the store's errors */
  async cancel(id: string, signal: AbortSignal): Promise<IndexJob> {
    const { store, own, leadership, onCancelled, closing } = this.#parts;
    const mine = own.find(id);
    if (mine !== undefined && !mine.hasEnded) {
      mine.cancel();
      onCancelled();
      return mine.snapshot();
    }
    const job = await this.#readJob(id, signal);
    if (job.endedAt !== undefined || leadership.isLeader) return job;
    return untilAborted(askLeader({ kind: 'cancel', jobId: id }, store, signal), closing);
  }

  /** The job once it has ended, in whichever process. @throws JOB_NOT_FOUND; the store's errors */
  async ended(id: string, signal: AbortSignal): Promise<IndexJob> {
    const { own, stored, leadership, isFirstScan } = this.#parts;
    const mine = own.find(id);
    if (mine === undefined || (mine.hasEnded && leadership.isFollower))
      return this.#endedElsewhere(await this.#readJob(id, signal), signal);
    const job = await untilAborted(mine.ended, signal);
    const { running } = stored;
    // The store may still have this very job as the running one.
    const isLeaders = running !== undefined && own.find(running.id) === undefined;
    const isHandedOver = isFirstScan(id) && job.error?.code === 'INDEX_CONFLICT';
    return isHandedOver && isLeaders ? this.#endedElsewhere(running, signal) : job;
  }

  /** A job that disappears from the store because many came after it has ended; its last known state is all there is. */
  async #endedElsewhere(known: IndexJob, signal: AbortSignal): Promise<IndexJob> {
    const { stored, readAll, closing } = this.#parts;
    let job: IndexJob | undefined = known;
    for (let last = job; job?.endedAt === undefined; last = job) {
      await untilAborted(sleep(POLL_MS), signal, closing);
      await stored.read(signal);
      job = this.#find(known.id);
      if (job === undefined) return last;
    }
    await readAll(signal);
    return job;
  }

  async #readJob(id: string, signal: AbortSignal): Promise<IndexJob> {
    await this.#parts.stored.read(signal);
    const job = this.#find(id);
    if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: this.all().map((one) => one.id) });
    return job;
  }

  #find(id: string): IndexJob | undefined {
    return this.all().find((job) => job.id === id);
  }
}

/** Whether it ended because another process turned out to lead, before it did anything. */
export function hasNeverStarted({ phase, error }: IndexJob): boolean {
  return phase === 'waiting' && error?.code === 'INDEX_CONFLICT';
}

interface ResumableJobs {
  /** A scan of the whole vault. */
  readonly scan?: KeptJob;
  /** Jobs that read single notes, the oldest first. */
  readonly notes: readonly KeptJob[];
  readonly embed?: KeptJob;
}

/** A caller waits for at most this many. */
const MAX_NOTES_JOBS = 5;

/** The jobs that were interrupted and not superseded by a later success. @param kept newest first */
export function resumableJobs(kept: readonly KeptJob[]): ResumableJobs {
  const interrupted = (kind: IndexJob['kind']): readonly KeptJob[] => {
    const ofKind = kept.filter(({ job }) => job.kind === kind);
    const done = ofKind.findIndex(({ job }) => job.state === 'succeeded');
    const later = done === -1 ? ofKind : ofKind.slice(0, done);
    return later.filter(({ job }) => job.state === 'interrupted');
  };
  const [scan] = [...interrupted('rebuild'), ...interrupted('catch_up')];
  const [embed] = interrupted('embed');
  const notes = interrupted('notes').slice(0, MAX_NOTES_JOBS).toReversed();
  return { ...(scan && { scan }), notes, ...(embed && { embed }) };
}

/** Short, because a caller waits. */
const REPLY_POLL_MS = 30;

/** The job with which the leader did it. An abort ends the wait, not the work. @throws the leader's error; the store's errors */
export async function askLeader(request: SharedRequest, store: SharedStore, signal: AbortSignal): Promise<IndexJob> {
  const id = await store.requestFromLeader(request, signal);
  for (;;) {
    const answer = await store.leaderReply(id, signal);
    if (answer !== undefined && 'error' in answer) throw answer.error;
    if (answer !== undefined) return answer.job;
    await untilAborted(sleep(REPLY_POLL_MS), signal);
  }
}

/** Serves the requests of followers while this process leads. */
export class RequestDesk {
  readonly #store: SharedStore;
  readonly #perform: (request: SharedRequest) => Promise<IndexJob>;
  readonly #answer: (answers: HolderUpdate['answers']) => Promise<void>;
  readonly #inProgress = new Set<number>();

  constructor(
    store: SharedStore,
    perform: (request: SharedRequest) => Promise<IndexJob>,
    answer: (answers: HolderUpdate['answers']) => Promise<void>,
  ) {
    this.#store = store;
    this.#perform = perform;
    this.#answer = answer;
  }

  /** Starts all requests that are not in progress, concurrently. @returns whether there are open requests */
  async serveOpen(signal: AbortSignal): Promise<boolean> {
    const open = await this.#store.openRequests(signal);
    for (const id of this.#inProgress) if (!open.some((one) => one.id === id)) this.#inProgress.delete(id);
    for (const { id, request } of open) {
      if (this.#inProgress.has(id)) continue;
      this.#inProgress.add(id);
      void this.#serve(id, request);
    }
    return open.length > 0;
  }

  /** A request that this process can no longer serve, or whose answer it could not write, is left open for the next leader. */
  async #serve(id: number, request: SharedRequest): Promise<void> {
    const outcome = await outcomeOf(this.#perform(request));
    const answer: SharedAnswer = 'error' in outcome ? outcome : { job: outcome.value };
    const code = 'error' in answer ? answer.error.code : answer.job.error?.code;
    if (code !== 'INDEX_CONFLICT' && code !== 'SHUTTING_DOWN') await this.#answer([{ id, answer }]);
    this.#inProgress.delete(id);
  }
}
