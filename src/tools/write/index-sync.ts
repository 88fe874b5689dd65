// Brings the index up to date before a write that depends on every link, and after every write.
import { repeatFailure, toVaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { throwIfFailed } from '../diagnose/job-wait.ts';

/** The write is already done, so the wait for the index is short. */
const MAX_WAIT_MS = 10_000;
const PROGRESS_MS = 500;

/**
 * Compares the index with the vault as it is now.
 * @throws the errors of the vault and the store; INDEX_JOB_FAILED; the signal's reason
 */
export async function catchUp(indexer: Indexer, call: CallContext): Promise<void> {
  const job = await withProgress(indexer, call, indexer.catchUp(call.signal));
  const { error } = job;
  if (error?.category === 'vault' || error?.category === 'store') throw repeatFailure(error);
  throwIfFailed(job.state === 'succeeded' ? job : { ...job, state: 'failed' });
}

async function withProgress(indexer: Indexer, call: CallContext, work: Promise<IndexJob>): Promise<IndexJob> {
  const report = (): void => {
    const { done = 0, changed = 0 } = indexer.state().running?.counts ?? {};
    call.progress(done, changed, 'comparing the index with the vault');
  };
  const ticks = setInterval(report, PROGRESS_MS);
  report();
  try {
    return await work;
  } finally {
    clearInterval(ticks);
  }
}

/** Waits until the index has read the written files, so that the next call sees them. A failure is only a warning. */
export async function awaitIndexed(paths: readonly string[], indexer: Indexer, call: CallContext): Promise<void> {
  const enough = AbortSignal.timeout(Math.floor(Math.min(MAX_WAIT_MS, call.msLeft() / 2)));
  const waiting = call.msLeft() === Number.POSITIVE_INFINITY ? call.signal : AbortSignal.any([call.signal, enough]);
  const [outcome] = await Promise.allSettled([indexer.refresh(paths, waiting)]);
  const why = reasonOf(outcome, enough);
  if (why === undefined) return;
  const message = `the change is written, but not in the index yet: ${why}`;
  call.warn({ code: 'INDEX_PENDING', message, count: paths.length });
}

function reasonOf(outcome: PromiseSettledResult<IndexJob>, enough: AbortSignal): string | undefined {
  if (outcome.status === 'rejected') {
    if (enough.aborted) return 'another index job is running; the change is indexed after it';
    const { code, message } = toVaultgraphError(outcome.reason);
    return `[${code}] ${message}`;
  }
  const { state, error } = outcome.value;
  if (state === 'succeeded') return undefined;
  return `${error === undefined ? state : `[${error.code}] ${error.message}`}; call reindex`;
}
