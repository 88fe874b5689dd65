// A command that was called wrongly: the program exits with 64 and, with `--json`, prints the error as JSON.

import { InvalidArgumentError } from 'commander';
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
  /** What was meant, if that is not the nearest. */
  readonly meant?: string | undefined;
}

export function usageError({ command, rule, accepted, received, meant }: Wrong): VaultgraphError<'INVALID_INPUT'> {
  const near = received === undefined ? {} : didYouMean(received, accepted);
  const nearest = meant === undefined ? near : { did_you_mean: meant };
  return new VaultgraphError('INVALID_INPUT', {
    tool: `vaultgraph ${command}`.trim(),
    issues: [{ path: '', rule, ...(received === undefined ? {} : { received }), ...nearest }],
    accepted,
  });
}

/** The most hits that one search returns. */
export const MAX_HITS = 100;

/** Reads the value of `--limit`. @throws InvalidArgumentError, which commander reports */
export function hitNumber(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_HITS) return number;
  throw new InvalidArgumentError(`Use a number from 1 to ${MAX_HITS}.`);
}
