// Vectors as a model makes them of a vault, the same for the same seed: notes about the same thing lie side by side, and all share a direction.
import { createSeededRandom, type Random } from './random.ts';

export interface VectorCollection {
  readonly notes: number;
  /** Vectors of the chunks of the next note, and the note's cluster. */
  nextNote(): { readonly chunks: readonly Float32Array[]; readonly cluster: number };
  /** Of what somebody asks, near some cluster. */
  question(): Float32Array;
}

export const CHUNKS_PER_NOTE = 4;

/** Large ones, in which many are about equally near: what codes find hardest. */
const NOTES_PER_CLUSTER = 64;
/** Chunks that are about something else than the rest of their note. */
const STRAYING = 0.2;

/** Ways in which texts can differ, far fewer than there are dimensions. */
const THEMES = 96;
/** Mixtures of them, made once: each vector adds up some. */
const MIXTURES = 3_000;
const MIXTURES_ADDED = 6;

/** How long the parts of a vector are, the centre of its cluster being 1. */
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
  /** Somewhere around the centre; how far differs. */
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

/** The same direction, so long. */
function scaled(vector: Float32Array, length: number): Float32Array {
  let squares = 0;
  for (const component of vector) squares += component * component;
  const times = length / Math.sqrt(squares);
  return vector.map((component) => component * times);
}
