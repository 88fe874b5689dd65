// Calls a provider on behalf of a job.
import { untilAborted } from '../../base/until-aborted.ts';
import { newTrace, type ProviderCall } from '../../contracts/provider-call.ts';
import type { JobRecord } from '../jobs/job-record.ts';

export interface JobCallLimits {
  /** How long to wait for a provider that is down; without a limit by default. */
  readonly patienceMs?: number;
  /** Ends the call; the signal of the job by default. */
  readonly signal?: AbortSignal;
}

/**
 * Calls a provider in the background, with its waits reported.
 * @throws the error of the provider; the reason of the signal, even if the provider ignores it
 */
export async function askProvider<T>(
  job: JobRecord,
  question: (call: ProviderCall, signal: AbortSignal) => Promise<T>,
  { patienceMs = Number.POSITIVE_INFINITY, signal = job.signal }: JobCallLimits = {},
): Promise<T> {
  signal.throwIfAborted();
  const trace = newTrace();
  const until = performance.now() + patienceMs;
  let hasWaited = false;
  /** Only a wait after a failure is reported, not one for a turn. */
  const onWait = (): void => {
    const last = trace.retries.at(-1);
    if (last === undefined || trace.phase !== 'backoff') return;
    hasWaited = true;
    job.wait({ code: last.code, wait_ms: last.waited_ms });
  };
  const call: ProviderCall = { priority: 'background', msLeft: () => until - performance.now(), onWait, trace };
  try {
    return await untilAborted(question(call, signal), signal);
  } finally {
    // Another call of the job may still be waiting.
    if (hasWaited) job.endWait();
  }
}
