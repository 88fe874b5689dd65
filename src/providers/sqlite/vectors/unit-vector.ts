// The one check that a vector passes before it comes near SQL, and the bytes it lies there as.
import { VaultgraphError } from '../../../base/errors.ts';

/** A copy of unit length. @throws INTERNAL for one that is not `dims` long, not finite, or zero: whoever made it should have refused it */
export function unitVector(vector: Float32Array, dims: number): Float32Array {
  if (vector.length !== dims) throw new VaultgraphError('INTERNAL', { kind: 'vector_length' });
  const length = lengthOf(vector);
  if (!Number.isFinite(length)) throw new VaultgraphError('INTERNAL', { kind: 'vector_not_finite' });
  if (length === 0) throw new VaultgraphError('INTERNAL', { kind: 'vector_zero' });
  return vector.map((component) => component / length);
}

function lengthOf(vector: Float32Array): number {
  let sum = 0;
  for (const component of vector) sum += component * component;
  return Math.sqrt(sum);
}

/** The mean of unit vectors, of unit length itself; the first of them where they cancel out. */
export function meanDirection(vectors: readonly [Float32Array, ...Float32Array[]]): Float32Array {
  const sums = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (const [at, component] of vector.entries()) sums[at] = (sums[at] ?? 0) + component;
  const sum = Float32Array.from(sums);
  return lengthOf(sum) < 1e-6 ? vectors[0] : unitVector(sum, sum.length);
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied, because a view needs its bytes to begin at a multiple of four. */
export function vectorIn(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
