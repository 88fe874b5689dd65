// Has the index compared with the vault as it is now, for a call that demands it, within a bounded time.
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob, IndexState } from '../../contracts/indexer.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { pendingIn } from '../render/index-view.ts';

/** A scan of a large vault in which little changed ends well within it; who waits longer would rather know. */
const MAX_WAIT_MS = 10_000;

/**
 * The state behind a scan that began no sooner than now: what it says is known.
 * @throws INDEX_STALE when that takes longer than the call can wait, or fails by itself; what keeps the vault or the store from being
 * read; the end of the call
 */
export async function demandFresh(
  indexer: Indexer,
  call: Pick<CallContext, 'signal' | 'msLeft' | 'progress'>,
): Promise<IndexState> {
  call.progress(0, 1, 'comparing the index with the vault');
  const job = await caughtUp(indexer, call);
  if (job?.state !== 'succeeded') throw whyStale(indexer.state(), job?.error);
  const state = indexer.state();
  const asOf = job.endedAt ?? state.asOf;
  return { ...state, complete: true, freshness: 'fresh', asOf, watching: { ...state.watching, mode: 'events' } };
}

/** Undefined when the wait ran out. */
async function caughtUp(
  indexer: Indexer,
  { signal, msLeft }: Pick<CallContext, 'signal' | 'msLeft'>,
): Promise<IndexJob | undefined> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), Math.min(MAX_WAIT_MS, msLeft() / 2));
  try {
    return await indexer.catchUp(AbortSignal.any([signal, enough.signal]));
  } catch (thrown) {
    signal.throwIfAborted();
    if (enough.signal.aborted) return undefined;
    throw whyStale(indexer.state(), toVaultgraphError(thrown));
  } finally {
    clearTimeout(timer);
  }
}

/** What keeps the vault or the store from being read is said as it is. */
function whyStale(state: IndexState, error: VaultgraphError | undefined): VaultgraphError {
  if (error !== undefined && isItsOwnAnswer(error)) return repeatFailure(error);
  const { asOf, watching } = state;
  const details = {
    pending: pendingIn(state),
    ...(asOf !== null && { as_of: asOf }),
    ...(watching.oldestAt !== undefined && { oldest_change: watching.oldestAt }),
  };
  if (error === undefined) return new VaultgraphError('INDEX_STALE', details);
  return new VaultgraphError('INDEX_STALE', { ...details, cause: error.code }, { cause: error });
}

const isItsOwnAnswer = ({ category, code }: VaultgraphError): boolean =>
  category === 'vault' || category === 'store' || code === 'SHUTTING_DOWN';
