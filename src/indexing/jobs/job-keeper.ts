// Has the jobs of this process kept where every process sees them, often enough and no oftener.
import type { KeptJob } from '../../contracts/lease.ts';
import type { JobRecord } from './job-record.ts';

const KEEP_EVERY_MS = 1_000;
/** Most notes are read sooner than anybody could ask for their job. */
const SHORT_JOB_MS = 250;

export interface JobKeeper {
  follow(job: JobRecord): void;
  /** Resolves once a followed job is written as it is now. */
  write(job: JobRecord): Promise<void>;
  /** Those under way, as they are now. */
  live(): readonly KeptJob[];
}

export function createJobKeeper(keep: (jobs: readonly KeptJob[]) => Promise<void>): JobKeeper {
  const followed = new Set<JobRecord>();

  return {
    follow(job) {
      followed.add(job);
      let last = '';
      const keepNow = (): void => {
        const kept = keptJob(job);
        const now = JSON.stringify(kept.job);
        if (now !== last) void keep([kept]);
        last = now;
      };
      const first = setTimeout(keepNow, job.request.kind === 'notes' ? SHORT_JOB_MS : 0).unref();
      const ticks = setInterval(keepNow, KEEP_EVERY_MS).unref();
      void job.ended.then(() => {
        clearTimeout(first);
        clearInterval(ticks);
        followed.delete(job);
        keepNow();
      });
    },
    write: (job) => keep([keptJob(job)]),
    live: () => [...followed].map(keptJob),
  };
}

const keptJob = (job: JobRecord): KeptJob => ({ job: job.snapshot(), request: job.request });
