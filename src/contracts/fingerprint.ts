// The identity of one generation of vectors, and the error if vectors of two cannot be compared.
import { isDeepStrictEqual } from 'node:util';
import { VaultgraphError } from '../base/errors.ts';
import type { EmbeddingIdentity } from './embedding.ts';
import type { IndexJob } from './indexer.ts';

export interface Fingerprint extends EmbeddingIdentity {
  /** Version of the chunking rules and size of the chunks. */
  readonly chunker: string;
  /** Tokens of a character of some scripts, as measured before its first vector; absent until then. */
  readonly rates?: Readonly<Record<string, number>>;
}

/** Samples with at least this cosine come from the same model: servers differ in the last digits only. */
const SAME_MODEL = 0.999;

/**
 * The names of the parts that differ; empty if vectors of both can be compared. An unknown part differs; rates matter only if `other`
 * has them, since a query has none.
 */
export function fingerprintDifferences(one: Fingerprint, other: Fingerprint): string[] {
  const plain = ['provider', 'model', 'dims', 'queryPrefix', 'documentPrefix', 'truncation', 'chunker'] as const;
  const differing: string[] = plain.filter((part) => one[part] !== other[part]);
  if (!isSameDigest(one, other)) differing.push('digest');
  if (other.rates !== undefined && !isDeepStrictEqual(one.rates, other.rates)) differing.push('rates');
  return differing;
}

/**
 * Whether another model answers under the name that the config gives, as after a new pull. The user did not ask for new vectors then.
 * @param differs as returned by `fingerprintDifferences`
 */
export function isChangedUnderItsName(differs: readonly string[]): boolean {
  return differs.includes('digest') && !differs.includes('provider') && !differs.includes('model');
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

/** Longer prefixes and names are cut: `differs` names the difference anyway. */
const MAX_VALUE_LENGTH = 80;
const NAMES: Readonly<Record<string, string>> = { queryPrefix: 'query_prefix', documentPrefix: 'document_prefix' };

/** The names of the parts in the config. @param differs as returned by `fingerprintDifferences` */
export const partNames = (differs: readonly string[]): string[] => differs.map((part) => NAMES[part] ?? part);

/**
 * @param now the parts that are known without asking the provider
 * @param differs as returned by `fingerprintDifferences`
 * @param job the running job that makes matching vectors, if there is one
 */
export function embedderMismatch(
  index: Fingerprint,
  now: Partial<Fingerprint>,
  differs: readonly string[],
  job: IndexJob | undefined,
): VaultgraphError<'EMBEDDER_MISMATCH'> {
  return new VaultgraphError('EMBEDDER_MISMATCH', {
    index: partsOf(index),
    provider: partsOf(now),
    differs: partNames(differs),
    ...(job === undefined ? {} : { job_id: job.id, done: job.counts.done, total: job.counts.changed }),
  });
}

function partsOf({
  samples: _samples,
  rates: _rates,
  ...parts
}: Partial<Fingerprint>): Record<string, string | number | null> {
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [NAMES[part] ?? part, shortened(value)]));
}

function shortened(value: string | number | null): string | number | null {
  if (typeof value !== 'string' || value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`;
}
