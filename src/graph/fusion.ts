// Merges several lists of scored items into one, by the sum of their scores.
import { comparePaths } from '../base/path-order.ts';

/** In the order of its ranks. Scores are 0 or more; an item missing in the list has 0. If an id is repeated, its first place counts. */
export type ScoredList = readonly { readonly id: string; readonly score: number }[];

export interface FusedPart {
  /** 1-based. */
  readonly rank: number;
  /** What this list adds to the score. */
  readonly share: number;
}

export interface Fused<Name extends string> {
  readonly id: string;
  /** The sum of all shares; comparable only within one fusion, not a measure of relevance. */
  readonly score: number;
  /** The lists that contain it. */
  readonly parts: Readonly<Partial<Record<Name, FusedPart>>>;
}

/** All ids, by descending score; ties by the best rank in any list, then by id. */
export function fuse<Name extends string>(lists: Readonly<Record<Name, ScoredList>>): Fused<Name>[] {
  const partsOf = new Map<string, Partial<Record<Name, FusedPart>>>();
  for (const [name, scored] of Object.entries(lists) as [Name, ScoredList][]) {
    const distinct = new Map(scored.toReversed().map(({ id, score }) => [id, score]));
    for (const [index, id] of [...new Set(scored.map((one) => one.id))].entries()) {
      const parts: Partial<Record<Name, FusedPart>> = partsOf.get(id) ?? {};
      parts[name] = { rank: index + 1, share: distinct.get(id) ?? 0 };
      partsOf.set(id, parts);
    }
  }
  const fused = [...partsOf].map(([id, parts]) => ({ id, score: scoreOf(parts), parts }));
  return fused.sort(
    (one, other) =>
      other.score - one.score || bestRank(one.parts) - bestRank(other.parts) || comparePaths(one.id, other.id),
  );
}

const partsOf = (parts: object): FusedPart[] => Object.values(parts);

/** Added in ascending order, so that the order of the lists does not change the last digit. */
function scoreOf(parts: object): number {
  const shares = partsOf(parts).map(({ share }) => share);
  return shares.sort((one, other) => one - other).reduce((sum, share) => sum + share, 0);
}

function bestRank(parts: object): number {
  return Math.min(...partsOf(parts).map(({ rank }) => rank));
}
