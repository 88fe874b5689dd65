// Runs index jobs to their end for a command, telling a person how far they are. Knows no command.
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { showProgress } from './show-progress.ts';

const SHOW_EVERY_MS = 100;
const LABELS: Partial<Record<IndexJob['kind'], string>> = { embed: 'embedding', pull: 'fetching the model, percent' };

/** The job once it succeeded. @throws what made the job as a whole fail */
export async function bringUpToDate(indexer: Indexer, request: IndexRequest): Promise<IndexJob> {
  const ended = await runIndexJob(indexer, request);
  if (ended.error !== undefined) throw ended.error;
  return ended;
}

/** The job once it ended; its state says how. */
export function runIndexJob(indexer: Indexer, request: IndexRequest): Promise<IndexJob> {
  return jobEnded(indexer, indexer.start(request));
}

/**
 * The embed job behind the last index job once it ended, and where it has the model fetched, the one behind that; undefined where
 * nothing is embedded. Its state says how it ended.
 */
export async function embeddingEnded(indexer: Indexer): Promise<IndexJob | undefined> {
  const ended = await newestEnded(indexer, 'embed');
  if (ended?.error?.code !== 'PROVIDER_MODEL_PULLING') return ended;
  await newestEnded(indexer, 'pull');
  return newestEnded(indexer, 'embed');
}

async function newestEnded(indexer: Indexer, kind: IndexJob['kind']): Promise<IndexJob | undefined> {
  const job = indexer.jobs().find((one) => one.kind === kind);
  return job === undefined || job.endedAt !== undefined ? job : jobEnded(indexer, job);
}

/** Ctrl-C cancels the job: what was committed stays. */
async function jobEnded(indexer: Indexer, { id, kind }: IndexJob): Promise<IndexJob> {
  const progress = showProgress(LABELS[kind] ?? 'indexing');
  const show = (): void => {
    const job = indexer.jobs().find((one) => one.id === id);
    if (job !== undefined) progress.show(job.counts.done, job.counts.changed, noteOf(job));
  };
  const ticks = setInterval(show, SHOW_EVERY_MS);
  const { signal } = new AbortController();
  const interrupt = (): void => void indexer.cancel(id, signal);
  process.once('SIGINT', interrupt);
  try {
    return await indexer.ended(id, signal);
  } finally {
    process.off('SIGINT', interrupt);
    clearInterval(ticks);
    show();
    progress.end();
  }
}

function noteOf({ waiting }: IndexJob): string {
  if (waiting === undefined) return '';
  return ` · [${waiting.code}] next try in ${Math.ceil(waiting.wait_ms / 1_000)} s`;
}
