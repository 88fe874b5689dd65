// Keeps the jobs of this process and writes their state to the store for other processes.
import { VaultgraphError } from '../../base/errors.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { KeptJob } from '../../contracts/lease.ts';
import type { JobRecord } from './job-record.ts';

const MAX_ENDED_JOBS = 20;

/** The running jobs and the last that ended, newest first. */
export class JobList {
  readonly #onAdded: (job: JobRecord) => void;
  #jobs: readonly JobRecord[] = [];

  constructor(onAdded: (job: JobRecord) => void) {
    this.#onAdded = onAdded;
  }

  /** A job that is resumed replaces its earlier record. */
  add(job: JobRecord): void {
    const isKept = (one: JobRecord, at: number): boolean => at < MAX_ENDED_JOBS || !one.hasEnded;
    this.#jobs = [job, ...this.#jobs.filter(({ id }) => id !== job.id)].filter(isKept);
    this.#onAdded(job);
  }

  find(id: string): JobRecord | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  /** @throws JOB_NOT_FOUND */
  get(id: string): JobRecord {
    const job = this.find(id);
    if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: this.#jobs.map((one) => one.id) });
    return job;
  }

  snapshots(): readonly IndexJob[] {
    return this.#jobs.map((job) => job.snapshot());
  }
}

const WRITE_EVERY_MS = 1_000;
/** Most notes are read within this time, before any client could ask for their job. */
const SHORT_JOB_MS = 250;

/** Writes running jobs at most every second, and each job at its end. */
export class JobWriter {
  readonly #write: (jobs: readonly KeptJob[]) => Promise<void>;
  readonly #running = new Set<JobRecord>();
  #offered: readonly JobRecord[] = [];

  constructor(write: (jobs: readonly KeptJob[]) => Promise<void>) {
    this.#write = write;
  }

  /** A routine job that is short and succeeds is never written. */
  follow(job: JobRecord): void {
    this.#running.add(job);
    let savedState = '';
    const writeIfChanged = (): void => {
      const state = JSON.stringify(job.snapshot());
      if (state !== savedState) void this.write(job);
      savedState = state;
    };
    const first = setTimeout(writeIfChanged, job.request.kind === 'notes' ? SHORT_JOB_MS : 0).unref();
    const ticks = setInterval(writeIfChanged, WRITE_EVERY_MS).unref();
    void job.ended.then(({ state, failures }) => {
      clearTimeout(first);
      clearInterval(ticks);
      this.#running.delete(job);
      const isWorthARow = savedState !== '' || !job.isRoutine || state !== 'succeeded' || failures.length > 0;
      if (isWorthARow) writeIfChanged();
    });
  }

  /** Resolves once the job is written as it is now; never rejects. */
  write(job: JobRecord): Promise<void> {
    return this.#write([keptJob(job)]);
  }

  /** The running jobs, to be written with the lease once it is this process's. */
  offered(): readonly KeptJob[] {
    this.#offered = [...this.#running];
    return this.#offered.map(keptJob);
  }

  /** The jobs once the lease is taken: the end of one that ended meanwhile was not written, and another process would see it run for ever. */
  current(): readonly KeptJob[] {
    return [...new Set([...this.#offered, ...this.#running])].map(keptJob);
  }
}

function keptJob(job: JobRecord): KeptJob {
  return { job: job.snapshot(), request: job.request };
}
