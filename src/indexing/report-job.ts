// The line that an ended job leaves in the log: counts and codes, never a text. Knows nothing of the work.
import type { Log } from '../base/log.ts';
import type { IndexJob } from '../contracts/indexer.ts';

export function reportJob(log: Log, job: IndexJob): void {
  const { id, kind, state, phase, counts, chunks, error, startedAt, endedAt = startedAt } = job;
  log(levelOf(job), 'index_job_ended', {
    ...{ job_id: id, kind, state, code: error?.code },
    ...(error === undefined ? {} : { phase }),
    duration_ms: Date.parse(endedAt) - Date.parse(startedAt),
    ...counts,
    ...(chunks && chunkFields(chunks)),
  });
}

function levelOf({ state, failures, counts }: IndexJob): 'info' | 'warn' | 'error' {
  if (state === 'failed') return 'error';
  return state === 'interrupted' || counts.failed > 0 || failures.length > 0 ? 'warn' : 'info';
}

function chunkFields({ embedded, kept, failed, requests }: NonNullable<IndexJob['chunks']>) {
  return { chunks_embedded: embedded, chunks_kept: kept, chunks_failed: failed, requests };
}
