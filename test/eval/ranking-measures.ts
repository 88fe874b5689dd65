// How good a ranking is against what is right: each from 0 to 1. Knows nothing of what is ranked.

export interface Measures {
  /** Of the ten first, each right one counts by how far up it stands. */
  readonly ndcg10: number;
  /** The share of what is right among the twenty first. */
  readonly recall20: number;
  /** One through the place of the first right one. */
  readonly mrr: number;
}

export function measure(ranking: readonly string[], right: ReadonlySet<string>): Measures {
  const first = ranking.findIndex((one) => right.has(one));
  const found = ranking.slice(0, 20).filter((one) => right.has(one)).length;
  return { ndcg10: ndcg(ranking, right, 10), recall20: found / right.size, mrr: first === -1 ? 0 : 1 / (first + 1) };
}

function ndcg(ranking: readonly string[], right: ReadonlySet<string>, depth: number): number {
  const gain = (at: number): number => 1 / Math.log2(at + 2);
  const ideal = Array.from({ length: Math.min(depth, right.size) }, (_, at) => gain(at));
  const gained = ranking.slice(0, depth).map((one, at) => (right.has(one) ? gain(at) : 0));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return sum(gained) / sum(ideal);
}

export function meanOf(all: readonly Measures[]): Measures {
  const mean = (pick: (one: Measures) => number): number =>
    all.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, all.length);
  return {
    ndcg10: mean(({ ndcg10 }) => ndcg10),
    recall20: mean(({ recall20 }) => recall20),
    mrr: mean(({ mrr }) => mrr),
  };
}
