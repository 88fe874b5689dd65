// Which values come first for what is typed: the same, then what begins with it, then what holds it. Knows nothing of where they come from.
import { type FoldedValue, foldTyped, type NamedEntry } from './completable-names.ts';

/** As the protocol has it. */
const MOST_VALUES = 100;

export interface Ranked {
  readonly values: readonly string[];
  /** How many there are in all. */
  readonly total: number;
  readonly has_more: boolean;
}

export interface Ranking {
  /** @param candidates in the order in which equals stand */
  of(candidates: readonly { readonly value: string; readonly keys: readonly string[] }[]): Ranked;
  ofFolded(candidates: readonly FoldedValue[]): Ranked;
  /** @param shownAs what stands for a note that was found by one of its names, or by its path */
  ofNotes(entries: readonly NamedEntry[], shownAs: (entry: NamedEntry, name: string | undefined) => string): Ranked;
}

/** Every value is looked at once, so the cost grows with their number and not with what is typed. */
export function createRanking(typed: string): Ranking {
  const wanted = foldTyped(typed.trimStart());
  const ofFolded: Ranking['ofFolded'] = (candidates) => {
    const ranks = createRanks();
    for (const { value, folded } of candidates) ranks.add(bestRank(folded, wanted).rank, () => value);
    return ranks.ranked();
  };
  return {
    ofFolded,
    of: (candidates) => ofFolded(candidates.map(({ value, keys }) => ({ value, folded: keys.map(foldTyped) }))),
    ofNotes(entries, shownAs) {
      const ranks = createRanks();
      for (const entry of entries) {
        const byName = bestRank(entry.foldedNames, wanted);
        const byPath = rankOf(entry.foldedPath, wanted) + BY_PATH;
        if (byName.rank < byPath) ranks.add(byName.rank, () => shownAs(entry, entry.names[byName.at]));
        else ranks.add(byPath, () => shownAs(entry, undefined));
      }
      return ranks.ranked();
    },
  };
}

/** Two apart, so that what is found by its path stands behind what is found by a name as well. */
const [SAME, BEGINS, HOLDS, NOT_AT_ALL] = [0, 2, 4, 6];
const BY_PATH = 1;

function rankOf(folded: string, wanted: string): number {
  const at = folded.indexOf(wanted);
  if (at === 0) return folded.length === wanted.length ? SAME : BEGINS;
  return at > 0 ? HOLDS : NOT_AT_ALL;
}

function bestRank(folded: readonly string[], wanted: string): { readonly rank: number; readonly at: number } {
  let best = { rank: NOT_AT_ALL, at: 0 };
  for (const [at, one] of folded.entries()) {
    const rank = rankOf(one, wanted);
    if (rank < best.rank) best = { rank, at };
  }
  return best;
}

function createRanks() {
  const found: string[][] = Array.from({ length: NOT_AT_ALL }, () => []);
  let total = 0;
  return {
    add(rank: number, value: () => string): void {
      if (rank >= NOT_AT_ALL) return;
      total += 1;
      const equals = found[rank] as string[];
      if (equals.length < MOST_VALUES) equals.push(value());
    },
    ranked(): Ranked {
      const shown = found.flat();
      const different = [...new Set(shown)];
      const values = different.slice(0, MOST_VALUES);
      const all = total - (shown.length - different.length);
      return { values, total: all, has_more: all > values.length };
    },
  };
}
