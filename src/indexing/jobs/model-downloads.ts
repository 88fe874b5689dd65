// Downloads models as jobs: each model once at a time, within a time limit, with progress in percent.
import { withStallLimit } from '../../base/async/limits.ts';
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { JobList } from './job-list.ts';
import { JobRecord } from './job-record.ts';

/** Reports its progress from 0 to 1. */
export type Pull = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<void>;

/** The provider whose model is downloaded. */
export type PulledFor = Pick<ProviderDetails, 'capability' | 'provider' | 'endpoint' | 'model'>;

export interface ModelDownloadsParts {
  readonly jobs: JobList;
  readonly limitMs: number;
  readonly onPulled: (by: PulledFor) => void;
  readonly onEnd: (job: IndexJob) => void;
}

const PERCENT = 100;

export class ModelDownloads {
  readonly #parts: ModelDownloadsParts;
  readonly #running = new Map<string, JobRecord>();

  constructor(parts: ModelDownloadsParts) {
    this.#parts = parts;
  }

  /** Returns the running job if the same model is being downloaded already. */
  start(pull: Pull, by: PulledFor): IndexJob {
    const running = this.#running.get(keyOf(by));
    if (running !== undefined) return running.snapshot();
    const job = new JobRecord({ kind: 'pull' });
    this.#running.set(keyOf(by), job);
    this.#parts.jobs.add(job);
    void this.#perform(job, pull, by);
    return job.snapshot();
  }

  /** Interrupts the running downloads and waits for their end. */
  async close(error: VaultgraphError): Promise<void> {
    const ending = [...this.#running.values()];
    for (const job of ending) job.interrupt(error);
    await Promise.all(ending.map((job) => job.ended));
  }

  async #perform(job: JobRecord, pull: Pull, by: PulledFor): Promise<void> {
    const { limitMs, onPulled, onEnd } = this.#parts;
    const error = await errorOf(runPull(job, pull, by, limitMs));
    this.#running.delete(keyOf(by));
    if (error === undefined) onPulled(by);
    job.end(error);
    onEnd(job.snapshot());
  }
}

/** Two providers of one model have a job each, so that each is notified of its own. */
const keyOf = ({ capability, endpoint, model }: PulledFor): string => JSON.stringify([capability, endpoint, model]);

/** @throws what the download throws; PROVIDER_TIMEOUT; the abort of the job */
async function runPull(job: JobRecord, pull: Pull, by: PulledFor, limitMs: number): Promise<void> {
  job.counts.changed = PERCENT;
  job.enter('pulling');
  const onProgress = (share: number): void => {
    job.counts.done = Math.max(job.counts.done, Math.floor(share * PERCENT));
    job.reportProgress();
  };
  await withStallLimit(
    limitMs,
    () => timeout(by, limitMs),
    job.signal,
    (_beat, stop) => pull(onProgress, stop),
  );
  job.counts.done = PERCENT;
}

function timeout(by: PulledFor, limitMs: number): VaultgraphError {
  return new VaultgraphError('PROVIDER_TIMEOUT', {
    ...by,
    attempts: 1,
    elapsed_ms: limitMs,
    level: 'call',
    phase: 'body',
    timeout_ms: limitMs,
    clipped: false,
    cold_start: false,
  });
}
