// Runs one embed job: brings the vectors of the provider up to date, then those of its fallback, each in a generation of its own.
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { Embedding, EmbeddingProvider } from '../../contracts/embedding.ts';
import {
  embedderMismatch,
  type Fingerprint,
  fingerprintDifferences,
  isChangedUnderItsName,
  partNames,
} from '../../contracts/fingerprint.ts';
import type { IndexJob, IndexRequest } from '../../contracts/indexer.ts';
import { keepFit, keptFit } from '../../contracts/model-fit.ts';
import { newTrace } from '../../contracts/provider-call.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Generation, GenerationRole } from '../../contracts/vectors.ts';
import { chunkerName } from '../../markdown/chunk/chunks.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { rateOf, SCRIPT_SAMPLES, SCRIPTS, type TokenRates, USUAL_RATES } from '../../markdown/chunk/token-rates.ts';
import type { JobList } from '../jobs/job-list.ts';
import { JobRecord, type ResumedJob } from '../jobs/job-record.ts';
import { askProvider, embedNotes } from './embed-notes.ts';
import { type FitParts, MAX_MEASURE_MS_OF_JOB, measureFit } from './measure-fit.ts';
import { concernsOneText } from './notes-to-embed.ts';

/** A job that fails although its provider answers other callers is not retried more often. */
const RETRY_PAUSE_MS = 30_000;

/** Failures that pass by themselves: they leave a job interrupted, not failed. */
const TRANSIENT: readonly ErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_ERROR',
  'PROVIDER_CIRCUIT_OPEN',
  'PROVIDER_MODEL_PULLING',
  'OVERLOADED',
];

interface EmbedJobsParts extends EmbedJobParts {
  readonly jobs: JobList;
  readonly onEnd: (job: IndexJob) => void;
  /** Resolves when this process may write. @throws INDEX_CONFLICT */
  readonly lead: () => Promise<void>;
  readonly isLeader: () => boolean;
}

/** `isWhole` as of `embedVault`. */
interface EmbedTask {
  readonly job: JobRecord;
  isWhole: boolean;
}

export class EmbedJobs {
  readonly #parts: EmbedJobsParts;
  readonly #retriedAt = new Map<ErrorCode, number>();
  #running: EmbedTask | undefined;
  #next: EmbedTask | undefined;
  #last: JobRecord | undefined;
  /** The last job, if a transient failure ended it. */
  #interrupted: (EmbedTask & { readonly error: VaultgraphError }) | undefined;
  /** While true no job starts. */
  #isPaused = false;
  #resumed: ResumedJob | undefined;

  constructor(parts: EmbedJobsParts) {
    this.#parts = parts;
  }

  /** The running job, or the last one. */
  get current(): IndexJob | undefined {
    return (this.#running?.job ?? this.#next?.job ?? this.#last)?.snapshot();
  }

  /** A job that starts no sooner than now, so that it sees all that is indexed by now. */
  start(isWhole: boolean, request: IndexRequest): IndexJob {
    this.#next ??= this.#newTask();
    const { job } = this.#next;
    job.join(request);
    this.#next.isWhole ||= isWhole;
    this.#startNext();
    return job.snapshot();
  }

  /** The running job if it does at least what is requested, otherwise a whole one after it. */
  join(request: IndexRequest): IndexJob {
    const { job, isWhole } = this.#running ?? {};
    const isEnough =
      isWhole && job?.signal.aborted === false && (job?.isRenewingVectors || request.renewVectors !== true);
    if (job === undefined || this.#next !== undefined || !isEnough) return this.start(true, request);
    job.join(request);
    return job.snapshot();
  }

  /** The next job continues this one, which was interrupted in another process or an earlier run. */
  resume(job: ResumedJob): void {
    this.#resumed = job;
  }

  /** Runs the interrupted job again. (A running job waits in the provider itself, which notices the answer as well.) */
  providerAnswered(): void {
    if (this.#running !== undefined || this.#interrupted === undefined) return;
    const { isWhole, error } = this.#interrupted;
    if (this.#mayRetry(error.code)) this.start(isWhole, { kind: 'embed' });
  }

  /** Ends a cancelled job that still waits for its turn. */
  dropCancelled(): void {
    const job = this.#next?.job;
    if (!job?.signal.aborted) return;
    this.#next = undefined;
    job.end(job.signal.reason);
    this.#parts.onEnd(job.snapshot());
  }

  /** Cancels the running job, and starts none while `work` runs. */
  async pauseDuring(work: () => Promise<void>): Promise<void> {
    await this.#pause((job) => job.cancel());
    await work().finally(() => this.#unpause());
  }

  /** Interrupts the running and the waiting job, to be resumed later. */
  async interrupt(error: VaultgraphError): Promise<void> {
    await this.close(error);
    this.#unpause();
  }

  /** Does what `interrupt` does, and starts no more jobs. */
  async close(error: VaultgraphError): Promise<void> {
    this.#interrupted = undefined;
    this.#next?.job.interrupt(error);
    this.dropCancelled();
    await this.#pause((job) => job.interrupt(error));
  }

  #newTask(): EmbedTask {
    const job = new JobRecord({ kind: 'embed' }, this.#resumed);
    this.#resumed = undefined;
    this.#parts.jobs.add(job);
    return { job, isWhole: false };
  }

  /** The next job takes over what an interrupted one was to do. */
  #startNext(): void {
    const task = this.#next;
    if (this.#running !== undefined || task === undefined || this.#isPaused) return;
    this.#next = undefined;
    task.isWhole ||= this.#interrupted?.isWhole === true;
    if (this.#interrupted?.job.isRenewingVectors) task.job.join({ kind: 'embed', renewVectors: true });
    this.#interrupted = undefined;
    void this.#perform(task);
  }

  async #perform(task: EmbedTask): Promise<void> {
    const { lead, isLeader, onEnd } = this.#parts;
    const { job, isWhole } = task;
    this.#running = task;
    this.#last = job;
    const work = (): Promise<void> => embedVault(job, isWhole, this.#parts);
    const error = await errorOf(isLeader() ? work() : lead().then(work));
    this.#running = undefined;
    const isPassing =
      error !== undefined && !job.signal.aborted && (TRANSIENT.includes(error.code) || isUnavailable(error));
    if (isPassing) this.#interrupted = { job, isWhole, error };
    job.end(error, isPassing || error?.code === 'INDEX_CONFLICT' ? 'interrupted' : 'failed');
    onEnd(job.snapshot());
    this.#startNext();
  }

  async #pause(stop: (job: JobRecord) => void): Promise<void> {
    this.#isPaused = true;
    if (this.#running !== undefined) stop(this.#running.job);
    await this.#running?.job.ended;
  }

  #unpause(): void {
    this.#isPaused = false;
    this.#startNext();
  }

  #mayRetry(code: ErrorCode): boolean {
    const now = performance.now();
    if (now - (this.#retriedAt.get(code) ?? Number.NEGATIVE_INFINITY) < RETRY_PAUSE_MS) return false;
    this.#retriedAt.set(code, now);
    return true;
  }
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_CORRUPT',
  'STORE_UNAVAILABLE',
  'VAULT_UNAVAILABLE',
]);

/** Whether the store or the vault is unavailable: the job is interrupted, not failed, and runs again once it is back. */
export function isUnavailable(error: VaultgraphError | undefined): boolean {
  return error !== undefined && UNAVAILABLE.has(error.code);
}

interface EmbedJobParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  readonly embedding: Embedding;
}

/** Names the fallback in the failures of a job. */
const FALLBACK_KEY = 'providers.embedding.fallback';

/**
 * @param isWhole whether it may replace the active vectors by those of another model in the config, and removes unused vectors at the end
 * @throws the error of the main provider; an error of the fallback becomes a failure of the job
 */
async function embedVault(job: JobRecord, isWhole: boolean, parts: EmbedJobParts): Promise<void> {
  const { provider: fallback } = parts.embedding.fallback ?? {};
  const run = async (role: GenerationRole, provider: EmbeddingProvider): Promise<VaultgraphError | undefined> => {
    const error = await errorOf(embedRole(role, provider, job, isWhole, parts));
    return isGone(error) ? errorOf(embedRole(role, provider, job, isWhole, parts)) : error;
  };
  const error = await run('main', parts.embedding);
  if (error !== undefined && endsAll(error, job)) throw error;
  const fallbackOutcome = fallback && (await run('fallback', fallback));
  if (fallbackOutcome !== undefined) {
    if (endsAll(fallbackOutcome, job)) throw fallbackOutcome;
    job.addFailures([{ id: FALLBACK_KEY, error: fallbackOutcome }]);
  }
  if (error !== undefined) throw error;
  if (isWhole) await sweep(fallbackOutcome, job, parts.store);
}

/** Does nothing after a fallback that stopped half-way: the vectors of its unfinished notes would be removed. */
async function sweep(other: VaultgraphError | undefined, job: JobRecord, store: Store): Promise<void> {
  if (other !== undefined && job.snapshot().phase !== 'identifying') return;
  const building = (await store.generations(job.signal)).filter(({ state }) => state === 'building');
  const fallbacks = other === undefined ? [] : building.filter(({ role }) => role === 'fallback').map(({ id }) => id);
  await store.sweepVectors(fallbacks, job.signal);
}

/** Whether another process has reset the index: the job is tried once more on the new content. */
function isGone(error: VaultgraphError | undefined): boolean {
  return error?.code === 'INTERNAL' && 'kind' in error.details && error.details.kind === 'no_such_generation';
}

/** Whether the error would stop the other provider too. */
function endsAll({ category }: VaultgraphError, job: JobRecord): boolean {
  return job.signal.aborted || !['provider', 'index', 'capability', 'control'].includes(category);
}

async function embedRole(
  role: GenerationRole,
  provider: EmbeddingProvider,
  job: JobRecord,
  isWhole: boolean,
  parts: EmbedJobParts,
): Promise<void> {
  const { store } = parts;
  job.enter('identifying');
  const identity = await askProvider(job, (call, signal) => provider.identify(call, signal), {
    patienceMs: job.patienceMs,
  });
  const current = { ...identity, chunker: chunkerName(provider.contextTokens) };
  const generation = await chooseGeneration(role, current, isWhole, provider, store, job);
  const { fingerprint } = generation;
  const rates: TokenRates = fingerprint.rates ?? USUAL_RATES;
  job.counts.listed += generation.total;
  job.counts.changed += generation.pending;
  job.enter('embedding');
  await embedNotes(job, {
    ...parts,
    provider,
    fingerprint,
    chunker: fingerprint.chunker,
    rates,
    generation: generation.id,
    retryFailed: isWhole && job.isRenewingVectors,
  });
  if (generation.state !== 'active') {
    job.enter('activating');
    await store.activate(generation.id, job.signal);
  }
  await updateFit(generation.id, provider, job, parts);
}

/**
 * The active generation if its fingerprint fits; otherwise one to build; an unfinished one with this fingerprint is continued.
 * @param current without rates, which are measured only for a new generation
 * @throws EMBEDDER_MISMATCH; the store's errors; the provider's errors
 */
async function chooseGeneration(
  role: GenerationRole,
  current: Fingerprint,
  isWhole: boolean,
  provider: EmbeddingProvider,
  store: Store,
  job: JobRecord,
): Promise<Generation> {
  const generations = (await store.generations(job.signal)).filter((generation) => generation.role === role);
  const active = generations.find(({ state }) => state === 'active');
  const fitting = generations.filter((one) => fingerprintDifferences(one.fingerprint, current).length === 0);
  if (active !== undefined) {
    const differs = fingerprintDifferences(active.fingerprint, current);
    if (differs.length === 0) return active;
    // What a caller asked for earlier is continued after a restart.
    const isBegun = fitting.some(({ state }) => state === 'building');
    const isWanted = job.isRenewingVectors || isBegun || !isChangedUnderItsName(differs);
    if (!isWhole || !isWanted) throw embedderMismatch(active.fingerprint, current, differs, undefined);
    job.replaces = partNames(differs);
  }
  const rates = fitting[0]?.fingerprint.rates ?? (await measureRates(job, provider));
  return store.openGeneration(role, { ...current, rates }, job.signal);
}

/** One token for any tokenizer; what a server counts beyond it, it adds to each text. */
const ONE_TOKEN = 'a';

/**
 * The scripts of which the model makes more tokens than the chunker reckons with. A lower count changes nothing, so that a server
 * that counts wrong never makes chunks longer. @throws errors of the provider as a whole
 */
async function measureRates(job: JobRecord, provider: EmbeddingProvider): Promise<TokenRates> {
  if (!provider.reportsTokens) return USUAL_RATES;
  const least = await tokensOf(ONE_TOKEN, job, provider);
  if (least === undefined) return USUAL_RATES;
  const rates: { -readonly [S in keyof TokenRates]: TokenRates[S] } = {};
  for (const script of SCRIPTS) {
    const sample = SCRIPT_SAMPLES[script];
    const tokens = await tokensOf(sample, job, provider);
    const rate = tokens === undefined ? undefined : rateOf(script, tokens, Math.max(0, least - 1));
    const usual = sizeOf(sample.charAt(sample.length / 2)).tokens;
    if (rate !== undefined && rate > usual) rates[script] = rate;
  }
  return rates;
}

/** Undefined if the server does not say, or refuses the text. */
function tokensOf(text: string, job: JobRecord, provider: EmbeddingProvider): Promise<number | undefined> {
  return askProvider(job, async (call, signal) => {
    const error = await errorOf(provider.embed([{ id: 'sample', text, title: '' }], 'document', call, signal));
    if (error !== undefined && !concernsOneText(error)) throw error;
    return call.trace.tokens;
  });
}

/** Fewer new or removed notes hardly change the result. */
const CHANGED_SHARE = 0.1;

/**
 * Measures again once a tenth of the notes was added or removed. All vectors are made by then, so a failure does not fail the job:
 * there is no result until the next time.
 * @throws the reason of the job's signal
 */
async function updateFit(
  id: Generation['id'],
  provider: EmbeddingProvider,
  job: JobRecord,
  { store, vault }: Pick<FitParts, 'store' | 'vault'>,
): Promise<void> {
  const { signal } = job;
  const until = performance.now() + MAX_MEASURE_MS_OF_JOB;
  const begin = () => ({
    priority: 'background' as const,
    msLeft: () => until - performance.now(),
    onWait: () => undefined,
    trace: newTrace(),
  });
  const update = async (): Promise<void> => {
    const generation = (await store.generations(signal)).find((one) => one.id === id);
    const lastFit = generation && (await keptFit(generation, store, signal));
    if (generation === undefined || (lastFit && !hasChanged(lastFit.notes, generation.embedded))) return;
    const fit = await measureFit({ provider, generation, store, vault, begin }, signal, MAX_MEASURE_MS_OF_JOB);
    if (fit !== undefined) await keepFit(generation, fit, store, signal);
  };
  await errorOf(update());
  signal.throwIfAborted();
}

const hasChanged = (before: number, now: number): boolean => Math.abs(now - before) > CHANGED_SHARE * before;
