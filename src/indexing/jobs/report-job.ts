// The lines that an ended job leaves in the log: counts, codes and paths, never a text.
import type { Log } from '../../base/log.ts';
import type { IndexJob } from '../../contracts/indexer.ts';

/** What more is skipped is only counted; `status` lists it. */
const MAX_SKIPPED = 20;

export function reportJob(log: Log, job: IndexJob): void {
  const { id, kind, state, phase, counts, chunks, error, startedAt, endedAt = startedAt } = job;
  for (const skipped of job.failures.slice(0, MAX_SKIPPED)) {
    const { code, category } = skipped.error;
    log('warn', 'skipped', { job_id: id, path: skipped.id, code, category });
  }
  log(levelOf(job), 'index_job_ended', {
    ...{ job_id: id, kind, state },
    ...(error && { error_id: error.errorId, code: error.code, category: error.category, phase }),
    duration_ms: Date.parse(endedAt) - Date.parse(startedAt),
    counts: { ...counts, ...(chunks && chunkCounts(chunks)) },
  });
}

function levelOf({ state, failures, counts }: IndexJob): 'info' | 'warn' | 'error' {
  if (state === 'failed') return 'error';
  return state === 'interrupted' || counts.failed > 0 || failures.length > 0 ? 'warn' : 'info';
}

function chunkCounts({ embedded, kept, failed, requests }: NonNullable<IndexJob['chunks']>) {
  return { chunks_embedded: embedded, chunks_kept: kept, chunks_failed: failed, requests };
}
