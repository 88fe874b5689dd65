// Waits for an index job and reports its progress to the client.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';
import type { CallContext } from '../../contracts/tool.ts';

const PROGRESS_MS = 500;

/**
 * Resolves when the job has ended or `waitMs` is over; rejects only when the call itself ends.
 * @param waitMs finite
 * @param messageOf the progress message, or a function that makes it from the job
 */
export async function waitForJob(
  indexer: Indexer,
  { id }: Pick<IndexJob, 'id'>,
  waitMs: number,
  messageOf: string | ((job: IndexJob) => string),
  call: CallContext,
): Promise<void> {
  const over = new AbortController();
  const report = (): void => reportProgress(indexer, id, messageOf, call);
  const ticks = setInterval(report, PROGRESS_MS);
  report();
  try {
    const ended = indexer.ended(id, AbortSignal.any([call.signal, over.signal]));
    await Promise.race([ended, sleep(waitMs, undefined, { signal: over.signal })]);
  } finally {
    clearInterval(ticks);
    over.abort();
  }
}

function reportProgress(
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
 * Fails the call if the job failed, or was interrupted because the store or the vault became unavailable. Its cause says whether to
 * try again.
 */
export function throwIfFailed({ id, phase, state, error }: IndexJob): void {
  const isCutOff = state === 'interrupted' && (error?.category === 'store' || error?.category === 'vault');
  if (error === undefined || !(state === 'failed' || isCutOff)) return;
  const details = { job_id: id, phase, cause: error.code, reason: error.message, advice: error.hint };
  throw new VaultgraphError('INDEX_JOB_FAILED', details, { cause: error, retry: error.retry });
}
