// Selects the highest of many scores without sorting all of them.
import { partitionPoint } from '../base/binary-search.ts';

export interface ScoredNode {
  readonly node: number;
  readonly score: number;
}

/** The `limit` highest scores, best first; equal scores ascend by node. */
export function highestScores(scores: ArrayLike<number>, limit: number): ScoredNode[] {
  const best: ScoredNode[] = [];
  for (let node = 0; node < scores.length; node++) {
    const score = scores[node] as number;
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || score <= last.score)) continue;
    const place = partitionPoint(best.length, (index) => (best[index] as ScoredNode).score >= score);
    best.splice(place, 0, { node, score });
    if (best.length > limit) best.pop();
  }
  return best;
}
