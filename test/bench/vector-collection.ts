// Generates vectors like those of an embedding model for a vault: clusters by topic, with a common direction. Deterministic for a seed.
import { createSeededRandom, type Random } from './random.ts';

export interface VectorCollection {
  readonly notes: number;
  /** The vectors of the next note's chunks, and the note's cluster. */
  nextNote(): { readonly chunks: readonly Float32Array[]; readonly cluster: number };
  /** A query vector near some cluster. */
  question(): Float32Array;
}

export const CHUNKS_PER_NOTE = 4;

/** Large clusters, with many vectors at about the same distance: the hardest case for binary codes. */
const NOTES_PER_CLUSTER = 64;
/** The share of chunks that are about another topic than the rest of their note. */
const STRAYING = 0.2;

/** The dimensions in which texts can differ, far fewer than the vectors have. */
const THEMES = 96;
/** Mixtures of them, made once: each vector is the sum of some. */
const MIXTURES = 3_000;
const MIXTURES_ADDED = 6;

/** The lengths of a vector's parts, relative to its cluster's centre with length 1. */
const SHARED = 2;
const ABOUT = 1;
const NOISE = 1;

export function createVectorCollection(chunks: number, dims: number): VectorCollection {
  const random = createSeededRandom(chunks + dims);
  const notes = Math.ceil(chunks / CHUNKS_PER_NOTE);
  const shared = scaled(noise(random, dims), SHARED);
  const themes = Array.from({ length: THEMES }, (_, at) => scaled(noise(random, dims), 1 / Math.sqrt(1 + at / 10)));
  const mixtures = Array.from({ length: MIXTURES }, () => mixture(random, themes));
  const centres = Array.from({ length: Math.ceil(notes / NOTES_PER_CLUSTER) }, () => mixture(random, themes));
  /** A vector around the centre, at a varying distance. */
  const around = (cluster: number): Float32Array => {
    const centre = centres[cluster] ?? shared;
    const far = 0.5 + random.next();
    const vector = scaled(noise(random, dims), far * NOISE);
    for (let added = 0; added < MIXTURES_ADDED; added++) {
      const share = ((random.chance(0.5) ? far : -far) * ABOUT) / Math.sqrt(MIXTURES_ADDED);
      addTo(vector, mixtures[random.below(MIXTURES)] ?? shared, share);
    }
    addTo(vector, centre, 1);
    addTo(vector, shared, 1);
    return scaled(vector, 1);
  };
  let made = 0;
  return {
    notes,
    nextNote: () => {
      const cluster = Math.floor(made++ / NOTES_PER_CLUSTER);
      const stray = () => (random.chance(STRAYING) ? random.below(centres.length) : cluster);
      return { chunks: Array.from({ length: CHUNKS_PER_NOTE }, () => around(stray())), cluster };
    },
    question: () => around(random.below(centres.length)),
  };
}

function noise(random: Random, dims: number): Float32Array {
  return Float32Array.from({ length: dims }, () => random.next() + random.next() + random.next() - 1.5);
}

function mixture(random: Random, themes: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(themes[0]?.length ?? 0);
  for (const theme of themes) addTo(sum, theme, random.next() + random.next() + random.next() - 1.5);
  return scaled(sum, 1);
}

function addTo(sum: Float32Array, vector: Float32Array, times: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + times * (vector[at] as number);
}

/** The same direction with the given length. */
function scaled(vector: Float32Array, length: number): Float32Array {
  let squares = 0;
  for (const component of vector) squares += component * component;
  const times = length / Math.sqrt(squares);
  return vector.map((component) => component * times);
}
