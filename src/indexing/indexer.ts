// Keeps the store true to the vault: one job at a time, and at any moment the state it left. Knows no disk, database or wire.
import { setTimeout as sleep } from 'node:timers/promises';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Compute } from '../compute/offload.ts';
import { untilAborted } from '../compute/until-aborted.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../contracts/indexer.ts';
import type { Store, StoreCounts } from '../contracts/store.ts';
import type { Vault } from '../contracts/vault.ts';
import { createJobRecord, type JobRecord } from './job-record.ts';
import type { MassDeleteLimits } from './mass-delete-guard.ts';
import { runJob } from './run-job.ts';

export interface IndexerParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly log: Log;
  readonly massDelete?: MassDeleteLimits;
}

const JOBS_KEPT = 20;
/** A scan of the whole vault is begun behind what waits already: a server's handshake above all. */
const HEAD_START_MS = 5;
const COUNT_EVERY_MS = 100;
/** Most of a job's time that may go into counting: it takes longer the larger the index is. */
const COUNTING_SHARE = 0.02;
/** Counting is quick and bounded; nothing ends it. */
const NEVER = new AbortController().signal;
const MASS_DELETE: MassDeleteLimits = { ratio: 0.5, minNotes: 20 };

/** Does nothing but count until a job is started. `close` cancels the running job and waits for its end. */
export function createIndexer(parts: IndexerParts): Indexer & { close(): Promise<void> } {
  const { store, log, massDelete = MASS_DELETE } = parts;
  const records: JobRecord[] = [];
  const closing = new AbortController();
  let running: JobRecord | undefined;
  let counts: StoreCounts | undefined;
  let countAgainAt = Number.NEGATIVE_INFINITY;
  let freshness: IndexState['freshness'] = 'unknown';
  let lastError: VaultgraphError | undefined;

  async function count(): Promise<void> {
    const began = performance.now();
    counts = await store.counts(NEVER);
    const ended = performance.now();
    countAgainAt = ended + Math.max(COUNT_EVERY_MS, (ended - began) / COUNTING_SHARE);
  }

  async function countNowAndThen(): Promise<void> {
    if (performance.now() >= countAgainAt) await count();
  }

  async function perform(job: JobRecord): Promise<void> {
    if (job.request.kind !== 'notes') await sleep(HEAD_START_MS);
    const error = await errorOf(runJob(job, { ...parts, massDelete, onCommit: countNowAndThen }).finally(count));
    lastError = error;
    if (job.request.kind !== 'notes') freshness = error === undefined ? 'fresh' : 'unknown';
    running = undefined;
    job.end(error);
    report(log, job.snapshot());
  }

  function start(request: IndexRequest): IndexJob {
    closing.signal.throwIfAborted();
    if (running !== undefined) return join(running, request);
    const job = createJobRecord(request);
    running = job;
    records.unshift(job);
    records.splice(JOBS_KEPT);
    void perform(job);
    return job.snapshot();
  }

  function find(id: string): JobRecord {
    const job = records.find((record) => record.id === id);
    if (job === undefined)
      throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: records.map((record) => record.id) });
    return job;
  }

  function cancel(id: string): IndexJob {
    const job = find(id);
    job.cancel();
    return job.snapshot();
  }

  async function close(): Promise<void> {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    running?.cancel();
    await running?.ended;
  }

  void errorOf(count()).then((error) => {
    lastError ??= error;
  });

  return Object.freeze({
    state: () => stateOf(counts, freshness, running, lastError),
    start,
    jobs: () => records.map((job) => job.snapshot()),
    cancel,
    ended: async (id: string, signal: AbortSignal) => untilAborted(find(id).ended, [signal]),
    close,
  });
}

/** Who asks for notes that the running job does not read would wait for the wrong job. @throws INDEX_CONFLICT */
function join(running: JobRecord, request: IndexRequest): IndexJob {
  const { kind, paths = [] } = running.request;
  const isCovered = kind === request.kind && (request.paths ?? []).every((path) => paths.includes(path));
  if (!isCovered) throw new VaultgraphError('INDEX_CONFLICT', { job_id: running.id, running: kind });
  running.join(request);
  return running.snapshot();
}

function stateOf(
  counts: StoreCounts | undefined,
  freshness: IndexState['freshness'],
  running: JobRecord | undefined,
  lastError: VaultgraphError | undefined,
): IndexState {
  const asOf = counts?.scannedAt ?? null;
  return {
    freshness,
    complete: asOf !== null,
    asOf,
    total: (counts?.indexed ?? 0) + (counts?.pending ?? 0),
    indexed: counts?.indexed ?? 0,
    pending: counts?.pending ?? 0,
    quarantined: counts?.quarantined ?? 0,
    ...(running && { running: running.snapshot() }),
    ...(lastError && { lastError }),
  };
}

/** What a promise rejected with, so that a job's failure is a value like its success. */
async function errorOf(work: Promise<unknown>): Promise<VaultgraphError | undefined> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome.status === 'rejected' ? toVaultgraphError(outcome.reason) : undefined;
}

function report(log: Log, { id, kind, state, counts, error, startedAt, endedAt = startedAt }: IndexJob): void {
  const duration_ms = Date.parse(endedAt) - Date.parse(startedAt);
  const level = error === undefined ? (counts.failed > 0 ? 'warn' : 'info') : 'error';
  log(level, 'index_job_ended', { job_id: id, kind, state, code: error?.code, duration_ms, ...counts });
}
