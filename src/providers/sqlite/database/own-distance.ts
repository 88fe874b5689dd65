// The distance of two stored vectors, for a driver without the extension that computes it.

/** The name of the function in SQL, as sqlite-vec has it. */
export const DISTANCE = 'vec_distance_cosine';

/** 1 minus the cosine; null unless both are vectors of the same length. */
export function distanceCosine(one: unknown, other: unknown): number | null {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array) || one.length !== other.length) return null;
  const [left, right] = [floatsIn(one), floatsIn(other)];
  let dot = 0;
  let ofLeft = 0;
  let ofRight = 0;
  for (let at = 0; at < left.length; at++) {
    const x = left[at] as number;
    const y = right[at] as number;
    dot += x * y;
    ofLeft += x * x;
    ofRight += y * y;
  }
  // As precise as the vectors: those of one direction are equally near.
  return 1 - Math.fround(dot / Math.sqrt(ofLeft * ofRight));
}

/** Copies them only if they do not begin at a multiple of four bytes. */
function floatsIn(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, byteLength >> 2);
}
