// Which failures leave a job to be begun again: what it works on is away, and is as it was when it comes back.
import type { VaultgraphError } from '../base/errors.ts';

const AWAY: ReadonlySet<string> = new Set([
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_CORRUPT',
  'STORE_UNAVAILABLE',
  'VAULT_UNAVAILABLE',
]);

export function isAway(error: VaultgraphError | undefined): boolean {
  return error !== undefined && AWAY.has(error.code);
}
