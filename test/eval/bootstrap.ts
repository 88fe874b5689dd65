// Compares two methods on the same queries with a paired bootstrap: how far the mean difference could be chance.
import { createRandom } from '../../src/graph/centrality.ts';
import { average } from './ranking-measures.ts';

export interface Difference {
  readonly mean: number;
  /** 95 of 100 repetitions with other queries of the same kind would give a mean between these. */
  readonly interval: readonly [number, number];
}

const RESAMPLES = 2_000;
const SEED = 1;

/** @param ours by query @param theirs by query, in the same order */
export function pairedDifference(ours: readonly number[], theirs: readonly number[]): Difference {
  const differences = ours.map((value, at) => value - (theirs[at] ?? 0));
  const random = createRandom(SEED);
  const resampled = () => differences.map(() => differences[Math.floor(random() * differences.length)] as number);
  const means = Array.from({ length: RESAMPLES }, () => average(resampled())).sort((one, other) => one - other);
  const at = (share: number): number => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return { mean: average(differences), interval: [at(0.025), at(0.975)] };
}
