// The best few of many scores, without sorting them all.

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
    best.splice(placeFor(best, score), 0, { node, score });
    if (best.length > limit) best.pop();
  }
  return best;
}

/** Behind every score that is as high: nodes come in ascending order. */
function placeFor(best: readonly ScoredNode[], score: number): number {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((best[middle] as ScoredNode).score >= score) low = middle + 1;
    else high = middle;
  }
  return low;
}
