// The outcome of work as a value, for work that runs beside other work and must not reject unobserved.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';

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

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_CORRUPT',
  'STORE_UNAVAILABLE',
  'VAULT_UNAVAILABLE',
]);

/** Whether the store or the vault is unavailable: the job is interrupted, not failed, and runs again once it is back. */
export function isUnavailable(error: VaultgraphError | undefined): boolean {
  return error !== undefined && UNAVAILABLE.has(error.code);
}
