// Chooses the stored vectors that a query or note vector can be compared with.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import { embedderMismatch, type Fingerprint, fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Generation, GenerationRole } from '../../contracts/vectors.ts';
import { chunkerName } from '../../markdown/chunk/chunks.ts';
import { throwIfFailed, waitForJob } from '../diagnose/job-wait.ts';

/** Equal to the wait for the first index: longer waits would only hide that vectors are being made. */
const MAX_WAIT_MS = 10_000;

type Sources = Granted<'store' | 'indexer'>;

/** What the stored vectors must have in common with the vector to compare. */
export interface RequiredOrigin {
  /** The known parts of its fingerprint. */
  readonly now: Partial<Fingerprint>;
  /** The parts that rule vectors of that origin out; empty if they can be used. */
  differences(from: Fingerprint): readonly string[];
  /** The parts that differ but are tolerated. */
  tolerated(from: Fingerprint): readonly string[];
}

/**
 * Requires vectors made exactly as the provider makes them now.
 * @param tolerant whether any vectors of the same length will do
 */
export function requiredByProvider(
  identity: EmbeddingIdentity,
  provider: EmbeddingProvider,
  tolerant = false,
): RequiredOrigin {
  const now: Fingerprint = { ...identity, chunker: chunkerName(provider.contextTokens) };
  const differing = (from: Fingerprint) => fingerprintDifferences(from, now);
  const isComparable = (from: Fingerprint): boolean => from.dims === now.dims;
  return {
    now,
    differences: (from) => (tolerant && isComparable(from) ? [] : differing(from)),
    tolerated: (from) => (tolerant && isComparable(from) ? differing(from) : []),
  };
}

/** Requires vectors of the configured provider and model, without calling the provider. */
export function requiredByConfig(provider: EmbeddingProvider): RequiredOrigin {
  const now = { provider: provider.type, model: provider.model, chunker: chunkerName(provider.contextTokens) };
  const parts = ['provider', 'model', 'chunker'] as const;
  const differences = (from: Fingerprint) => parts.filter((part) => from[part] !== now[part]);
  return { now, differences, tolerated: () => [] };
}

/** The active vectors of the configured provider, if any. @throws EMBEDDER_MISMATCH if they do not fit */
export async function activeVectors(
  required: RequiredOrigin,
  { store, indexer }: Sources,
  call: CallContext,
): Promise<Generation | undefined> {
  return activeOf(await store.generations(call.signal), required, indexer);
}

/** The active vectors of the fallback, if they fit. */
export async function fallbackVectors(
  required: RequiredOrigin,
  { store }: Sources,
  call: CallContext,
): Promise<Generation | undefined> {
  const active = inState(await store.generations(call.signal), 'fallback', 'active');
  return active !== undefined && required.differences(active.fingerprint).length === 0 ? active : undefined;
}

/**
 * The active vectors. While the first vectors are being made, waits for them and then returns what exists so far.
 * @throws EMBEDDER_MISMATCH; INDEX_BUILDING, INDEX_EMPTY if there are none yet; INDEX_JOB_FAILED
 */
export async function mainVectors(
  required: RequiredOrigin,
  { store, indexer }: Sources,
  call: CallContext,
): Promise<Generation> {
  const until = performance.now() + Math.min(MAX_WAIT_MS, call.msLeft() / 2);
  let awaited: string | undefined;
  for (;;) {
    const generations = await store.generations(call.signal);
    const active = activeOf(generations, required, indexer);
    if (active !== undefined) return active;
    const job = pendingJob(indexer);
    const left = until - performance.now();
    if (job === undefined || left <= 0) return unfinished(generations, required, indexer, awaited);
    awaited = job.id;
    await waitForJob(indexer, job, left, 'waiting for the first vectors', call);
  }
}

/** Adds the vectors and their coverage of the vault to the answer's metadata. */
export function reportVectors(
  { id, state, embedded, total, chunks, failedChunks }: Generation,
  call: CallContext,
): void {
  const index = { generation: id, embedded, total, chunks };
  call.annotate({ index: failedChunks === 0 ? index : { ...index, failed_chunks: failedChunks } });
  if (state === 'building') call.annotate({ part: `${embedded}/${total} notes are embedded so far` });
}

/** The job that makes vectors, or the job that runs before it. */
function pendingJob(indexer: Indexer): IndexJob | undefined {
  const { embedJob, running } = indexer.state();
  return embedJob !== undefined && isUnfinished(embedJob) ? embedJob : running;
}

function activeOf(generations: readonly Generation[], required: RequiredOrigin, indexer: Indexer) {
  const active = inState(generations, 'main', 'active');
  if (active === undefined) return undefined;
  const differs = required.differences(active.fingerprint);
  if (differs.length === 0) return active;
  const { embedJob } = indexer.state();
  const isBeingMade =
    embedJob !== undefined && isUnfinished(embedJob) && buildingOf(generations, required) !== undefined;
  throw embedderMismatch(active.fingerprint, required.now, differs, isBeingMade ? embedJob : undefined);
}

function unfinished(
  generations: readonly Generation[],
  required: RequiredOrigin,
  indexer: Indexer,
  awaited: string | undefined,
): Generation {
  const building = buildingOf(generations, required);
  if (building !== undefined && building.chunks > 0) return building;
  throw missingVectorsError(indexer, awaited);
}

function buildingOf(generations: readonly Generation[], required: RequiredOrigin): Generation | undefined {
  return generations.find(({ role, state, fingerprint }) => {
    return role === 'main' && state === 'building' && required.differences(fingerprint).length === 0;
  });
}

function missingVectorsError(indexer: Indexer, awaited: string | undefined): VaultgraphError {
  const job = pendingJob(indexer);
  if (job !== undefined) {
    const { done, changed } = job.counts;
    return new VaultgraphError('INDEX_BUILDING', { job_id: job.id, done, total: changed });
  }
  const { embedJob } = indexer.state();
  if (embedJob !== undefined && embedJob.id === awaited) throwIfFailed(embedJob);
  const failure = embedJob?.error;
  const reason = failure === undefined ? {} : { reason: `making it failed: [${failure.code}] ${failure.message}` };
  return new VaultgraphError('INDEX_EMPTY', { capability: 'embedding', ...reason });
}

function inState(generations: readonly Generation[], role: GenerationRole, state: Generation['state']) {
  return generations.find((generation) => generation.role === role && generation.state === state);
}

function isUnfinished({ state }: IndexJob): boolean {
  return state === 'queued' || state === 'running' || state === 'retrying';
}

/** The maximum of one store query. */
const EVERY_FAILURE = { limit: 100_000, offset: 0 };

/**
 * The vector of a whole note, and the vectors to compare it with. Waits for an outdated note while a job is running.
 * @throws EMBEDDER_MISMATCH; INDEX_BUILDING, INDEX_EMPTY if the note or the vault has no vectors; INDEX_JOB_FAILED
 */
export async function noteVector(
  path: NotePath,
  granted: Granted<'store' | 'indexer' | 'embedding'>,
  call: CallContext,
) {
  const { store, indexer, embedding } = granted;
  const until = performance.now() + Math.min(MAX_WAIT_MS, call.msLeft() / 2);
  for (;;) {
    const generation = await mainVectors(requiredByConfig(embedding), granted, call);
    const vector = await store.noteVector(generation.id, path, call.signal);
    if (vector !== null) return { vector, generation };
    const job = pendingJob(indexer);
    const left = until - performance.now();
    if (job === undefined) throw await missing(path, generation, store, call.signal);
    const { done, changed: total } = job.counts;
    if (left <= 0) throw new VaultgraphError('INDEX_BUILDING', { job_id: job.id, done, total, note: path });
    await waitForJob(indexer, job, left, 'waiting for the vectors of the note', call);
  }
}

/** Includes the reason if the provider refused the note's text. */
async function missing(note: NotePath, { id }: Generation, store: Store, signal: AbortSignal) {
  const [record] = await store.notes([note], signal);
  if (record?.excluded) return new VaultgraphError('INDEX_EMPTY', { capability: 'embedding', note, excluded: true });
  const refused = (await store.failedChunks(id, EVERY_FAILURE, signal)).find(({ path }) => path === note);
  const reason = refused === undefined ? {} : { reason: `its text was refused: ${refused.code}` };
  return new VaultgraphError('INDEX_EMPTY', { capability: 'embedding', note, ...reason });
}
