// Fetches models as jobs, each one once at a time and under a limit of its own, told as a share of a hundred.
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import { errorOf } from '../result.ts';
import type { JobList } from './job-list.ts';
import { createJobRecord, type JobRecord } from './job-record.ts';

/** Tells how far it is from 0 to 1. */
export type Pull = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<void>;

/** Whose model is fetched. */
export type PulledFor = Pick<ProviderDetails, 'capability' | 'provider' | 'endpoint' | 'model'>;

export interface PullSlotParts {
  readonly jobs: JobList;
  readonly limitMs: number;
  readonly onPulled: (by: PulledFor) => void;
  readonly onEnd: (job: IndexJob) => void;
}

export interface PullSlot {
  /** Joins the pull of the same model that is under way. */
  start(pull: Pull, by: PulledFor): IndexJob;
  /** Ends the pulls under way, to be begun again, and waits for that. */
  close(error: VaultgraphError): Promise<void>;
}

const WHOLE = 100;

export function createPullSlot(parts: PullSlotParts): PullSlot {
  const { jobs, onPulled, onEnd } = parts;
  const running = new Map<string, JobRecord>();

  async function perform(job: JobRecord, pull: Pull, by: PulledFor): Promise<void> {
    const error = await errorOf(runPull(job, pull, by, parts));
    running.delete(keyOf(by));
    if (error === undefined) onPulled(by);
    job.end(error);
    onEnd(job.snapshot());
  }

  return {
    start(pull, by) {
      const joined = running.get(keyOf(by));
      if (joined !== undefined) return joined.snapshot();
      const job = createJobRecord({ kind: 'pull' });
      running.set(keyOf(by), job);
      jobs.add(job);
      void perform(job, pull, by);
      return job.snapshot();
    },
    async close(error) {
      const ending = [...running.values()];
      for (const job of ending) job.interrupt(error);
      await Promise.all(ending.map((job) => job.ended));
    },
  };
}

/** Each provider is told of the end of its own pull, though another one may want the same model. */
const keyOf = ({ capability, endpoint, model }: PulledFor): string => JSON.stringify([capability, endpoint, model]);

/** @throws what the pull throws; PROVIDER_TIMEOUT; the job's own abort */
async function runPull(job: JobRecord, pull: Pull, by: PulledFor, { limitMs }: PullSlotParts): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(lateFailure(by, limitMs)), limitMs);
  const cancel = (): void => stop.abort(job.signal.reason);
  job.signal.addEventListener('abort', cancel, { once: true });
  job.counts.changed = WHOLE;
  job.enter('pulling');
  const onProgress = (share: number): void => {
    job.counts.done = Math.max(job.counts.done, Math.floor(share * WHOLE));
    job.tell();
  };
  try {
    await untilAborted(pull(onProgress, stop.signal), stop.signal);
    job.counts.done = WHOLE;
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener('abort', cancel);
  }
}

function lateFailure(by: PulledFor, limitMs: number): VaultgraphError {
  return new VaultgraphError('PROVIDER_TIMEOUT', {
    ...by,
    ...{ attempts: 1, elapsed_ms: limitMs, level: 'call' },
    ...{ phase: 'body', timeout_ms: limitMs, clipped: false, cold_start: false },
  });
}
