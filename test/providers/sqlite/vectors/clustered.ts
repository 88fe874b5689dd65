// Generates vectors like those of a model: in clusters around a common direction, reproducible by seed.
import { createSeededRandom, type Random } from '../../../bench/random.ts';

export interface Clustered {
  /** The next one, of any cluster. */
  next(): Float32Array;
}

export function clusteredVectors(dims: number, clusters: number, seed: number): Clustered {
  const random = createSeededRandom(seed);
  const shared = direction(random, dims, 2);
  const centres = Array.from({ length: clusters }, () => direction(random, dims, 1));
  return {
    next: () => {
      const centre = centres[random.below(clusters)] ?? shared;
      return direction(random, dims, 0.4 + random.next()).map(
        (noise, at) => noise + (centre[at] ?? 0) + (shared[at] ?? 0),
      );
    },
  };
}

/** Of about that length. */
function direction(random: Random, dims: number, length: number): Float32Array {
  const scale = (length * Math.sqrt(12)) / Math.sqrt(dims);
  return Float32Array.from({ length: dims }, () => (random.next() - 0.5) * scale);
}
