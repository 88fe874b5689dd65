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
  /** The notes of the generation when it was taken. */
  readonly embedded: number;
}

/** By generation. */
type Samples = ReadonlyMap<number, Sample>;

/** Undefined for a generation with too few notes. */
export async function usualCosines(
  vector: Float32Array,
  generation: Generation,
  store: Store,
  { storeCache, signal }: ReadContext,
): Promise<UsualCosines | undefined> {
  const vectors = (await storeCache.get(readSamples, store, signal)).get(generation.id)?.vectors ?? [];
  if (vectors.length < MIN_SAMPLED_NOTES) return undefined;
  const length = Math.sqrt(dotProduct(vector, vector));
  const cosines = vectors.map((other) => dotProduct(vector, other) / length);
  const mean = average(cosines);
  return { mean, spread: Math.sqrt(average(cosines.map((cosine) => (cosine - mean) ** 2))) };
}

async function readSamples(store: Store, signal: AbortSignal, previous: Samples | undefined): Promise<Samples> {
  const samples = new Map<number, Sample>();
  for (const { id, state, embedded } of await store.generations(signal)) {
    if (state !== 'active') continue;
    const known = previous?.get(id);
    const isFit = known !== undefined && embedded < GROWTH * known.embedded && known.embedded < GROWTH * embedded;
    samples.set(id, isFit ? known : { vectors: await sampledVectors(id, store, signal), embedded });
  }
  return samples;
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
