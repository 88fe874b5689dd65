// The exit codes of the program.
import type { Category, VaultgraphError } from '../base/errors.ts';

export const EXIT = Object.freeze({ done: 0, failed: 1, part: 2, usage: 64, config: 78 });

/** Categories that a retry cannot fix: the user has to act. */
const UNUSABLE: readonly Category[] = ['capability', 'vault', 'store'];

export function exitCodeOf(error: VaultgraphError): number {
  const isUnusable = UNUSABLE.includes(error.category) && error.code !== 'STORE_BUSY';
  return isUnusable || error.code === 'VAULT_NOT_FOUND' ? EXIT.config : EXIT.failed;
}
