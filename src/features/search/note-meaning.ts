// The vector of a note as a whole, and the vectors it may be compared with. Asks no provider; knows no ranking.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { waitForJob } from '../diagnose/job-wait.ts';
import { jobBefore, MAX_WAIT_MS, mainSpace, wantedByConfig } from './vector-space.ts';

/** As many as the store reads for one question. */
const EVERY_FAILURE = { limit: 100_000, offset: 0 };

export interface NoteMeaning {
  readonly vector: Float32Array;
  readonly generation: Generation;
}

/**
 * Waits a while for a note that is not embedded as it is now, as long as a job goes on.
 * @throws EMBEDDER_MISMATCH; INDEX_BUILDING, INDEX_EMPTY where the note or the whole has no vectors; INDEX_JOB_FAILED
 */
export async function noteMeaning(
  path: NotePath,
  granted: Granted<'store' | 'indexer' | 'embedding'>,
  call: CallContext,
): Promise<NoteMeaning> {
  const { store, indexer, embedding } = granted;
  const until = performance.now() + Math.min(MAX_WAIT_MS, call.msLeft() / 2);
  for (;;) {
    const generation = await mainSpace(wantedByConfig(embedding), granted, call);
    const vector = await store.noteVector(generation.id, path, call.signal);
    if (vector !== null) return { vector, generation };
    const job = jobBefore(indexer);
    const left = until - performance.now();
    if (job === undefined) throw await missing(path, generation, store, call.signal);
    const { done, changed: total } = job.counts;
    if (left <= 0) throw new VaultgraphError('INDEX_BUILDING', { job_id: job.id, done, total, note: path });
    await waitForJob(indexer, job, left, 'waiting for the vectors of the note', call);
  }
}

/** With the reason, where the provider refused the note's text. */
async function missing(
  note: NotePath,
  { id }: Generation,
  store: Store,
  signal: AbortSignal,
): Promise<VaultgraphError<'INDEX_EMPTY'>> {
  const refused = (await store.failedChunks(id, EVERY_FAILURE, signal)).find(({ path }) => path === note);
  const reason = refused === undefined ? {} : { reason: `its text was refused: ${refused.code}` };
  return new VaultgraphError('INDEX_EMPTY', { capability: 'embedding', note, ...reason });
}
