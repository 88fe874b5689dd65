// Merges several rankings of the same items by reciprocal-rank fusion.
import { comparePaths } from '../base/path-order.ts';

export interface RankedList {
  /** How much the list counts relative to the others; 0 or more. */
  readonly weight: number;
  /** Ids, best first. If an id is repeated, its first rank counts. */
  readonly ranked: readonly string[];
}

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

/**
 * A small constant makes the first ranks stand out. If both lists are equally good it hardly matters; if one is
 * better, a large constant ranks what is mediocre in both above what one list is sure of. Measured:
 * test/eval/README.md.
 */
export const RRF_K = 1;

/** All ids, by descending score; ties by the best rank in any list, then by id. */
export function fuse<Name extends string>(lists: Readonly<Record<Name, RankedList>>): Fused<Name>[] {
  const found = new Map<string, Partial<Record<Name, FusedPart>>>();
  for (const [name, { weight, ranked }] of Object.entries(lists) as [Name, RankedList][]) {
    for (const [index, id] of [...new Set(ranked)].entries()) {
      const parts: Partial<Record<Name, FusedPart>> = found.get(id) ?? {};
      parts[name] = { rank: index + 1, share: weight / (RRF_K + index + 1) };
      found.set(id, parts);
    }
  }
  const fused = [...found].map(([id, parts]) => ({ id, score: scoreOf(parts), parts }));
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
