// Computes the similarity of texts by their terms: TF-IDF and cosine.

/** How often each term occurs in a text. */
export type TermCounts = ReadonlyMap<string, number>;

/**
 * A text as parts of about equal length. Each part counts the same, however often it repeats a term: what all parts
 * mention is the topic. Terms are numbers from 0 on; `ends` are the places in both columns after each part.
 */
export interface TermParts {
  readonly terms: Int32Array;
  readonly counts: Int32Array;
  readonly ends: readonly number[];
}

export interface Collection {
  readonly size: number;
  /** The number of texts that contain each term of the reference text. */
  readonly docFrequency: TermCounts;
}

/** The terms of all compared texts. */
export interface NumberedTerms {
  /** By number. */
  readonly texts: readonly string[];
}

export interface Similarity {
  /** From 0 to 1. */
  readonly cosine: number;
  /** The terms that both contain, by descending share of the cosine. */
  shared(): readonly (readonly [term: string, share: number])[];
}

/** Rare terms count more than by the logarithm alone. */
const IDF_POWER = 1.25;

/** The inverse document frequency of a term; never zero, so that a few similar texts can still be compared. */
export function idf(size: number, docFrequency: number): number {
  return Math.log((size + 1) / Math.max(1, Math.min(size, docFrequency))) ** IDF_POWER;
}

const weight = (count: number, idfOfTerm: number): number => (count === 1 ? 1 : 1 + Math.log(count)) * idfOfTerm;

/** The weight of each of some terms. */
interface TermVector {
  readonly terms: Int32Array;
  readonly values: Float64Array;
}

/** Arrays that each comparison uses again: new ones for a hundred texts would be a quarter of the time. */
interface Scratch extends TermVector {
  /** By term; zeros between comparisons. */
  readonly sums: Float64Array;
}

/**
 * The returned function gives the similarity of one of the others to the reference. A term that the reference lacks only lengthens the vector of the
 * other text; its frequency is taken from the compared texts, which saves looking up every word and ranks as well.
 */
export function similarityTo(
  reference: TermParts,
  others: readonly TermParts[],
  { texts }: NumberedTerms,
  collection: Collection,
): (other: TermParts) => Similarity {
  const idfs = idfsOf(reference, others, texts, collection);
  const longest = others.reduce((most, { terms }) => Math.max(most, terms.length), reference.terms.length);
  const scratch: Scratch = {
    sums: new Float64Array(texts.length),
    terms: new Int32Array(longest),
    values: new Float64Array(longest),
  };
  const middle = new Float64Array(texts.length);
  const { terms, values } = centroid(reference, idfs, scratch);
  for (const [at, term] of terms.entries()) middle[term] = values[at] as number;
  return (other) => ({
    cosine: cosineTo(middle, centroid(other, idfs, scratch)),
    shared: () => sharedTerms(middle, centroid(other, idfs, scratch), texts),
  });
}

function idfsOf(
  reference: TermParts,
  others: readonly TermParts[],
  texts: readonly string[],
  { size, docFrequency }: Collection,
): Float64Array {
  const among = new Int32Array(texts.length);
  const seenIn = new Int32Array(texts.length).fill(-1);
  for (const [text, { terms }] of others.entries()) {
    for (const term of terms) {
      if (seenIn[term] === text) continue;
      seenIn[term] = text;
      among[term] = (among[term] as number) + 1;
    }
  }
  for (const term of reference.terms)
    among[term] = Math.max(docFrequency.get(texts[term] as string) ?? 0, among[term] as number);
  const byCount: number[] = [];
  const idfs = new Float64Array(among.length);
  for (let term = 0; term < among.length; term++) {
    const count = among[term] as number;
    byCount[count] ??= idf(size, count);
    idfs[term] = byCount[count];
  }
  return idfs;
}

/** The normalized mean of the parts' unit vectors, in the scratch arrays; empty if no part has a term. */
function centroid(parts: TermParts, idfs: Float64Array, scratch: Scratch): TermVector {
  const { sums } = scratch;
  const count = addParts(parts, idfs, scratch);
  const terms = scratch.terms.subarray(0, count);
  const values = scratch.values.subarray(0, count);
  let squares = 0;
  for (let at = 0; at < count; at++) {
    const sum = sums[terms[at] as number] as number;
    sums[terms[at] as number] = 0;
    values[at] = sum;
    squares += sum * sum;
  }
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < count; at++) values[at] = (values[at] as number) * scale;
  return { terms, values };
}

/** Adds the unit vectors of the parts to `sums`. @returns the number of terms, which are listed once each */
function addParts({ terms, counts, ends }: TermParts, idfs: Float64Array, scratch: Scratch): number {
  const { sums, terms: held, values: weights } = scratch;
  let count = 0;
  let from = 0;
  for (const end of ends) {
    let squares = 0;
    for (let at = from; at < end; at++) {
      const value = weight(counts[at] as number, idfs[terms[at] as number] as number);
      weights[at] = value;
      squares += value * value;
    }
    const scale = 1 / Math.sqrt(squares);
    for (let at = from; at < end; at++) {
      const term = terms[at] as number;
      const sum = sums[term] as number;
      if (sum === 0) held[count++] = term;
      sums[term] = sum + (weights[at] as number) * scale;
    }
    from = end;
  }
  return count;
}

/** The shares are added from the highest on, so that their order among the terms does not count. They take the place of the values. */
function cosineTo(middle: Float64Array, { terms, values }: TermVector): number {
  let count = 0;
  for (let at = 0; at < terms.length; at++) {
    const share = (values[at] as number) * (middle[terms[at] as number] as number);
    if (share > 0) values[count++] = share;
  }
  return values
    .subarray(0, count)
    .sort()
    .reduceRight((sum, share) => sum + share, 0);
}

/** By descending share of the cosine. */
function sharedTerms(middle: Float64Array, { terms, values }: TermVector, texts: readonly string[]) {
  const shared: (readonly [term: string, share: number])[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number;
    const share = (values[at] as number) * (middle[term] as number);
    if (share > 0) shared.push([texts[term] as string, share]);
  }
  return shared.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
}

/** The most distinctive terms of a text, best first. */
export function topTerms(counts: TermCounts, { size, docFrequency }: Collection, limit: number): string[] {
  const weighed = [...counts].map(
    ([term, count]) => [term, weight(count, idf(size, docFrequency.get(term) ?? 1))] as const,
  );
  weighed.sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  return weighed.slice(0, limit).map(([term]) => term);
}
