// The identity of one generation of vectors, and when two of them may meet.
import type { EmbeddingIdentity } from './embedding.ts';

export interface Fingerprint extends EmbeddingIdentity {
  /** Version and size of the rules by which notes are cut into chunks. */
  readonly chunker: string;
}

/** Cosine from which on the vectors of a sample are by the same model: servers differ in the last digits only. */
const SAME_MODEL = 0.999;

/** The names of the parts in which the two differ, empty when vectors of both may be compared. What is unknown differs. */
export function fingerprintDifferences(one: Fingerprint, other: Fingerprint): string[] {
  const plain = ['provider', 'model', 'dims', 'queryPrefix', 'documentPrefix', 'truncation', 'chunker'] as const;
  const differing: string[] = plain.filter((part) => one[part] !== other[part]);
  if (!isSameDigest(one, other)) differing.push('digest');
  return differing;
}

function isSameDigest(one: Fingerprint, other: Fingerprint): boolean {
  if (one.digest !== null || other.digest !== null) return one.digest === other.digest;
  if (one.samples.length === 0 || one.samples.length !== other.samples.length) return false;
  return one.samples.every((sample, at) => dotProduct(sample, other.samples[at]) >= SAME_MODEL);
}

/** Of vectors of unit length it is their cosine; NaN, and so never alike, where their lengths differ. */
export function dotProduct(one: Float32Array, other: Float32Array | undefined): number {
  if (other === undefined || one.length !== other.length) return Number.NaN;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
