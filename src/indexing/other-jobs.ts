// The jobs of all processes as the store had them last. Knows no job's work and does not decide when to look.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexJob } from '../contracts/indexer.ts';
import type { KeptJob, SharedStore } from '../contracts/lease.ts';

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

export function createOtherJobs(store: SharedStore): OtherJobs {
  let kept: readonly KeptJob[] = [];
  const newest = (isIt: (job: IndexJob) => boolean): IndexJob | undefined => kept.find(({ job }) => isIt(job))?.job;
  return {
    async look(signal) {
      kept = await store.keptJobs(signal);
    },
    kept: () => kept,
    running: () => newest(({ kind, endedAt }) => endedAt === undefined && OF_THE_TEXT.includes(kind)),
    embedJob: () => newest(({ kind }) => kind === 'embed'),
    changed: () => sleep(LOOK_EVERY_MS),
  };
}
