// Ranks texts with plain BM25, as the baseline for word-based ranking.
import { formsOf, termsOf } from '../../src/markdown/excerpt/terms.ts';

const K1 = 1.2;
const B = 0.75;

export interface Bm25 {
  /** Ids that share a term with the text, best first; each distinct term of the text counts once. */
  readonly toText: (text: string) => string[];
  /** The same for one of the indexed texts, without itself. */
  readonly toNote: (id: string) => string[];
}

export function createBm25(texts: ReadonlyMap<string, string>): Bm25 {
  const counts = new Map([...texts].map(([id, text]) => [id, termsOf(formsOf(text))]));
  const lengths = new Map([...counts].map(([id, terms]) => [id, [...terms.values()].reduce((sum, n) => sum + n, 0)]));
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / texts.size;
  const postings = new Map<string, [string, number][]>();
  for (const [id, terms] of counts) {
    for (const [term, count] of terms) {
      const found = postings.get(term) ?? [];
      found.push([id, count]);
      postings.set(term, found);
    }
  }
  const idf = (holding: number): number => Math.log(1 + (texts.size - holding + 0.5) / (holding + 0.5));
  const rank = (terms: Iterable<string>): string[] => {
    const scores = new Map<string, number>();
    for (const term of terms) {
      const found = postings.get(term) ?? [];
      for (const [id, count] of found) {
        const long = 1 - B + (B * (lengths.get(id) ?? 0)) / average;
        const score = (idf(found.length) * count * (K1 + 1)) / (count + K1 * long);
        scores.set(id, (scores.get(id) ?? 0) + score);
      }
    }
    const ranked = [...scores].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    return ranked.map(([id]) => id);
  };
  return {
    toText: (text) => rank(termsOf(formsOf(text)).keys()),
    toNote: (id) => rank(counts.get(id)?.keys() ?? []).filter((other) => other !== id),
  };
}
