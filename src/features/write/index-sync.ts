// The index before and behind a write: brought up to date for what depends on every link, and told of what was written.
import { repeatFailure, toVaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { throwIfFailed } from '../diagnose/job-wait.ts';

/** A write stands when it is written: its caller does not wait much longer for the index. */
const MAX_WAIT_MS = 10_000;
const PROGRESS_MS = 500;

/**
 * Compares the index with the vault as it is now.
 * @throws what keeps the vault or the store from being read, as their own; INDEX_JOB_FAILED; the end of the call
 */
export async function catchUp(indexer: Indexer, call: CallContext): Promise<void> {
  const job = await whileTelling(indexer, call, indexer.catchUp(call.signal));
  const { error } = job;
  if (error?.category === 'vault' || error?.category === 'store') throw repeatFailure(error);
  throwIfFailed(job.state === 'succeeded' ? job : { ...job, state: 'failed' });
}

async function whileTelling(indexer: Indexer, call: CallContext, work: Promise<IndexJob>): Promise<IndexJob> {
  const tell = (): void => {
    const { done = 0, changed = 0 } = indexer.state().running?.counts ?? {};
    call.progress(done, changed, 'comparing the index with the vault');
  };
  const ticks = setInterval(tell, PROGRESS_MS);
  tell();
  try {
    return await work;
  } finally {
    clearInterval(ticks);
  }
}

/** Has the index read what was written, so that the next call of any tool sees it. What keeps it from that is told, and fails nothing. */
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
    if (enough.aborted) return 'another index job is under way, which it follows by itself';
    const { code, message } = toVaultgraphError(outcome.reason);
    return `[${code}] ${message}`;
  }
  const { state, error } = outcome.value;
  if (state === 'succeeded') return undefined;
  return `${error === undefined ? state : `[${error.code}] ${error.message}`}; reindex brings it in`;
}
