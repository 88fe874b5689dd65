// Waits for an index job and reports its progress to the client.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';
import type { CallContext } from '../../contracts/tool.ts';

const PROGRESS_MS = 500;

/**
 * Resolves when the job ended or `waitMs` are over; only the end of the call itself rejects.
 * @param waitMs finite
 * @param messageOf what the caller is told of the job as it is
 */
export async function waitForJob(
  indexer: Indexer,
  { id }: Pick<IndexJob, 'id'>,
  waitMs: number,
  messageOf: string | ((job: IndexJob) => string),
  call: CallContext,
): Promise<void> {
  const over = new AbortController();
  const tell = (): void => tellProgress(indexer, id, messageOf, call);
  const ticks = setInterval(tell, PROGRESS_MS);
  tell();
  try {
    const ended = indexer.ended(id, AbortSignal.any([call.signal, over.signal]));
    await Promise.race([ended, sleep(waitMs, undefined, { signal: over.signal })]);
  } finally {
    clearInterval(ticks);
    over.abort();
  }
}

function tellProgress(
  indexer: Indexer,
  id: string,
  messageOf: string | ((job: IndexJob) => string),
  call: CallContext,
): void {
  const job = indexer.jobs().find((one) => one.id === id);
  if (job === undefined) return;
  const message = typeof messageOf === 'string' ? messageOf : messageOf(job);
  call.progress(job.counts.done, job.counts.changed, message);
}

/**
 * A job that failed while its caller waited fails the call too, and so does one whose store or vault went away; whether to try again
 * is for its cause to say.
 */
export function throwIfFailed({ id, phase, state, error }: IndexJob): void {
  const isCutOff = state === 'interrupted' && (error?.category === 'store' || error?.category === 'vault');
  if (error === undefined || !(state === 'failed' || isCutOff)) return;
  const details = { job_id: id, phase, cause: error.code, reason: error.message, advice: error.hint };
  throw new VaultgraphError('INDEX_JOB_FAILED', details, { cause: error, retry: error.retry });
}
