// The outcome of work as a value, for work that goes on beside other work and must not be lost when that fails. Pure.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';

export type Settled<T> = { readonly value: T } | { readonly error: VaultgraphError };

/** Never rejects. */
export async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome.status === 'fulfilled' ? { value: outcome.value } : { error: toVaultgraphError(outcome.reason) };
}

/** @throws the error */
export function resultOf<T>(outcome: Settled<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

export async function errorOf(work: Promise<unknown>): Promise<VaultgraphError | undefined> {
  const outcome = await settled(work);
  return 'error' in outcome ? outcome.error : undefined;
}
