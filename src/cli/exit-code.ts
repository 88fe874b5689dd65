// What the process says with its exit code. Knows nothing of what a command does.
import type { VaultgraphError } from '../base/errors.ts';

export const EXIT = Object.freeze({ done: 0, failed: 1, part: 2, usage: 64, config: 78 });

/** A config, vault or store that is unusable at start is a matter of configuration; every later fault is a failure. */
export function exitCodeOf(error: VaultgraphError): number {
  return error.category === 'capability' ? EXIT.config : EXIT.failed;
}
