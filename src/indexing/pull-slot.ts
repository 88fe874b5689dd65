// Fetches a model as a job, one at a time and under a limit of its own, told as a share of a hundred. Knows no vendor.
import { VaultgraphError } from '../base/errors.ts';
import { untilAborted } from '../compute/until-aborted.ts';
import type { EmbeddingProvider } from '../contracts/embedding.ts';
import type { IndexJob } from '../contracts/indexer.ts';
import type { JobList } from './job-list.ts';
import { createJobRecord, type JobRecord } from './job-record.ts';
import { errorOf } from './settled.ts';

/** Tells how far it is from 0 to 1. */
export type Pull = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<void>;

export interface PullSlotParts {
  readonly embedding: EmbeddingProvider;
  readonly jobs: JobList;
  readonly limitMs: number;
  readonly onPulled: () => void;
  readonly onEnd: (job: IndexJob) => void;
}

export interface PullSlot {
  /** Joins the pull under way. */
  start(pull: Pull): IndexJob;
  /** Cancels the pull under way and waits for its end. */
  close(): Promise<void>;
}

const WHOLE = 100;

export function createPullSlot(parts: PullSlotParts): PullSlot {
  const { jobs, onPulled, onEnd } = parts;
  let running: JobRecord | undefined;

  async function perform(job: JobRecord, pull: Pull): Promise<void> {
    const error = await errorOf(runPull(job, pull, parts));
    running = undefined;
    if (error === undefined) onPulled();
    job.end(error);
    onEnd(job.snapshot());
  }

  return {
    start(pull) {
      if (running !== undefined) return running.snapshot();
      running = createJobRecord({ kind: 'pull' });
      jobs.add(running);
      void perform(running, pull);
      return running.snapshot();
    },
    async close() {
      running?.cancel();
      await running?.ended;
    },
  };
}

/** @throws what the pull throws; PROVIDER_TIMEOUT; the job's own abort */
async function runPull(job: JobRecord, pull: Pull, { embedding, limitMs }: PullSlotParts): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(lateFailure(embedding, limitMs)), limitMs);
  const cancel = (): void => stop.abort(job.signal.reason);
  job.signal.addEventListener('abort', cancel, { once: true });
  job.counts.changed = WHOLE;
  job.enter('pulling');
  const onProgress = (share: number): void => {
    job.counts.done = Math.max(job.counts.done, Math.floor(share * WHOLE));
    job.tell();
  };
  try {
    await untilAborted(pull(onProgress, stop.signal), [stop.signal]);
    job.counts.done = WHOLE;
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener('abort', cancel);
  }
}

function lateFailure({ type, model, endpoint }: EmbeddingProvider, limitMs: number): VaultgraphError {
  return new VaultgraphError('PROVIDER_TIMEOUT', {
    ...{ capability: 'embedding', provider: type, model, attempts: 1, elapsed_ms: limitMs, level: 'call' },
    ...(endpoint === null ? {} : { endpoint }),
    ...{ phase: 'body', timeout_ms: limitMs, clipped: false, cold_start: false },
  });
}
