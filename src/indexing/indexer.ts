// Keeps the store true to the vault: one job of a kind at a time, and at any moment the state it left. Knows no disk, database or wire.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Compute } from '../compute/offload.ts';
import { untilAborted } from '../compute/until-aborted.ts';
import type { Embedding } from '../contracts/embedding.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../contracts/indexer.ts';
import type { Store, StoreCounts } from '../contracts/store.ts';
import type { Vault } from '../contracts/vault.ts';
import { createEmbedSlot, type EmbedSlot } from './embed-slot.ts';
import { createJobList, type JobList } from './job-list.ts';
import { createJobRecord, type JobRecord } from './job-record.ts';
import type { MassDeleteLimits } from './mass-delete-guard.ts';
import { createPullSlot, type Pull, type PullSlot } from './pull-slot.ts';
import { createRefresh } from './refresh.ts';
import { reportJob } from './report-job.ts';
import { runJob } from './run-job.ts';
import { errorOf } from './settled.ts';
import { createStoreTally } from './store-tally.ts';

export interface IndexerParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly log: Log;
  readonly massDelete?: MassDeleteLimits;
  /** Where it is configured, the vectors follow the index by themselves. */
  readonly embedding?: Embedding;
  /** Milliseconds for fetching a model. */
  readonly pullLimitMs?: number;
  /**
   * What must be over before the vault is read for the first time; a failure of it ends no job. Gives the paths that were changed on
   * purpose and that the index may not know: what is gone from there is not missing.
   */
  readonly begin?: (signal: AbortSignal) => Promise<readonly string[]>;
}

export interface OpenIndexer extends Indexer {
  /** Fetches the model of the embedding provider as a job, one at a time, and embeds behind it. */
  startPull(pull: Pull): IndexJob;
  /** Cancels every job and waits for their end. */
  close(): Promise<void>;
}

/** A scan of the whole vault is begun behind what waits already: a server's handshake above all. */
const HEAD_START_MS = 5;
const PULL_LIMIT_MS = 3_600_000;
const MASS_DELETE: MassDeleteLimits = { ratio: 0.5, minNotes: 20 };

/** Does nothing but count until a job is started. */
export function createIndexer(parts: IndexerParts): OpenIndexer {
  const { store, log, massDelete = MASS_DELETE } = parts;
  const jobs = createJobList();
  const tally = createStoreTally(store);
  const closing = new AbortController();
  const onEnd = (job: IndexJob): void => reportJob(log, job);
  const vectors = vectorSlots(parts, jobs, onEnd);
  let running: JobRecord | undefined;
  let begun: Promise<unknown> | undefined;
  let freshness: IndexState['freshness'] = 'unknown';
  let lastError: VaultgraphError | undefined;

  /** Vectors that are being made must not meet an index that forgets all. */
  async function reset(signal: AbortSignal): Promise<void> {
    const work = (): Promise<void> => store.reset(signal);
    await (vectors === undefined ? work() : vectors.embed.aside(work));
  }

  const work = (job: JobRecord): Promise<void> =>
    runJob(job, { ...parts, massDelete, onCommit: tally.countNowAndThen, reset });

  async function begin(): Promise<void> {
    const paths = (await parts.begin?.(closing.signal)) ?? [];
    if (paths.length > 0) await work(createJobRecord({ kind: 'notes', paths, confirmed: true }));
  }

  async function perform(job: JobRecord): Promise<void> {
    const { kind } = job.request;
    begun ??= errorOf(begin());
    await begun;
    if (kind !== 'notes') await sleep(HEAD_START_MS);
    const error = await errorOf(work(job).finally(tally.count));
    lastError = error;
    if (kind !== 'notes') freshness = error === undefined ? 'fresh' : 'unknown';
    running = undefined;
    // In the list before this job ends: whoever waited for it finds there what follows.
    if (error === undefined)
      vectors?.embed.begin(kind !== 'notes', {
        kind: 'embed',
        retryFailed: job.isRetryingFailed(),
        patienceMs: job.patienceMs(),
      });
    job.end(error);
    onEnd(job.snapshot());
  }

  function start(request: IndexRequest): IndexJob {
    closing.signal.throwIfAborted();
    if (request.kind === 'embed') return given(vectors).embed.join(request);
    if (request.kind === 'pull') throw new VaultgraphError('INTERNAL', { kind: 'nothing_to_pull' });
    if (running !== undefined) return join(running, request);
    running = createJobRecord(request);
    jobs.add(running);
    void perform(running);
    return running.snapshot();
  }

  const refresh = createRefresh({
    running: () => running?.ended,
    start: (paths) => jobs.find(start({ kind: 'notes', paths, confirmed: true }).id).ended,
  });

  function startPull(pull: Pull): IndexJob {
    closing.signal.throwIfAborted();
    return given(vectors).pull.start(pull);
  }

  function cancel(id: string): IndexJob {
    const job = jobs.find(id);
    job.cancel();
    vectors?.embed.dropCancelled();
    return job.snapshot();
  }

  async function close(): Promise<void> {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    running?.cancel();
    await Promise.all([running?.ended, vectors?.pull.close()]);
    await vectors?.embed.close();
  }

  function state(): IndexState {
    const embedJob = vectors?.embed.current();
    return {
      ...stateOf(tally.counts(), freshness),
      ...(running && { running: running.snapshot() }),
      ...(embedJob && { embedJob }),
      ...(lastError && { lastError }),
    };
  }

  void errorOf(tally.count()).then((error) => {
    lastError ??= error;
  });

  return Object.freeze({
    ...{ state, start, refresh, cancel, startPull, close },
    providerAnswered: () => vectors?.embed.providerAnswered(),
    jobs: () => jobs.snapshots(),
    ended: async (id: string, signal: AbortSignal) => untilAborted(jobs.find(id).ended, [signal]),
  });
}

interface VectorSlots {
  readonly embed: EmbedSlot;
  readonly pull: PullSlot;
}

function vectorSlots(
  { embedding, pullLimitMs: limitMs = PULL_LIMIT_MS, ...parts }: IndexerParts,
  jobs: JobList,
  onEnd: (job: IndexJob) => void,
): VectorSlots | undefined {
  if (embedding === undefined) return undefined;
  const embed = createEmbedSlot({ ...parts, embedding, jobs, onEnd });
  const onPulled = (): void => void embed.join({ kind: 'embed' });
  return { embed, pull: createPullSlot({ embedding, jobs, limitMs, onPulled, onEnd }) };
}

/** Nobody asks for vectors where none are configured. */
function given(vectors: VectorSlots | undefined): VectorSlots {
  if (vectors === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_embedding' });
  return vectors;
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
): Omit<IndexState, 'running' | 'embedJob' | 'lastError'> {
  const { indexed = 0, pending = 0, quarantined = 0, scannedAt: asOf = null } = counts ?? {};
  return { freshness, complete: asOf !== null, asOf, total: indexed + pending, indexed, pending, quarantined };
}
