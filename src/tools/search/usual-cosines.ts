// Measures how near a vector usually is to passages of the vault, to compare the nearest ones with that.
import { dotProduct } from '../../contracts/fingerprint.ts';
import type { Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import type { Generation } from '../../contracts/vectors.ts';

export interface UsualCosines {
  readonly mean: number;
  /** The standard deviation. */
  readonly spread: number;
}

/** More notes change which hits come first in hardly any query (test/eval/README.md). */
const SAMPLED_NOTES = 200;
/** Fewer say little. */
const MIN_SAMPLED_NOTES = 20;
/** A sample is taken again when its generation has so many times the notes. */
const GROWTH = 2;

interface Sample {
  readonly vectors: readonly Float32Array[];
  /** The notes of the generation when it was taken, and whether those were all. */
  readonly embedded: number;
  readonly isWhole: boolean;
}

/** By generation. */
type Samples = Map<number, Sample>;

/** Undefined for a generation with too few notes. */
export async function usualCosines(
  vector: Float32Array,
  generation: Generation,
  store: Store,
  { storeCache, signal }: ReadContext,
): Promise<UsualCosines | undefined> {
  const samples = await storeCache.get(keepSamples, store, signal);
  const sample = samples.get(generation.id);
  const { vectors } = isFit(sample, generation) ? sample : await takeSample(generation, samples, store, signal);
  if (vectors.length < MIN_SAMPLED_NOTES) return undefined;
  const length = Math.sqrt(dotProduct(vector, vector));
  const cosines = vectors.map((other) => dotProduct(vector, other) / length);
  const mean = average(cosines);
  return { mean, spread: Math.sqrt(average(cosines.map((cosine) => (cosine - mean) ** 2))) };
}

/** The same map for every state of the index: new vectors change a generation, not the index of the notes. */
const keepSamples = async (_store: Store, _signal: AbortSignal, previous: Samples | undefined): Promise<Samples> =>
  previous ?? new Map();

/** Whether a sample still says what is usual: one of a first part of the notes, or of too few, does not for all of them. */
function isFit(sample: Sample | undefined, { embedded, total }: Generation): sample is Sample {
  if (sample === undefined) return false;
  if (embedded === sample.embedded) return true;
  if (sample.vectors.length < MIN_SAMPLED_NOTES || (!sample.isWhole && embedded >= total)) return false;
  return embedded < GROWTH * sample.embedded && sample.embedded < GROWTH * embedded;
}

async function takeSample(
  { id, embedded, total }: Generation,
  samples: Samples,
  store: Store,
  signal: AbortSignal,
): Promise<Sample> {
  const sample = { vectors: await sampledVectors(id, store, signal), embedded, isWhole: embedded >= total };
  const stored = new Set((await store.generations(signal)).map((generation) => generation.id));
  for (const generationId of samples.keys()) if (!stored.has(generationId)) samples.delete(generationId);
  samples.set(id, sample);
  return sample;
}

/** Spreads passages over the beginnings, middles and ends of notes, without a period: the golden ratio. */
const STEP = 0.618;

/**
 * The vector of one passage of each of the notes that are evenly spread over the paths. Hits are found by passages too: the mean of a
 * long note is less near to any query, so that compared with means every best passage would seem to stand out.
 */
async function sampledVectors(generation: number, store: Store, signal: AbortSignal): Promise<Float32Array[]> {
  const names = await store.names(signal);
  const count = Math.min(SAMPLED_NOTES, names.length);
  const vectors: Float32Array[] = [];
  for (let at = 0; at < count; at++) {
    const note = names[Math.floor((at * names.length) / count)];
    const vector = note && (await store.chunkVector(generation, note.path, (at * STEP) % 1, signal));
    if (vector) vectors.push(vector);
  }
  return vectors;
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
