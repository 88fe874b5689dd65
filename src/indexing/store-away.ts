// Which failures of the store leave a job to be begun again: what is on disk is as it was, and somebody may make room. Knows no job.
import type { VaultgraphError } from '../base/errors.ts';

const AWAY: ReadonlySet<string> = new Set(['STORE_FULL', 'STORE_READONLY', 'STORE_CORRUPT', 'STORE_UNAVAILABLE']);

export function isStoreAway(error: VaultgraphError | undefined): boolean {
  return error !== undefined && AWAY.has(error.code);
}
