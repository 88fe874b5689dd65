// Computes how good a ranking is, each measure from 0 to 1.

export interface Measures {
  /** nDCG: each right note among the first five or ten counts by its grade and its rank. */
  readonly ndcg5: number;
  readonly ndcg10: number;
  /** The share of the right notes among the first five. */
  readonly recall5: number;
  /** Reciprocal rank of the first right note. */
  readonly mrr: number;
}

/** The right notes with their grades: 1 or more. */
export type Grades = ReadonlyMap<string, number>;

export function measure(ranking: readonly string[], right: Grades): Measures {
  const first = ranking.findIndex((one) => right.has(one));
  const found = ranking.slice(0, 5).filter((one) => right.has(one)).length;
  return {
    ndcg5: ndcg(ranking, right, 5),
    ndcg10: ndcg(ranking, right, 10),
    recall5: found / right.size,
    mrr: first === -1 ? 0 : 1 / (first + 1),
  };
}

function ndcg(ranking: readonly string[], right: Grades, depth: number): number {
  const best = [...right.values()].sort((one, other) => other - one);
  const gained = (grades: readonly number[]): number =>
    grades.slice(0, depth).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  return gained(ranking.map((one) => right.get(one) ?? 0)) / gained(best);
}

export function meanOf(all: readonly Measures[]): Measures {
  const mean = (pick: (one: Measures) => number): number => average(all.map(pick));
  return {
    ndcg5: mean(({ ndcg5 }) => ndcg5),
    ndcg10: mean(({ ndcg10 }) => ndcg10),
    recall5: mean(({ recall5 }) => recall5),
    mrr: mean(({ mrr }) => mrr),
  };
}

/** 0 of none. */
export const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
