// The failure of vectors that may not be compared, with all that tells the two apart.
import { VaultgraphError } from '../base/errors.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { IndexJob } from './indexer.ts';

/** Longer prefixes and names are cut: `differs` names the difference anyway. */
const MAX_VALUE_LENGTH = 80;
const NAMES: Readonly<Record<string, string>> = { queryPrefix: 'query_prefix', documentPrefix: 'document_prefix' };

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
    differs: differs.map((part) => NAMES[part] ?? part),
    ...(job === undefined ? {} : { job_id: job.id, done: job.counts.done, total: job.counts.changed }),
  });
}

function partsOf({ samples: _, ...parts }: Partial<Fingerprint>): Record<string, string | number | null> {
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [NAMES[part] ?? part, shortened(value)]));
}

function shortened(value: string | number | null): string | number | null {
  if (typeof value !== 'string' || value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…`;
}
