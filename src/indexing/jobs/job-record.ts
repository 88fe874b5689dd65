// One index job as it goes on: counts that grow, listeners that are told now and then, and its end.
import { randomBytes } from 'node:crypto';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { ChunkCounts, IndexCounts, IndexJob, IndexRequest } from '../../contracts/indexer.ts';

const MAX_FAILURES = 100;
const PROGRESS_EVERY_MS = 100;

type Growing<T> = { -readonly [K in keyof T]: T[K] };

export interface JobRecord {
  readonly id: string;
  readonly request: IndexRequest;
  readonly signal: AbortSignal;
  readonly counts: Growing<IndexCounts>;
  /** Told of `embed` jobs only. */
  readonly chunks: Growing<ChunkCounts>;
  /** Whether any of those who asked for the job lets it remove more than the mass-delete guard would. */
  isConfirmed(): boolean;
  /** Whether any of them wants chunks tried again that were refused before. */
  isRetryingFailed(): boolean;
  /** How long a provider that is away is waited for: as long as the least patient of those who asked. */
  patienceMs(): number;
  join(request: IndexRequest): void;
  enter(phase: IndexJob['phase']): void;
  /** It waits for a provider, in the phase it is in; over with `goOn`. */
  wait(waiting: NonNullable<IndexJob['waiting']>): void;
  goOn(): void;
  fail(failures: IndexJob['failures']): void;
  /** Tells the listeners, at most every 100 ms. */
  tell(): void;
  /** @param unsuccessful what it is with an error, unless it was cancelled */
  end(error?: unknown, unsuccessful?: 'failed' | 'interrupted'): void;
  cancel(): void;
  /** Ends it as one that is to be begun again. */
  interrupt(error: VaultgraphError): void;
  snapshot(): IndexJob;
  hasEnded(): boolean;
  readonly ended: Promise<IndexJob>;
}

/** @param begun a job that was interrupted before it was done: it goes on as the same one */
export function createJobRecord(request: IndexRequest, begun?: Pick<IndexJob, 'id' | 'startedAt'>): JobRecord {
  const { id, startedAt } = begun ?? {
    id: `job_${randomBytes(4).toString('hex')}`,
    startedAt: new Date().toISOString(),
  };
  const counts = { listed: 0, changed: 0, done: 0, indexed: 0, failed: 0, removed: 0 };
  const chunks = { embedded: 0, kept: 0, failed: 0, requests: 0 };
  const requests = [request];
  const failures: IndexJob['failures'][number][] = [];
  const stopping = new AbortController();
  const ending = Promise.withResolvers<IndexJob>();
  let progress: Pick<IndexJob, 'state' | 'phase' | 'waiting' | 'endedAt' | 'error'> = {
    state: 'queued',
    phase: 'waiting',
  };
  let isInterrupted = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  const snapshot = (): IndexJob =>
    Object.freeze({
      ...{ id, kind: request.kind, startedAt, ...progress, counts: { ...counts }, failures: [...failures] },
      ...(request.kind === 'embed' && { chunks: { ...chunks } }),
    });

  function tellAll(): void {
    toldAt = performance.now();
    const job = snapshot();
    for (const { onProgress } of requests) onProgress?.(job);
  }

  function enter(phase: IndexJob['phase']): void {
    progress = { state: 'running', phase };
    tellAll();
  }

  function end(error?: unknown, unsuccessful: 'failed' | 'interrupted' = 'failed'): void {
    const endedAt = new Date().toISOString();
    if (error === undefined) progress = { state: 'succeeded', phase: 'ended', endedAt };
    else {
      const state = isInterrupted ? 'interrupted' : stopping.signal.aborted ? 'cancelled' : unsuccessful;
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
    chunks,
    isConfirmed: () => requests.some(({ confirmed }) => confirmed === true),
    patienceMs: () => Math.min(...requests.map(({ patienceMs = Number.POSITIVE_INFINITY }) => patienceMs)),
    isRetryingFailed: () => requests.some(({ retryFailed }) => retryFailed === true),
    join: (joining) => void requests.push(joining),
    enter,
    wait(waiting) {
      progress = { state: 'retrying', phase: progress.phase, waiting };
      tellAll();
    },
    goOn() {
      if (progress.state === 'retrying') enter(progress.phase);
    },
    fail: (more) => void failures.push(...more.slice(0, MAX_FAILURES - failures.length)),
    tell() {
      if (performance.now() - toldAt >= PROGRESS_EVERY_MS) tellAll();
    },
    end,
    cancel: () => stopping.abort(new VaultgraphError('CANCELLED', { committed: 'partial' })),
    interrupt(error) {
      if (stopping.signal.aborted) return;
      isInterrupted = true;
      stopping.abort(error);
    },
    snapshot,
    hasEnded: () => progress.endedAt !== undefined,
    ended: ending.promise,
  };
}
