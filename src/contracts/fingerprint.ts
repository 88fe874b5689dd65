// The identity of one generation of vectors, and the error if vectors of two cannot be compared.
import type { EmbeddingIdentity } from './embedding.ts';

export interface Fingerprint extends EmbeddingIdentity {
  /** Version of the chunking rules and size of the chunks. */
  readonly chunker: string;
}

/** Samples with at least this cosine come from the same model: servers differ in the last digits only. */
const SAME_MODEL = 0.999;

/** The names of the parts that differ; empty if vectors of both can be compared. An unknown part differs. */
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

/** The cosine of two vectors of unit length; NaN if their dimensions differ. */
export function dotProduct(one: Float32Array, other: Float32Array | undefined): number {
  if (other === undefined || one.length !== other.length) return Number.NaN;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
