// Computes the similarity of texts by their terms: TF-IDF and cosine.

/** How often each term occurs in a text. */
export type TermCounts = ReadonlyMap<string, number>;

/**
 * A text as parts of about equal length. Each part counts the same, however often it repeats a term: what all parts
 * mention is the topic.
 */
export type TextParts = readonly TermCounts[];

export interface Collection {
  readonly size: number;
  /** The number of texts that contain each term of the reference text. */
  readonly docFrequency: TermCounts;
}

export interface Similarity {
  /** From 0 to 1. */
  readonly cosine: number;
  /** The terms that both contain, by descending share of the cosine. */
  readonly shared: readonly (readonly [term: string, share: number])[];
}

/** Rare terms count more than by the logarithm alone. */
const IDF_POWER = 1.25;

/** The inverse document frequency of a term; never zero, so that a few similar texts can still be compared. */
export function idf(size: number, docFrequency: number): number {
  return Math.log((size + 1) / Math.max(1, Math.min(size, docFrequency))) ** IDF_POWER;
}

const weight = (count: number, idfOfTerm: number): number => (count === 1 ? 1 : 1 + Math.log(count)) * idfOfTerm;

/**
 * The similarity of each text to the reference. A term that the reference lacks only lengthens the vector of the
 * other text; its frequency is taken from the compared texts, which saves looking up every word and ranks as well.
 */
export function similarities(reference: TextParts, others: readonly TextParts[], collection: Collection): Similarity[] {
  const idfs = idfsOf(reference, others, collection);
  const middle = centroid(reference, idfs);
  return others.map((other) => similarity(middle, centroid(other, idfs)));
}

function idfsOf(reference: TextParts, others: readonly TextParts[], { size, docFrequency }: Collection): TermCounts {
  const among = new Map<string, number>();
  for (const other of others) for (const term of termsIn(other)) among.set(term, (among.get(term) ?? 0) + 1);
  for (const term of termsIn(reference)) among.set(term, Math.max(docFrequency.get(term) ?? 0, among.get(term) ?? 0));
  for (const [term, count] of among) among.set(term, idf(size, count));
  return among;
}

function termsIn(parts: TextParts): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const part of parts) for (const term of part.keys()) terms.add(term);
  return terms;
}

/** The normalized mean of the parts' unit vectors; empty if no part has a term. */
function centroid(parts: TextParts, idfs: TermCounts): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const part of parts) addUnit(sum, part, (term, count) => weight(count, idfs.get(term) ?? 0));
  const middle = new Map<string, number>();
  addUnit(middle, sum, (_, value) => value);
  return middle;
}

function addUnit(
  sum: Map<string, number>,
  vector: TermCounts,
  weightOf: (term: string, value: number) => number,
): void {
  let squares = 0;
  for (const [term, value] of vector) squares += weightOf(term, value) ** 2;
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (const [term, value] of vector) sum.set(term, (sum.get(term) ?? 0) + weightOf(term, value) * scale);
}

function similarity(reference: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): Similarity {
  const shared: [string, number][] = [];
  for (const [term, value] of other) {
    const both = value * (reference.get(term) ?? 0);
    if (both > 0) shared.push([term, both]);
  }
  shared.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  return { cosine: shared.reduce((sum, [, share]) => sum + share, 0), shared };
}

/** The most distinctive terms of a text, best first. */
export function topTerms(counts: TermCounts, { size, docFrequency }: Collection, limit: number): string[] {
  const weighed = [...counts].map(
    ([term, count]) => [term, weight(count, idf(size, docFrequency.get(term) ?? 1))] as const,
  );
  weighed.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  return weighed.slice(0, limit).map(([term]) => term);
}
