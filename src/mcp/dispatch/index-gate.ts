// Holds a call until the index can answer it, for a bounded time, or says why it cannot.
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob, IndexState } from '../../contracts/indexer.ts';
import type { AnyTool, CallContext } from '../../contracts/tool.ts';
import { demandFresh } from './demand-fresh.ts';

/** A first index of a usual vault is built in this time; longer waits would only hide that it is being built. */
const MAX_WAIT_MS = 10_000;
/** The catch-up of a warm start ends within it, so that the first answer is known to be fresh; of larger vaults it would not. */
const CATCH_UP_WAIT_MS = 250;
const MAX_CAUGHT_UP = 4_000;
/** A save that was hinted at is usually indexed within it. */
const HINTS_WAIT_MS = 250;
const HINTS_LOOK_MS = 5;

/**
 * The state a call is to be answered from.
 * @param isFreshDemanded whether it has to be one in which nothing of what is in the vault now is missing
 * @throws INDEX_EMPTY, INDEX_BUILDING, INDEX_STALE, or what kept the vault or the store from being read
 */
export async function passIndexGate(
  index: AnyTool['index'],
  indexer: Indexer,
  call: Pick<CallContext, 'signal' | 'msLeft' | 'progress'>,
  isFreshDemanded = false,
): Promise<IndexState> {
  const state = indexer.state();
  if (index === 'none') return state;
  if (!state.complete) await awaitFirstIndex(index, indexer, call);
  if (isFreshDemanded) return demandFresh(indexer, call);
  if (!state.complete) return indexer.state();
  if (state.freshness === 'unknown' && state.running !== undefined) await caughtUp(state.running, indexer, call);
  else await hintsLookedAt(indexer, call);
  return indexer.state();
}

async function caughtUp(
  running: IndexJob,
  indexer: Indexer,
  { signal, msLeft }: Pick<CallContext, 'signal' | 'msLeft'>,
): Promise<void> {
  if (indexer.state().total > MAX_CAUGHT_UP) return;
  await jobEnded(indexer, running, Math.min(CATCH_UP_WAIT_MS, msLeft() / 2), signal);
}

/** Whoever leads knows what it was hinted at; what a follower hears of that is seconds old. */
async function hintsLookedAt(
  indexer: Indexer,
  { signal, msLeft }: Pick<CallContext, 'signal' | 'msLeft'>,
): Promise<void> {
  const enoughAt = performance.now() + Math.min(HINTS_WAIT_MS, msLeft() / 2);
  const isWaiting = ({ role, watching }: IndexState): boolean => role === 'leader' && watching.pending > 0;
  while (isWaiting(indexer.state()) && performance.now() < enoughAt) {
    await sleep(HINTS_LOOK_MS);
    signal.throwIfAborted();
  }
}

async function awaitFirstIndex(
  index: 'part' | 'whole',
  indexer: Indexer,
  call: Pick<CallContext, 'signal' | 'msLeft' | 'progress'>,
): Promise<IndexState> {
  const { running } = indexer.state();
  if (running !== undefined) {
    call.progress(running.counts.done, running.counts.changed, 'waiting for the first index');
    await jobEnded(indexer, running, Math.min(MAX_WAIT_MS, call.msLeft() / 2), call.signal);
  }
  const state = indexer.state();
  if (state.complete) return state;
  if (state.running === undefined) throw whyThereIsNone(state);
  if (index === 'part' && state.indexed > 0) return state;
  const { id, counts } = state.running;
  throw new VaultgraphError('INDEX_BUILDING', { job_id: id, done: counts.done, total: counts.changed });
}

/** Resolves when the job ended or the wait is over; only the call's own end rejects. */
async function jobEnded(indexer: Indexer, job: IndexJob, waitMs: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), waitMs);
  const over = new Promise<void>((resolve) => enough.signal.addEventListener('abort', () => resolve(), { once: true }));
  try {
    await Promise.race([indexer.ended(job.id, AbortSignal.any([signal, enough.signal])), over]);
  } catch (thrown) {
    if (!enough.signal.aborted) throw thrown;
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

/** What keeps the vault or the store from being read is the reason; any other failed job leaves just no index. */
function whyThereIsNone({ lastError }: IndexState): VaultgraphError {
  const isOutside = lastError?.category === 'vault' || lastError?.category === 'store';
  if (lastError === undefined || !isOutside) return new VaultgraphError('INDEX_EMPTY', { capability: 'store' });
  return repeatFailure(lastError);
}
