// Runs index jobs to their end for a command and shows their progress.

import { NEVER } from '../base/async/waits.ts';
import { outcomeOf } from '../base/outcome.ts';
import { onInterrupt } from '../base/system/process.ts';
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { report } from './output.ts';
import { type Manner, type Progress, showProgress } from './screen/show-progress.ts';

const SHOW_EVERY_MS = 100;
const LABELS: Partial<Record<IndexJob['kind'], string>> = { embed: 'embedding', pull: 'fetching the model, percent' };

/** Runs a job to its end. @returns the job. @throws the error of a failed job */
export async function bringUpToDate(indexer: Indexer, request: IndexRequest, manner?: Manner): Promise<IndexJob> {
  const ended = await runIndexJob(indexer, request, manner);
  if (ended.error !== undefined) throw ended.error;
  return ended;
}

/** Runs a job to its end. @returns the job; its state says how it ended */
export async function runIndexJob(indexer: Indexer, request: IndexRequest, manner?: Manner): Promise<IndexJob> {
  return jobEnded(indexer, await indexer.start(request), manner);
}

/**
 * Waits for the embed job after the last index job; if that starts a model pull, for the pull and the embed job after it.
 * @returns the last embed job, or a pull that was cancelled; undefined without an embedding provider
 */
export async function embeddingEnded(indexer: Indexer, manner?: Manner): Promise<IndexJob | undefined> {
  const ended = await newestEnded(indexer, 'embed', manner);
  if (ended?.error?.code !== 'PROVIDER_MODEL_PULLING') return ended;
  const pull = await newestEnded(indexer, 'pull', manner);
  return pull?.state === 'cancelled' ? pull : newestEnded(indexer, 'embed', manner);
}

/** Has the process that keeps the index bring it up to date. @returns the job that did it */
async function caughtUp(indexer: Indexer, manner?: Manner): Promise<IndexJob> {
  return shown(
    indexer,
    ([newest]) => newest,
    showProgress('indexing', manner),
    () => indexer.catchUp(NEVER),
  );
}

/**
 * Brings the index up to date for an export. One that cannot be written is exported as it is, with a warning.
 * @returns the job; undefined if there was none @throws why it could not catch up, and why there is no whole index
 */
export async function currentIndex(indexer: Indexer, manner?: Manner): Promise<IndexJob | undefined> {
  const outcome = await outcomeOf(caughtUp(indexer, manner));
  const error = 'error' in outcome ? outcome.error : outcome.value.error;
  if ('value' in outcome && error === undefined) return outcome.value;
  const { asOf, complete } = indexer.state();
  if (error?.code !== 'STORE_READONLY' || !complete) throw error;
  report(`The index cannot be updated here; this export is as of ${asOf ?? 'an unknown time'}.\n`);
  return undefined;
}

async function newestEnded(
  indexer: Indexer,
  kind: IndexJob['kind'],
  manner: Manner | undefined,
): Promise<IndexJob | undefined> {
  const job = indexer.jobs().find((one) => one.kind === kind);
  return job === undefined || job.endedAt !== undefined ? job : jobEnded(indexer, job, manner);
}

/** Ctrl-C cancels the job; what it committed stays. */
async function jobEnded(indexer: Indexer, { id, kind }: IndexJob, manner: Manner | undefined): Promise<IndexJob> {
  const interrupt = (): void => void indexer.cancel(id, NEVER);
  const unregister = onInterrupt(interrupt);
  const find: Find = (jobs) => jobs.find((one) => one.id === id);
  try {
    return await shown(indexer, find, showProgress(LABELS[kind] ?? 'indexing', manner), () => indexer.ended(id, NEVER));
  } finally {
    unregister();
  }
}

type Find = (jobs: readonly IndexJob[]) => IndexJob | undefined;

/** Shows the progress of the job that `find` returns while `work` runs. */
async function shown<T>(indexer: Indexer, find: Find, progress: Progress, work: () => Promise<T>): Promise<T> {
  const show = (): void => {
    const job = find(indexer.jobs());
    if (job !== undefined) progress.show(job.counts.done, job.counts.changed, noteOf(job));
  };
  const ticks = setInterval(show, SHOW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(ticks);
    show();
    progress.end();
  }
}

function noteOf({ waiting }: IndexJob): string {
  if (waiting === undefined) return '';
  return ` · [${waiting.code}] next try in ${Math.ceil(waiting.wait_ms / 1_000)} s`;
}
