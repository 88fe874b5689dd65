// How a job asks a provider: in the background, telling its waits, and letting go at once when it is cancelled.
import { untilAborted } from '../../base/until-aborted.ts';
import { newTrace, type ProviderCall, type ProviderTrace } from '../../contracts/provider-call.ts';
import type { JobRecord } from '../jobs/job-record.ts';

/** @throws what the provider throws; the job's own abort, whether the provider heeds it or not */
export async function askProvider<T>(
  job: JobRecord,
  question: (call: ProviderCall, signal: AbortSignal) => Promise<T>,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  job.signal.throwIfAborted();
  const trace = newTrace();
  const until = performance.now() + patienceMs;
  const call: ProviderCall = {
    priority: 'background',
    msLeft: () => until - performance.now(),
    onWait: () => tellWait(job, trace),
    trace,
  };
  try {
    return await untilAborted(question(call, job.signal), job.signal);
  } finally {
    job.goOn();
  }
}

/** A wait for a turn has no failure to tell. */
function tellWait(job: JobRecord, { retries, phase }: ProviderTrace): void {
  const last = retries.at(-1);
  if (last !== undefined && phase === 'backoff') job.wait({ code: last.code, wait_ms: last.waited_ms });
}
