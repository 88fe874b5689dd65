// The exit codes of the program.
import type { Category, VaultgraphError } from '../base/errors.ts';

export const EXIT = Object.freeze({ done: 0, failed: 1, part: 2, usage: 64, config: 78, interrupted: 130 });

/** Categories that a retry cannot fix: the user has to act. */
const UNUSABLE: readonly Category[] = ['capability', 'vault', 'store'];

export function exitCodeOf(error: VaultgraphError): number {
  // Tools report theirs in an answer; one that is thrown is about the command line.
  if (error.code === 'INVALID_INPUT') return EXIT.usage;
  if (error.code === 'CANCELLED') return EXIT.interrupted;
  const isUnusable = UNUSABLE.includes(error.category) && error.code !== 'STORE_BUSY';
  return isUnusable || error.code === 'VAULT_NOT_FOUND' ? EXIT.config : EXIT.failed;
}
