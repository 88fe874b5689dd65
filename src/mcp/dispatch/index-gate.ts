// Decides whether the index can answer a call now, and fails with the reason if it cannot.
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Indexer, IndexJob, IndexState } from '../../contracts/indexer.ts';
import type { AnyTool, CallContext } from '../../contracts/tool.ts';
import { pendingIn } from '../render/index-view.ts';

type WaitingCall = Pick<CallContext, 'signal' | 'msLeft' | 'progress'>;

/** The first index of a vault with no more notes is there in a moment, or what keeps it from being made. */
const MAX_AWAITED_NOTES = 200;
/** Once the listing has found more files, there is no wait for its end to see how many are notes. */
const MAX_AWAITED_FILES = 2_000;
/** A longer wait would only hide that the index is being built, unless the config asks for it. */
const MAX_FIRST_INDEX_WAIT_MS = 10_000;
/** What a call leaves of its time for the answer. */
const ANSWER_MS = 1_000;
/** The catch-up of a warm start usually ends within this time, so the first answer is fresh; in larger vaults it takes longer. */
const MAX_CATCH_UP_WAIT_MS = 250;
const MAX_CATCH_UP_NOTES = 4_000;
/** A save that the watcher has noticed is usually indexed within this time. */
const MAX_HINTS_WAIT_MS = 250;
/** More changed files, as of a sync, take longer than that. */
const MAX_AWAITED_HINTS = 20;
const POLL_MS = 5;

/** What a call waits for. */
export interface GateRules {
  /** Whether the index must be compared with the vault first. */
  readonly requireFresh: boolean;
  /** How long the first calls wait for a first index. */
  readonly firstWaitMs: number;
}

/**
 * Returns the state of the index that the call is answered from; undefined without an index. While the first index of a vault with
 * many notes is being built, the first calls wait for it; after that the answer is from what is indexed so far, and only `require_fresh`
 * and a call without a time limit, which comes from the command line, wait for the rest.
 * @throws INDEX_EMPTY, INDEX_BUILDING, NOT_READY, INDEX_STALE, or what kept the vault or the store from being read
 */
export async function passIndexGate(
  index: AnyTool['index'],
  indexer: Indexer | undefined,
  call: WaitingCall,
  rules: GateRules,
): Promise<IndexState | undefined> {
  if (indexer === undefined) return undefined;
  const state = indexer.state();
  if (index === 'none') {
    await awaitHints(indexer, call);
    return indexer.state();
  }
  if (state.complete) firstWaits.delete(indexer);
  else await passFirstIndex(index, indexer, call, rules);
  if (rules.requireFresh) return compareWithVault(indexer, call);
  if (!state.complete) return indexer.state();
  if (state.freshness === 'unknown' && state.running !== undefined) await awaitCatchUp(state.running, indexer, call);
  else await awaitHints(indexer, call);
  return indexer.state();
}

async function awaitCatchUp(running: IndexJob, indexer: Indexer, { signal, msLeft }: WaitingCall): Promise<void> {
  if (indexer.state().total > MAX_CATCH_UP_NOTES) return;
  await jobEnded(indexer, running, Math.min(MAX_CATCH_UP_WAIT_MS, msLeft() / 2), signal);
}

/** Only the leader knows the pending hints; what a follower knows of them is seconds old. */
async function awaitHints(indexer: Indexer, { signal, msLeft }: WaitingCall): Promise<void> {
  const enoughAt = performance.now() + Math.min(MAX_HINTS_WAIT_MS, msLeft() / 2);
  const isWaiting = ({ role, watching, running }: IndexState): boolean =>
    role === 'leader' && watching.pending > 0 && watching.pending <= MAX_AWAITED_HINTS && !isOfWholeVault(running);
  await pollWhile(isWaiting, indexer, enoughAt, signal);
}

/** Hints that come meanwhile are indexed after such a job. */
const isOfWholeVault = (job: IndexJob | undefined): boolean => job?.kind === 'catch_up' || job?.kind === 'rebuild';

/** @param enoughAt by `performance.now()` @throws the signal's reason */
async function pollWhile(
  isWaiting: (state: IndexState) => boolean,
  indexer: Indexer,
  enoughAt: number,
  signal: AbortSignal,
): Promise<void> {
  while (isWaiting(indexer.state()) && performance.now() < enoughAt) {
    await sleep(POLL_MS);
    signal.throwIfAborted();
  }
}

async function passFirstIndex(
  index: 'part' | 'whole',
  indexer: Indexer,
  call: WaitingCall,
  rules: GateRules,
): Promise<void> {
  await awaitFirstIndex(indexer, call, rules);
  const state = indexer.state();
  if (state.complete) return;
  if (state.isBeginning) throw new VaultgraphError('NOT_READY', { phase: 'beginning' });
  if (state.running === undefined) throw whyMissing(state);
  // Before this phase it is not known how large a part is indexed.
  if (index === 'part' && state.indexed > 0 && state.running.phase === 'indexing') return;
  const { id, counts } = state.running;
  throw new VaultgraphError('INDEX_BUILDING', { job_id: id, done: counts.done, total: counts.changed });
}

/**
 * Until when the first calls wait for a first index: a client that starts a server for every call would otherwise end each of them before
 * anything is indexed. Later calls do not wait.
 */
const firstWaits = new WeakMap<Indexer, number>();

function endOfFirstWait(indexer: Indexer, firstWaitMs: number): number {
  const end = firstWaits.get(indexer) ?? performance.now() + firstWaitMs;
  firstWaits.set(indexer, end);
  return end;
}

async function awaitFirstIndex(
  indexer: Indexer,
  { signal, msLeft, progress }: WaitingCall,
  { requireFresh, firstWaitMs }: GateRules,
): Promise<void> {
  const [now, left] = [performance.now(), msLeft()];
  const isForAll = requireFresh || !Number.isFinite(left);
  const end = endOfFirstWait(indexer, firstWaitMs);
  const usualEnd = now + (Number.isFinite(left) ? Math.min(MAX_FIRST_INDEX_WAIT_MS, left / 2) : left);
  const isAwaited = (state: IndexState): boolean => {
    const { complete, running, isBeginning } = state;
    if (complete || (running === undefined && isBeginning !== true)) return false;
    if (performance.now() < usualEnd && (isForAll || isSmall(state))) return true;
    return running?.state !== 'retrying' && performance.now() < end;
  };
  const { counts } = indexer.state().running ?? {};
  if (counts !== undefined) progress(counts.done, counts.changed, 'waiting for the first index');
  await pollWhile(isAwaited, indexer, now + Math.max(left / 2, left - ANSWER_MS), signal);
}

function isSmall({ running, total }: IndexState): boolean {
  if (running?.phase === 'listing') return running.counts.listed <= MAX_AWAITED_FILES;
  // The job knows how many notes there are before the index does.
  return Math.max(total, running?.counts.changed ?? 0) <= MAX_AWAITED_NOTES;
}

/** The error of a note that is not in the index while the first index is being built: it may be one of those that are left. */
export function orBuilding(error: VaultgraphError, { complete, running }: IndexState): VaultgraphError {
  if (complete || running === undefined || !isUnknownNote(error)) return error;
  const { id, counts } = running;
  const details = { job_id: id, done: counts.done, total: counts.changed, note: error.details.ref };
  return new VaultgraphError('INDEX_BUILDING', details, { cause: error });
}

/** The other reasons are true of any index, such as that the path is one of an attachment, or that the vault has no file with it. */
function isUnknownNote(error: VaultgraphError): error is VaultgraphError<'NOTE_NOT_FOUND'> {
  if (error.code !== 'NOTE_NOT_FOUND') return false;
  const { is, path } = (error as VaultgraphError<'NOTE_NOT_FOUND'>).details;
  return is === 'no_folder' || (is === undefined && path === undefined);
}

/** Resolves when the job ends or the wait is over; rejects only if the call ends. */
async function jobEnded(indexer: Indexer, job: IndexJob, waitMs: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), waitMs);
  const over = new Promise<void>((resolve) => enough.signal.addEventListener('abort', () => resolve(), { once: true }));
  try {
    await Promise.race([indexer.ended(job.id, AbortSignal.any([signal, enough.signal])), over]);
  } catch (thrown) {
    // The job of an index that was removed is gone with it.
    const isGone = thrown instanceof VaultgraphError && thrown.code === 'JOB_NOT_FOUND';
    if (!enough.signal.aborted && !isGone) throw thrown;
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

/** A vault or store error is the reason itself; after any other failed job the index is just empty. */
function whyMissing({ lastError }: IndexState): VaultgraphError {
  const isOutside = lastError?.category === 'vault' || lastError?.category === 'store';
  if (lastError === undefined || !isOutside) return new VaultgraphError('INDEX_EMPTY', { capability: 'store' });
  return repeatFailure(lastError);
}

/** A scan of a large vault with few changes ends well within this time; a longer wait is worse than an error. */
const MAX_FRESH_WAIT_MS = 10_000;

/**
 * Returns the state after a scan that starts now.
 * @throws INDEX_STALE if that takes longer than the call can wait or fails; vault and store errors; the reason of an abort
 */
async function compareWithVault(indexer: Indexer, call: WaitingCall): Promise<IndexState> {
  call.progress(0, 1, 'comparing the index with the vault');
  const job = await fullScan(indexer, call);
  if (job?.state !== 'succeeded') throw whyStale(indexer.state(), job?.error);
  // The hints of files that the comparison has read already.
  await awaitHints(indexer, call);
  const state = indexer.state();
  const asOf = job.endedAt ?? state.asOf;
  return { ...state, complete: true, freshness: 'fresh', asOf, watching: { ...state.watching, mode: 'events' } };
}

/** Undefined if the wait runs out. */
async function fullScan(indexer: Indexer, { signal, msLeft }: WaitingCall): Promise<IndexJob | undefined> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), Math.min(MAX_FRESH_WAIT_MS, msLeft() / 2));
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

/** Vault and store errors are passed on as they are. */
function whyStale(state: IndexState, error: VaultgraphError | undefined): VaultgraphError {
  if (error !== undefined && isPassedOn(error)) return repeatFailure(error);
  const { asOf, watching } = state;
  const details = {
    pending: pendingIn(state),
    ...(asOf !== null && { as_of: asOf }),
    ...(watching.oldestAt !== undefined && { oldest_change: watching.oldestAt }),
  };
  if (error === undefined) return new VaultgraphError('INDEX_STALE', details);
  return new VaultgraphError('INDEX_STALE', { ...details, cause: error.code }, { cause: error });
}

const isPassedOn = ({ category, code }: VaultgraphError): boolean =>
  category === 'vault' || category === 'store' || code === 'SHUTTING_DOWN';
