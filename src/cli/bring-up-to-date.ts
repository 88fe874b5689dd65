// Runs an index job to its end for a command, telling a person how far it is. Knows no command.
import type { Indexer, IndexJob, IndexRequest } from '../contracts/indexer.ts';
import { showProgress } from './show-progress.ts';

/**
 * The job once it ended; its state says how. Ctrl-C cancels it: what was committed stays.
 * @throws what made the job as a whole fail
 */
export async function bringUpToDate(indexer: Indexer, request: Omit<IndexRequest, 'onProgress'>): Promise<IndexJob> {
  const progress = showProgress('indexing');
  const job = indexer.start({ ...request, onProgress: ({ counts }) => progress.show(counts.done, counts.changed) });
  const interrupt = (): IndexJob => indexer.cancel(job.id);
  process.once('SIGINT', interrupt);
  try {
    const ended = await indexer.ended(job.id, new AbortController().signal);
    if (ended.error !== undefined) throw ended.error;
    return ended;
  } finally {
    process.off('SIGINT', interrupt);
    progress.end();
  }
}
