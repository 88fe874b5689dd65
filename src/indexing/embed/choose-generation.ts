// Which generation of vectors a job is to fill: the active one, or another beside it that will replace it. Knows no provider.
import { embedderMismatch } from '../../contracts/embedder-mismatch.ts';
import { type Fingerprint, fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { Store } from '../../contracts/store.ts';
import type { Generation, GenerationRole } from '../../contracts/vectors.ts';

/**
 * One that was begun with the same fingerprint and never completed is taken up again.
 * @param mayReplace whether the active one may be replaced by vectors of another kind
 * @throws EMBEDDER_MISMATCH; the store's errors
 */
export async function chooseGeneration(
  role: GenerationRole,
  fingerprint: Fingerprint,
  mayReplace: boolean,
  store: Store,
  signal: AbortSignal,
): Promise<Generation> {
  const generations = await store.generations(signal);
  const active = generations.find((generation) => generation.role === role && generation.state === 'active');
  if (active === undefined) return store.openGeneration(role, fingerprint, signal);
  const differs = fingerprintDifferences(active.fingerprint, fingerprint);
  if (differs.length === 0) return active;
  if (!mayReplace) throw embedderMismatch(active.fingerprint, fingerprint, differs, undefined);
  return store.openGeneration(role, fingerprint, signal);
}
