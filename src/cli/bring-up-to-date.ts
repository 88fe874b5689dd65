// Runs an index job to its end for a command, telling a person how far it is. Knows no command.
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { showProgress } from './show-progress.ts';

type Request = Omit<IndexRequest, 'onProgress'>;

/** The job once it succeeded. @throws what made the job as a whole fail */
export async function bringUpToDate(indexer: Indexer, request: Request): Promise<IndexJob> {
  const ended = await runIndexJob(indexer, request);
  if (ended.error !== undefined) throw ended.error;
  return ended;
}

/** The job once it ended; its state says how. Ctrl-C cancels it: what was committed stays. */
export async function runIndexJob(indexer: Indexer, request: Request): Promise<IndexJob> {
  const progress = showProgress('indexing');
  const job = indexer.start({ ...request, onProgress: ({ counts }) => progress.show(counts.done, counts.changed) });
  const interrupt = (): IndexJob => indexer.cancel(job.id);
  process.once('SIGINT', interrupt);
  try {
    return await indexer.ended(job.id, new AbortController().signal);
  } finally {
    process.off('SIGINT', interrupt);
    progress.end();
  }
}
