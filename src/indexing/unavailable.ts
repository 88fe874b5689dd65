// Distinguishes a failure of the store or the vault as a whole from a failure of one job.
import type { VaultgraphError } from '../base/errors.ts';

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
