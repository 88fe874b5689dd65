// Packs a vector into one bit a dimension, on which side of the middle it lies, and one byte, how far along it.
import { dotProduct } from '../../../contracts/fingerprint.ts';

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
