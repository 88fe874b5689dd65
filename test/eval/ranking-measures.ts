// Computes how good a ranking is, each measure from 0 to 1.

export interface Measures {
  /** nDCG@10: each relevant note in the first ten counts by its grade and its rank. */
  readonly ndcg10: number;
  /** Recall: the share of the relevant notes among the first twenty. */
  readonly recall20: number;
  /** Reciprocal rank of the first relevant note. */
  readonly mrr: number;
}

/** The relevant notes with their grades: 1 or more. */
export type Grades = ReadonlyMap<string, number>;

const DEPTH = 10;

export function measure(ranking: readonly string[], right: Grades): Measures {
  const first = ranking.findIndex((one) => right.has(one));
  const found = ranking.slice(0, 20).filter((one) => right.has(one)).length;
  return { ndcg10: ndcg(ranking, right), recall20: found / right.size, mrr: first === -1 ? 0 : 1 / (first + 1) };
}

function ndcg(ranking: readonly string[], right: Grades): number {
  const best = [...right.values()].sort((one, other) => other - one);
  return gained(ranking.map((one) => right.get(one) ?? 0)) / gained(best);
}

const gained = (grades: readonly number[]): number =>
  grades.slice(0, DEPTH).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);

export function meanOf(all: readonly Measures[]): Measures {
  const mean = (pick: (one: Measures) => number): number =>
    all.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, all.length);
  return {
    ndcg10: mean(({ ndcg10 }) => ndcg10),
    recall20: mean(({ recall20 }) => recall20),
    mrr: mean(({ mrr }) => mrr),
  };
}
