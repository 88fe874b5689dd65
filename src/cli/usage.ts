// A command that was called wrongly: the program exits with 64 and, with `--json`, prints the error as JSON.
import { VaultgraphError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';

interface Wrong {
  readonly command: string;
  /** What is wrong, in words. */
  readonly rule: string;
  /** What may be written instead. */
  readonly accepted: readonly string[];
  /** What was written, to find the nearest of `accepted`. */
  readonly received?: string;
}

export function usageError({ command, rule, accepted, received }: Wrong): VaultgraphError<'INVALID_INPUT'> {
  const nearest = received === undefined ? {} : didYouMean(received, accepted);
  return new VaultgraphError('INVALID_INPUT', {
    tool: `vaultgraph ${command}`.trim(),
    issues: [{ path: '', rule, ...(received === undefined ? {} : { received }), ...nearest }],
    accepted,
  });
}
