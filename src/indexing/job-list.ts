// The jobs of this run of the server, the newest first: those that go on and the last that ended. Knows nothing of their work.
import { VaultgraphError } from '../base/errors.ts';
import type { IndexJob } from '../contracts/indexer.ts';
import type { JobRecord } from './job-record.ts';

const JOBS_KEPT = 20;

export interface JobList {
  add(job: JobRecord): void;
  /** @throws JOB_NOT_FOUND */
  find(id: string): JobRecord;
  snapshots(): readonly IndexJob[];
}

export function createJobList(): JobList {
  let jobs: readonly JobRecord[] = [];
  return {
    add(job) {
      const isKept = (one: JobRecord, at: number): boolean => at < JOBS_KEPT || !one.hasEnded();
      jobs = [job, ...jobs].filter(isKept);
    },
    find(id) {
      const job = jobs.find((one) => one.id === id);
      if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: jobs.map((one) => one.id) });
      return job;
    },
    snapshots: () => jobs.map((job) => job.snapshot()),
  };
}
