// The jobs of this run of the server, the newest first: those that go on and the last that ended.
import { VaultgraphError } from '../../base/errors.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { JobRecord } from './job-record.ts';

const JOBS_KEPT = 20;

export interface JobList {
  add(job: JobRecord): void;
  known(id: string): JobRecord | undefined;
  /** @throws JOB_NOT_FOUND */
  find(id: string): JobRecord;
  snapshots(): readonly IndexJob[];
}

/** @param onAdded called for every job */
export function createJobList(onAdded: (job: JobRecord) => void = () => undefined): JobList {
  let jobs: readonly JobRecord[] = [];
  const known = (id: string): JobRecord | undefined => jobs.find((one) => one.id === id);
  return {
    known,
    add(job) {
      const isKept = (one: JobRecord, at: number): boolean => at < JOBS_KEPT || !one.hasEnded();
      // One that is begun again takes the place of what it was before.
      jobs = [job, ...jobs.filter(({ id }) => id !== job.id)].filter(isKept);
      onAdded(job);
    },
    find(id) {
      const job = known(id);
      if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: jobs.map((one) => one.id) });
      return job;
    },
    snapshots: () => jobs.map((job) => job.snapshot()),
  };
}
