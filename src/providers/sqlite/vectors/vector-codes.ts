// The one check that a vector passes before it comes near SQL, and the bytes it lies there as.
import { VaultgraphError } from '../../../base/errors.ts';
import { dotProduct } from '../../../contracts/fingerprint.ts';

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

/** So many floats are compared one by one in some ten milliseconds. Beyond them codes propose and floats decide. */
export const FEW_FLOATS = 2_400_000;

/** The bytes that the signs of one vector take: whole words, so that a scan reads them as such. */
export function signBytes(dims: number): number {
  return Math.ceil(dims / 32) * 4;
}

/** Vectors of one model share a direction; only what is left of them without it tells them apart by their signs. */
export function middleOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const sums = new Float64Array(dims);
  for (const vector of vectors) for (let at = 0; at < dims; at++) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / vectors.length);
}

/** Bit `n` of byte `m` is that of dimension `8 m + n`. */
export function signsOf(vector: Float32Array, middle: Float32Array): Uint8Array<ArrayBuffer> {
  const signs = new Uint8Array(signBytes(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (middle[at] ?? 0)) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}

/** The signs of a vector of unit length, and behind them what `alongIn` reads. */
export function codeOf(vector: Float32Array, middle: Float32Array): Uint8Array {
  const signs = signsOf(vector, middle);
  const code = new Uint8Array(signs.length + 1);
  code.set(signs);
  code[signs.length] = Math.round((dotProduct(vector, middle) + 1) * HALF_BYTE);
  return code;
}

const HALF_BYTE = 127.5;

/** The product of the vector and the middle, from the last byte of its code; off by less than 0.005. */
export function alongIn(byte: number): number {
  return byte / HALF_BYTE - 1;
}
