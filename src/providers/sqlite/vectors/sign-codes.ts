// Packs a vector into one bit a dimension: on which side of the middle it lies. Knows no table.

/** So many floats are compared one by one in some ten milliseconds. Beyond them codes propose and floats decide. */
export const FEW_FLOATS = 2_400_000;

/** The bytes of one code: whole words, so that a scan reads them as such. */
export function codeBytes(dims: number): number {
  return Math.ceil(dims / 32) * 4;
}

/** Vectors of one model share a direction; only what is left of them without it tells them apart by their signs. */
export function middleOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const sums = new Float64Array(dims);
  for (const vector of vectors) for (let at = 0; at < dims; at++) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / vectors.length);
}

/** Bit `n` of byte `m` is that of dimension `8 m + n`. */
export function codeOf(vector: Float32Array, middle: Float32Array): Uint8Array {
  const code = new Uint8Array(codeBytes(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (middle[at] ?? 0)) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return code;
}
