// The outcome of work as a value, for work that runs beside other work and must not reject unobserved.
import { toVaultgraphError, type VaultgraphError } from './errors.ts';

export type Outcome<T> = { readonly value: T } | { readonly error: VaultgraphError };

/** Never rejects. */
export async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome.status === 'fulfilled' ? { value: outcome.value } : { error: toVaultgraphError(outcome.reason) };
}

/** @throws the error of the outcome */
export function unwrap<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** Never rejects; undefined after a success. */
export async function errorOf(work: Promise<unknown>): Promise<VaultgraphError | undefined> {
  const outcome = await outcomeOf(work);
  return 'error' in outcome ? outcome.error : undefined;
}
