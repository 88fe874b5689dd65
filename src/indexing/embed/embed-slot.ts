// Runs embed jobs one at a time, beside the jobs of the text index: never in their way, and begun again when their provider is back.
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import { isAway } from '../away.ts';
import type { JobList } from '../jobs/job-list.ts';
import { createJobRecord, type JobRecord } from '../jobs/job-record.ts';
import { errorOf } from '../result.ts';
import { type EmbedJobParts, embedVault } from './embed-vault.ts';

/** A provider that answers others and fails the job is not asked again and again. */
const AGAIN_AFTER_MS = 30_000;

/** What passes without anybody's doing leaves a job interrupted and not failed. */
const PASSING: readonly ErrorCode[] = [
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
  readonly leads: () => boolean;
}

export interface EmbedSlot {
  /** A job that begins no sooner than now, so that it sees what is indexed by now. @param isWhole as of `embedVault` */
  begin(isWhole: boolean, request: IndexRequest): IndexJob;
  /** The job under way if it does no less than is asked for, otherwise a whole one behind it. */
  join(request: IndexRequest): IndexJob;
  /** The job under way, or the last one. */
  current(): IndexJob | undefined;
  providerAnswered(): void;
  /** Ends the job that waits for its turn, if it was cancelled. */
  dropCancelled(): void;
  /** Cancels the job under way and begins none while `work` goes on. */
  aside(work: () => Promise<void>): Promise<void>;
  /** The next one begun goes on as this one, which was interrupted in another process or an earlier run. */
  resume(job: Pick<IndexJob, 'id' | 'startedAt'>): void;
  /** Ends what goes on and what waits, to be begun again. */
  interrupt(error: VaultgraphError): Promise<void>;
  /** As `interrupt`, and begins no more. */
  close(error: VaultgraphError): Promise<void>;
}

interface EmbedTask {
  readonly job: JobRecord;
  isWhole: boolean;
}

export function createEmbedSlot(parts: EmbedSlotParts): EmbedSlot {
  const { jobs, onEnd } = parts;
  const mayTry = createPause(AGAIN_AFTER_MS);
  let running: EmbedTask | undefined;
  let next: EmbedTask | undefined;
  let last: JobRecord | undefined;
  let interrupted: (EmbedTask & { readonly error: VaultgraphError }) | undefined;
  let isHeld = false;
  let begun: Pick<IndexJob, 'id' | 'startedAt'> | undefined;

  async function perform(task: EmbedTask): Promise<void> {
    const { job, isWhole } = task;
    running = task;
    last = job;
    const work = (): Promise<void> => embedVault(job, isWhole, parts);
    const error = await errorOf(parts.leads() ? work() : parts.lead().then(work));
    running = undefined;
    const mayPass = error !== undefined && (PASSING.includes(error.code) || isAway(error));
    const isPassing = mayPass && !job.signal.aborted;
    if (isPassing) interrupted = { job, isWhole, error };
    job.end(error, isPassing || error?.code === 'INDEX_CONFLICT' ? 'interrupted' : 'failed');
    onEnd(job.snapshot());
    beginNext();
  }

  /** What an interrupted job was to do falls to the one behind it. */
  function beginNext(): void {
    if (running !== undefined || next === undefined || isHeld) return;
    const task = next;
    next = undefined;
    task.isWhole ||= interrupted?.isWhole === true;
    if (interrupted?.job.isRetryingFailed()) task.job.join({ kind: 'embed', retryFailed: true });
    interrupted = undefined;
    void perform(task);
  }

  function begin(isWhole: boolean, request: IndexRequest): IndexJob {
    next ??= newTask();
    const { job } = next;
    job.join(request);
    next.isWhole ||= isWhole;
    beginNext();
    return job.snapshot();
  }

  function newTask(): EmbedTask {
    const job = createJobRecord({ kind: 'embed' }, begun);
    begun = undefined;
    jobs.add(job);
    return { job, isWhole: false };
  }

  function join(request: IndexRequest): IndexJob {
    const isEnough = running?.isWhole && (running.job.isRetryingFailed() || request.retryFailed !== true);
    if (running === undefined || next !== undefined || !isEnough) return begin(true, request);
    running.job.join(request);
    return running.job.snapshot();
  }

  /** A job under way waits below, where the answer is heard as well. */
  function providerAnswered(): void {
    if (running !== undefined || interrupted === undefined || !mayTry(interrupted.error.code)) return;
    begin(interrupted.isWhole, { kind: 'embed' });
  }

  function dropCancelled(): void {
    if (!next?.job.signal.aborted) return;
    const { job } = next;
    next = undefined;
    job.end(job.signal.reason);
    onEnd(job.snapshot());
  }

  async function hold(end: (job: JobRecord) => void): Promise<void> {
    isHeld = true;
    if (running !== undefined) end(running.job);
    await running?.job.ended;
  }

  async function interrupt(error: VaultgraphError): Promise<void> {
    interrupted = undefined;
    next?.job.interrupt(error);
    dropCancelled();
    await hold((job) => job.interrupt(error));
  }

  return {
    begin,
    join,
    current: () => (running?.job ?? next?.job ?? last)?.snapshot(),
    providerAnswered,
    dropCancelled,
    async aside(work) {
      await hold((job) => job.cancel());
      await work().finally(() => {
        isHeld = false;
        beginNext();
      });
    },
    resume(job) {
      begun = job;
    },
    async interrupt(error) {
      await interrupt(error);
      isHeld = false;
      beginNext();
    },
    close: interrupt,
  };
}

/** Whether what is named was last done long enough ago to be done again. */
function createPause(pauseMs: number): (name: string) => boolean {
  const doneAt = new Map<string, number>();
  return (name) => {
    const now = performance.now();
    if (now - (doneAt.get(name) ?? Number.NEGATIVE_INFINITY) < pauseMs) return false;
    doneAt.set(name, now);
    return true;
  };
}
