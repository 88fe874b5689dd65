// The jobs of all processes as the store had them last.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { KeptJob, SharedStore } from '../../contracts/lease.ts';

export interface OtherJobs {
  look(signal: AbortSignal): Promise<void>;
  /** Newest first. */
  kept(): readonly KeptJob[];
  /** The one of the text index that goes on. */
  running(): IndexJob | undefined;
  /** The last one of the vectors, whatever its state. */
  embedJob(): IndexJob | undefined;
  /** Resolves when it is time to look again. */
  changed(): Promise<void>;
}

const LOOK_EVERY_MS = 100;
const OF_THE_TEXT: readonly IndexJob['kind'][] = ['catch_up', 'rebuild', 'notes'];

/** @param count reads what the store holds: what a job did stands in the counts before it is told that the job is done */
export function createOtherJobs(store: SharedStore, count: () => Promise<void>): OtherJobs {
  let kept: readonly KeptJob[] = [];
  const newest = (isIt: (job: IndexJob) => boolean): IndexJob | undefined => kept.find(({ job }) => isIt(job))?.job;
  return {
    async look(signal) {
      const now = await store.keptJobs(signal);
      await count();
      kept = now;
    },
    kept: () => kept,
    running: () => newest(({ kind, endedAt }) => endedAt === undefined && OF_THE_TEXT.includes(kind)),
    embedJob: () => newest(({ kind }) => kind === 'embed'),
    changed: () => sleep(LOOK_EVERY_MS),
  };
}
