// Shows the index, its vectors, its jobs and errors in answers.
import type { VaultgraphError } from '../../base/errors.ts';
import type { IndexJob, IndexState } from '../../contracts/indexer.ts';
import type { FailedChunk, Generation } from '../../contracts/vectors.ts';

const MAX_FAILURES = 50;

export function jobView(job: IndexJob): object {
  const { listed, changed, done, indexed, failed, removed } = job.counts;
  return {
    job_id: job.id,
    kind: job.kind,
    state: job.state,
    phase: job.phase,
    started_at: job.startedAt,
    ...(job.endedAt === undefined ? {} : { ended_at: job.endedAt }),
    counts: { listed, changed, done, indexed, failed, removed },
    ...(job.chunks === undefined ? {} : { chunks: { ...job.chunks } }),
    ...(job.replaces === undefined ? {} : { replaces: job.replaces }),
    ...(job.waiting === undefined ? {} : { waiting: { ...job.waiting } }),
    ...(job.failures.length === 0 ? {} : { failures: job.failures.slice(0, MAX_FAILURES).map(failureView) }),
    ...(job.error === undefined ? {} : { error: errorView(job.error) }),
  };
}

/** `path` includes the lines if only a chunk failed. */
function failureView({ id, error }: IndexJob['failures'][number]): object {
  return { path: id, code: error.code, message: error.message };
}

export function indexView(state: IndexState): object {
  const { role, holder, watching, freshness, complete, total, indexed, quarantined } = state;
  return {
    role,
    ...(holder && { holder: { ...holder } }),
    ...(state.isHolderUnknown && { holder_unknown: true }),
    watching: watchView(watching),
    freshness,
    complete,
    ...(state.asOf === null ? {} : { as_of: state.asOf }),
    total,
    indexed,
    pending: state.pending + watching.pending,
    quarantined,
    ...(state.running === undefined ? {} : { running: state.running.id }),
    ...(state.lastError === undefined ? {} : { last_error: errorView(state.lastError) }),
  };
}

function watchView({ mode, reason, pending, lastScanAt }: IndexState['watching']): object {
  return {
    mode,
    pending,
    ...(reason === undefined ? {} : { reason }),
    ...(lastScanAt === undefined ? {} : { last_scan_at: lastScanAt }),
  };
}

/**
 * @param job the last embed job, which works on all generations but previous ones
 * @param isMismatched whether the provider makes other vectors now, so that these are not searched
 */
export function generationView(generation: Generation, job: IndexJob | undefined, isMismatched: boolean): object {
  const { role, fingerprint, id, state, embedded, pending, total, chunks, failedChunks, activatedAt } = generation;
  return {
    role,
    provider: fingerprint.provider,
    model: fingerprint.model,
    generation: id,
    state: isMismatched ? 'mismatched' : state,
    embedded,
    pending,
    total,
    chunks,
    failed_chunks: failedChunks,
    ...(activatedAt === null ? {} : { activated_at: activatedAt }),
    ...(job === undefined || state === 'previous' ? {} : { job: job.id }),
  };
}

/** A chunk that could not be embedded, with the fields of a quarantined file. */
export function failedChunkView({ path, chunk, lines, ...why }: FailedChunk, { role }: Generation): object {
  return { path, phase: 'embed', ...(role === 'main' ? {} : { role }), chunk, lines, ...why };
}

export type ErrorView = ReturnType<typeof errorView>;

export function errorView({ code, message, hint, retryable }: VaultgraphError) {
  return { code, message, hint, retryable };
}
