// One index job as it goes on: counts that grow, listeners that are told now and then, and its end. Knows no vault and no store.
import { randomBytes } from 'node:crypto';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { IndexCounts, IndexJob, IndexRequest } from '../contracts/indexer.ts';

const MOST_FAILURES = 100;
const PROGRESS_EVERY_MS = 100;

type Growing<T> = { -readonly [K in keyof T]: T[K] };

export interface JobRecord {
  readonly id: string;
  readonly request: IndexRequest;
  readonly signal: AbortSignal;
  readonly counts: Growing<IndexCounts>;
  /** Whether any of those who asked for the job lets it remove more than the mass-delete guard would. */
  isConfirmed(): boolean;
  join(request: IndexRequest): void;
  enter(phase: IndexJob['phase']): void;
  fail(failures: IndexJob['failures']): void;
  /** Tells the listeners, at most every 100 ms. */
  tell(): void;
  end(error?: unknown): void;
  cancel(): void;
  snapshot(): IndexJob;
  readonly ended: Promise<IndexJob>;
}

export function createJobRecord(request: IndexRequest): JobRecord {
  const id = `job_${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const counts = { listed: 0, changed: 0, done: 0, indexed: 0, failed: 0, removed: 0 };
  const requests = [request];
  const failures: IndexJob['failures'][number][] = [];
  const stopping = new AbortController();
  const ending = Promise.withResolvers<IndexJob>();
  let progress: Pick<IndexJob, 'state' | 'phase' | 'endedAt' | 'error'> = { state: 'queued', phase: 'waiting' };
  let toldAt = Number.NEGATIVE_INFINITY;

  const snapshot = (): IndexJob =>
    Object.freeze({ id, kind: request.kind, startedAt, ...progress, counts: { ...counts }, failures: [...failures] });

  function tellAll(): void {
    toldAt = performance.now();
    const job = snapshot();
    for (const { onProgress } of requests) onProgress?.(job);
  }

  function end(error?: unknown): void {
    const endedAt = new Date().toISOString();
    if (error === undefined) progress = { state: 'succeeded', phase: 'ended', endedAt };
    else {
      const state = stopping.signal.aborted ? 'cancelled' : 'failed';
      progress = { state, phase: progress.phase, endedAt, error: toVaultgraphError(error) };
    }
    ending.resolve(snapshot());
    tellAll();
  }

  return {
    id,
    request,
    signal: stopping.signal,
    counts,
    isConfirmed: () => requests.some(({ confirmed }) => confirmed === true),
    join: (joining) => void requests.push(joining),
    enter(phase) {
      progress = { state: 'running', phase };
      tellAll();
    },
    fail: (more) => void failures.push(...more.slice(0, MOST_FAILURES - failures.length)),
    tell() {
      if (performance.now() - toldAt >= PROGRESS_EVERY_MS) tellAll();
    },
    end,
    cancel: () => stopping.abort(new VaultgraphError('CANCELLED', { committed: 'partial' })),
    snapshot,
    ended: ending.promise,
  };
}
