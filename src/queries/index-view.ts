// The index and its jobs as an answer shows them. Knows nothing of how indexing works.
import type { IndexJob, IndexState } from '../contracts/indexer.ts';
import { errorView } from './error-view.ts';

const MOST_FAILURES = 20;

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
    ...(job.failures.length === 0 ? {} : { failures: job.failures.slice(0, MOST_FAILURES).map(failureView) }),
    ...(job.error === undefined ? {} : { error: errorView(job.error) }),
  };
}

function failureView({ id, error }: IndexJob['failures'][number]): object {
  return { path: id, code: error.code, message: error.message };
}

export function indexView(state: IndexState): object {
  const { freshness, complete, total, indexed, pending, quarantined } = state;
  return {
    freshness,
    complete,
    ...(state.asOf === null ? {} : { as_of: state.asOf }),
    total,
    indexed,
    pending,
    quarantined,
    ...(state.running === undefined ? {} : { running: state.running.id }),
    ...(state.lastError === undefined ? {} : { last_error: errorView(state.lastError) }),
  };
}
