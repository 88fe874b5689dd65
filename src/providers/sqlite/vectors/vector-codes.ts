// Checks and stores vectors, and packs each into a code: one sign bit per dimension, and its projection on the centroid.
import { VaultgraphError } from '../../../base/errors.ts';
import { dotProduct } from '../../../contracts/fingerprint.ts';

/** A copy of unit length. @throws INTERNAL for a vector of the wrong length, not finite, or zero: the provider checks these first */
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

/** The mean of unit vectors, scaled to unit length; the first vector if they cancel out. */
export function meanDirection(vectors: readonly [Float32Array, ...Float32Array[]]): Float32Array {
  const sums = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (const [at, component] of vector.entries()) sums[at] = (sums[at] ?? 0) + component;
  const sum = Float32Array.from(sums);
  return lengthOf(sum) < 1e-6 ? vectors[0] : unitVector(sum, sum.length);
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copies the bytes, because a Float32Array has to begin at a multiple of four. */
export function vectorFrom(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** Comparing this many floats takes about ten milliseconds. A larger search selects candidates by their codes first. */
export const MAX_COMPARED_FLOATS = 2_400_000;

/** The number of bytes for the signs of one vector: whole 32-bit words, so that a search can read words. */
export function signBytes(dims: number): number {
  return Math.ceil(dims / 32) * 4;
}

/** The mean of the vectors. Vectors of one model share a direction, so only their differences from the centroid have useful signs. */
export function centroidOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const sums = new Float64Array(dims);
  for (const vector of vectors) for (let at = 0; at < dims; at++) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / vectors.length);
}

/** Bit `n` of byte `m` is set if the vector is above the centroid in dimension `8 m + n`. */
export function signsOf(vector: Float32Array, centroid: Float32Array): Uint8Array<ArrayBuffer> {
  const signs = new Uint8Array(signBytes(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (centroid[at] ?? 0)) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}

/** The signs of a unit vector, followed by the byte that `projectionOf` decodes. */
export function codeOf(vector: Float32Array, centroid: Float32Array): Uint8Array {
  const signs = signsOf(vector, centroid);
  const code = new Uint8Array(signs.length + 1);
  code.set(signs);
  code[signs.length] = Math.round((dotProduct(vector, centroid) + 1) * HALF_BYTE);
  return code;
}

const HALF_BYTE = 127.5;

/** The dot product of the vector and the centroid, from the last byte of the code; the error is below 0.005. */
export function projectionOf(byte: number): number {
  return byte / HALF_BYTE - 1;
}
