// Ranks texts with plain BM25 (k1 1.2, b 0.75), as the baseline for word-based ranking.
import type { Counts } from '../../src/markdown/excerpt/terms.ts';

const K1 = 1.2;
const B = 0.75;

/** Ids that share a term with the query, best first; a repeated term of the query counts again. */
export type Bm25 = (query: Iterable<string>) => string[];

/** @param texts how often each term occurs in each text, by id */
export function createBm25(texts: ReadonlyMap<string, Counts>): Bm25 {
  const lengths = new Map([...texts].map(([id, terms]) => [id, [...terms.values()].reduce((sum, n) => sum + n, 0)]));
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / texts.size;
  const postings = new Map<string, [string, number][]>();
  for (const [id, terms] of texts) {
    for (const [term, count] of terms) {
      const found = postings.get(term) ?? [];
      found.push([id, count]);
      postings.set(term, found);
    }
  }
  const idf = (holding: number): number => Math.log(1 + (texts.size - holding + 0.5) / (holding + 0.5));
  return (query) => {
    const scores = new Map<string, number>();
    for (const term of query) {
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
}
