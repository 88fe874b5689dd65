// Runs index jobs to their end for a command, telling a person how far they are.
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { type Manner, type Progress, showProgress } from './show-progress.ts';

const SHOW_EVERY_MS = 100;
const LABELS: Partial<Record<IndexJob['kind'], string>> = { embed: 'embedding', pull: 'fetching the model, percent' };

/** The job once it succeeded. @throws what made the job as a whole fail */
export async function bringUpToDate(indexer: Indexer, request: IndexRequest, manner?: Manner): Promise<IndexJob> {
  const ended = await runIndexJob(indexer, request, manner);
  if (ended.error !== undefined) throw ended.error;
  return ended;
}

/** The job once it ended; its state says how. */
export async function runIndexJob(indexer: Indexer, request: IndexRequest, manner?: Manner): Promise<IndexJob> {
  return jobEnded(indexer, await indexer.start(request), manner);
}

/**
 * The embed job behind the last index job once it ended, and where it has the model fetched, the one behind that; undefined where
 * nothing is embedded. Its state says how it ended.
 */
export async function embeddingEnded(indexer: Indexer, manner?: Manner): Promise<IndexJob | undefined> {
  const ended = await newestEnded(indexer, 'embed', manner);
  if (ended?.error?.code !== 'PROVIDER_MODEL_PULLING') return ended;
  await newestEnded(indexer, 'pull', manner);
  return newestEnded(indexer, 'embed', manner);
}

/** The index as the vault is now, by whichever process keeps it; the job that did it. */
export async function caughtUp(indexer: Indexer, manner?: Manner): Promise<IndexJob> {
  const { signal } = new AbortController();
  return shown(
    indexer,
    ([newest]) => newest,
    showProgress('indexing', manner),
    () => indexer.catchUp(signal),
  );
}

async function newestEnded(
  indexer: Indexer,
  kind: IndexJob['kind'],
  manner: Manner | undefined,
): Promise<IndexJob | undefined> {
  const job = indexer.jobs().find((one) => one.kind === kind);
  return job === undefined || job.endedAt !== undefined ? job : jobEnded(indexer, job, manner);
}

/** Ctrl-C cancels the job: what was committed stays. */
async function jobEnded(indexer: Indexer, { id, kind }: IndexJob, manner: Manner | undefined): Promise<IndexJob> {
  const { signal } = new AbortController();
  const interrupt = (): void => void indexer.cancel(id, signal);
  process.once('SIGINT', interrupt);
  const find: Find = (jobs) => jobs.find((one) => one.id === id);
  try {
    return await shown(indexer, find, showProgress(LABELS[kind] ?? 'indexing', manner), () =>
      indexer.ended(id, signal),
    );
  } finally {
    process.off('SIGINT', interrupt);
  }
}

type Find = (jobs: readonly IndexJob[]) => IndexJob | undefined;

/** Shows how far the job is that `find` finds, for as long as `work` takes. */
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
