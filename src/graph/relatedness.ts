// How much texts have in common by their terms: TF-IDF and the cosine. Knows nothing of what a term is.

/** How often each term stands in a text. */
export type TermCounts = ReadonlyMap<string, number>;

export interface Collection {
  readonly size: number;
  /** In how many texts each term of the asked one stands. */
  readonly holding: TermCounts;
}

export interface Likeness {
  /** From 0 to 1. */
  readonly cosine: number;
  /** The terms that both hold, the one that makes most of the cosine first, each with its share of it. */
  readonly shared: readonly (readonly [term: string, share: number])[];
}

/** How telling it is that a text holds a term; never zero, so that in a few texts alike something is left to compare. */
export function rarity(size: number, holding: number): number {
  return Math.log((size + 1) / Math.max(1, Math.min(size, holding)));
}

const weight = (count: number, rare: number): number => (1 + Math.log(count)) * rare;

/**
 * The likeness of each text to the asked one. A term that the asked one lacks only makes another text longer; how rare it is
 * is taken from the texts compared, which saves asking for every word of all of them and ranks as well.
 */
export function likenesses(asked: TermCounts, others: readonly TermCounts[], collection: Collection): Likeness[] {
  const rarities = raritiesOf(asked, others, collection);
  const weights = new Map([...asked].map(([term, count]) => [term, weight(count, rarities.get(term) ?? 0)]));
  const length = Math.sqrt([...weights.values()].reduce((sum, value) => sum + value * value, 0));
  return others.map((other) => likeness(weights, length, other, rarities));
}

function raritiesOf(asked: TermCounts, others: readonly TermCounts[], { size, holding }: Collection): TermCounts {
  const among = new Map<string, number>();
  for (const other of others) for (const term of other.keys()) among.set(term, (among.get(term) ?? 0) + 1);
  for (const term of asked.keys()) among.set(term, Math.max(holding.get(term) ?? 0, among.get(term) ?? 0));
  for (const [term, count] of among) among.set(term, rarity(size, count));
  return among;
}

function likeness(
  asked: ReadonlyMap<string, number>,
  askedLength: number,
  other: TermCounts,
  rarities: TermCounts,
): Likeness {
  let squares = 0;
  let product = 0;
  const shared: [string, number][] = [];
  for (const [term, count] of other) {
    const value = weight(count, rarities.get(term) ?? 0);
    squares += value * value;
    const both = value * (asked.get(term) ?? 0);
    if (both === 0) continue;
    product += both;
    shared.push([term, both]);
  }
  const scale = askedLength * Math.sqrt(squares);
  if (scale === 0) return { cosine: 0, shared: [] };
  shared.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  return { cosine: product / scale, shared: shared.map(([term, both]) => [term, both / scale]) };
}

/** The terms that tell most of a text, best first. */
export function tellingTerms(counts: TermCounts, { size, holding }: Collection, most: number): string[] {
  const weighed = [...counts].map(
    ([term, count]) => [term, weight(count, rarity(size, holding.get(term) ?? 1))] as const,
  );
  weighed.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  return weighed.slice(0, most).map(([term]) => term);
}
