// The jobs of this process: one of the text index at a time, those of the vectors beside it, each begun only by who leads.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Compute } from '../../compute/offload.ts';
import type { Embedding } from '../../contracts/embedding.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../../contracts/indexer.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import { isAway } from '../away.ts';
import { createEmbedSlot, type EmbedSlot } from '../embed/embed-slot.ts';
import { errorOf } from '../result.ts';
import type { JobList } from './job-list.ts';
import { createJobRecord, type JobRecord } from './job-record.ts';
import type { MassDeleteLimits } from './mass-delete-guard.ts';
import { createPullSlot, type Pull, type PulledFor } from './pull-slot.ts';
import { createRefresh } from './refresh.ts';
import { reportJob } from './report-job.ts';
import { runJob } from './run-job.ts';
import type { StoreTally } from './store-tally.ts';

export interface IndexWorkParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly log: Log;
  readonly massDelete?: MassDeleteLimits;
  /** Where it is configured, the vectors follow the index by themselves. */
  readonly embedding?: Embedding;
  /** Milliseconds for fetching a model. */
  readonly pullLimitMs?: number;
  readonly jobs: JobList;
  readonly tally: StoreTally;
  /** What must be over before the vault is read for the first time. */
  readonly begin: () => Promise<readonly string[]>;
  /** Resolves when this process may write. @throws INDEX_CONFLICT */
  readonly lead: () => Promise<void>;
  readonly leads: () => boolean;
  /** Whether how it ended is no news. */
  readonly isQuiet: (job: IndexJob) => boolean;
}

export interface IndexWork extends Pick<Indexer, 'refresh' | 'catchUp' | 'providerAnswered'> {
  /** As `Indexer.start`, at once. */
  start(request: IndexRequest): IndexJob;
  /** As `refresh`, of what may have changed: it may not remove more than the mass-delete guard lets it, and a path may be nowhere. */
  readonly hinted: Indexer['refresh'];
  /** As `start`, of a job that was interrupted in another process or an earlier run. */
  startAgain(request: IndexRequest, begun: Pick<IndexJob, 'id' | 'startedAt'>): IndexJob;
  resumeEmbedding(job: Pick<IndexJob, 'id' | 'startedAt'>): void;
  startPull(pull: Pull, by: PulledFor): IndexJob;
  /** No job of the text index goes on. */
  idle(): Promise<void>;
  /** Ends the job that waits for its turn, if it was cancelled. */
  dropCancelled(): void;
  state(): Pick<IndexState, 'freshness' | 'running' | 'embedJob' | 'lastError'>;
  /** Ends all that goes on, to be begun again. */
  interrupt(error: VaultgraphError): Promise<void>;
  close(): Promise<void>;
}

/** A scan of the whole vault is begun behind what waits already: a server's handshake above all. */
const HEAD_START_MS = 5;
const PULL_LIMIT_MS = 3_600_000;
const MASS_DELETE: MassDeleteLimits = { ratio: 0.5, minNotes: 20 };

export function createIndexWork(parts: IndexWorkParts): IndexWork {
  const { store, log, jobs, tally, lead, massDelete = MASS_DELETE } = parts;
  const closing = new AbortController();
  const onEnd = (job: IndexJob): void => {
    if (!parts.isQuiet(job)) reportJob(log, job);
  };
  const vectors = vectorSlots(parts, onEnd);
  const pulls = createPullSlot({
    ...{ jobs, limitMs: parts.pullLimitMs ?? PULL_LIMIT_MS, onEnd },
    // Whoever leads elsewhere asks its provider by itself.
    onPulled: ({ capability }) => {
      if (capability === 'embedding' && parts.leads()) vectors?.embed.join({ kind: 'embed' });
    },
  });
  let running: JobRecord | undefined;
  /** What somebody asked for while a job ran that nobody did. */
  let next: JobRecord | undefined;
  let begun: Promise<unknown> | undefined;
  let freshness: IndexState['freshness'] = 'unknown';
  let lastError: VaultgraphError | undefined;

  /** Vectors that are being made must not meet an index that forgets all. */
  async function reset(signal: AbortSignal): Promise<void> {
    const work = (): Promise<void> => store.reset(signal);
    await (vectors === undefined ? work() : vectors.embed.aside(work));
  }

  const run = (job: JobRecord): Promise<void> =>
    runJob(job, { ...parts, massDelete, onCommit: tally.countNowAndThen, reset });

  async function begin(): Promise<void> {
    const paths = await parts.begin();
    if (paths.length > 0) await run(createJobRecord({ kind: 'notes', paths, confirmed: true }));
  }

  async function work(job: JobRecord): Promise<void> {
    await untilAborted(lead(), job.signal);
    begun ??= errorOf(begin());
    await begun;
    if (job.request.kind !== 'notes') await sleep(HEAD_START_MS);
    await run(job).finally(tally.count);
  }

  async function perform(job: JobRecord): Promise<void> {
    const { kind } = job.request;
    const error = await errorOf(work(job));
    const isCutOff = error?.code === 'INDEX_CONFLICT';
    if (!isCutOff) lastError = error;
    if (kind !== 'notes') freshness = error === undefined ? 'fresh' : 'unknown';
    running = undefined;
    beginNext();
    // In the list before this job ends: whoever waited for it finds there what follows.
    if (error === undefined)
      vectors?.embed.begin(kind !== 'notes', {
        kind: 'embed',
        retryFailed: job.isRetryingFailed(),
        patienceMs: job.patienceMs(),
      });
    job.end(error, isCutOff || isAway(error) ? 'interrupted' : 'failed');
    onEnd(job.snapshot());
  }

  function startJob(request: IndexRequest, again?: Pick<IndexJob, 'id' | 'startedAt'>): IndexJob {
    closing.signal.throwIfAborted();
    if (request.kind === 'embed') return given(vectors).embed.join(request);
    if (request.kind === 'pull') throw new VaultgraphError('INTERNAL', { kind: 'nothing_to_pull' });
    if (running?.request.hinted && !request.hinted && !covers(running, request)) return queue(request);
    if (running !== undefined) return join(running, request);
    running = createJobRecord(request, again);
    jobs.add(running);
    void perform(running);
    return running.snapshot();
  }

  /** Nobody who asks is told of a conflict with what the watch began by itself. */
  function queue(request: IndexRequest): IndexJob {
    if (next !== undefined) return join(next, request);
    next = createJobRecord(request);
    jobs.add(next);
    return next.snapshot();
  }

  function beginNext(): void {
    running = next;
    next = undefined;
    if (running !== undefined) void perform(running);
  }

  async function idle(): Promise<void> {
    while (running !== undefined) await running.ended;
  }

  const start = (request: IndexRequest): IndexJob => startJob(request);
  const endOf = (request: IndexRequest): Promise<IndexJob> => jobs.find(start(request).id).ended;
  const whenIdle = { running: () => running?.ended };

  const refresh = createRefresh({
    ...whenIdle,
    start: (paths) => endOf({ kind: 'notes', paths, confirmed: true, hinted: true }),
  });
  const hinted = createRefresh({ ...whenIdle, start: (paths) => endOf({ kind: 'notes', paths, hinted: true }) });
  const scan = createRefresh({ ...whenIdle, start: () => endOf({ kind: 'catch_up', hinted: true }) });

  async function interrupt(error: VaultgraphError): Promise<void> {
    freshness = 'unknown';
    next?.interrupt(error);
    running?.interrupt(error);
    await Promise.all([running?.ended, vectors?.embed.interrupt(error)]);
  }

  async function close(): Promise<void> {
    const error = new VaultgraphError('SHUTTING_DOWN', {});
    closing.abort(error);
    for (const job of [next, running]) job?.interrupt(error);
    await Promise.all([next?.ended, running?.ended, pulls.close(error)]);
    await vectors?.embed.close(error);
  }

  function state(): ReturnType<IndexWork['state']> {
    const embedJob = vectors?.embed.current();
    return {
      freshness,
      ...(running && { running: running.snapshot() }),
      ...(embedJob && { embedJob }),
      ...(lastError && { lastError }),
    };
  }

  void errorOf(tally.count()).then((error) => {
    lastError ??= error;
  });

  return Object.freeze({
    ...{ state, start, refresh, hinted, idle, interrupt, close },
    startAgain: startJob,
    catchUp: (signal) => scan([], signal),
    resumeEmbedding: (job) => vectors?.embed.resume(job),
    startPull(pull, by) {
      closing.signal.throwIfAborted();
      return pulls.start(pull, by);
    },
    dropCancelled: () => vectors?.embed.dropCancelled(),
    providerAnswered: () => {
      if (parts.leads()) vectors?.embed.providerAnswered();
    },
  } satisfies IndexWork);
}

interface VectorSlots {
  readonly embed: EmbedSlot;
}

function vectorSlots({ embedding, ...parts }: IndexWorkParts, onEnd: (job: IndexJob) => void): VectorSlots | undefined {
  return embedding === undefined ? undefined : { embed: createEmbedSlot({ ...parts, embedding, onEnd }) };
}

/** Nobody asks for vectors where none are configured. */
function given(vectors: VectorSlots | undefined): VectorSlots {
  if (vectors === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_embedding' });
  return vectors;
}

/** Whether who asks for this may wait for that job. */
function covers({ request: { kind, paths = [] } }: JobRecord, request: IndexRequest): boolean {
  return kind === request.kind && (request.paths ?? []).every((path) => paths.includes(path));
}

/** Who asks for notes that the running job does not read would wait for the wrong job. @throws INDEX_CONFLICT */
function join(running: JobRecord, request: IndexRequest): IndexJob {
  const { kind } = running.request;
  if (!covers(running, request)) throw new VaultgraphError('INDEX_CONFLICT', { job_id: running.id, running: kind });
  running.join(request);
  return running.snapshot();
}
