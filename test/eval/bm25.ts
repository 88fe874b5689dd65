// Plain BM25 over texts, the yardstick for what ranks notes by their words. Knows no index.
import { formsOf, termsOf } from '../../src/markdown/terms.ts';

const K1 = 1.2;
const B = 0.75;

/** For each text the ids of the others, best first; the query is the different terms of the text. */
export function createBm25(texts: ReadonlyMap<string, string>): (id: string) => string[] {
  const counts = new Map([...texts].map(([id, text]) => [id, termsOf(formsOf(text))]));
  const lengths = new Map([...counts].map(([id, terms]) => [id, [...terms.values()].reduce((sum, n) => sum + n, 0)]));
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / texts.size;
  const postings = new Map<string, [string, number][]>();
  for (const [id, terms] of counts) {
    for (const [term, count] of terms) postings.set(term, [...(postings.get(term) ?? []), [id, count]]);
  }
  const idf = (holding: number): number => Math.log(1 + (texts.size - holding + 0.5) / (holding + 0.5));
  return (asked) => {
    const scores = new Map<string, number>();
    for (const term of counts.get(asked)?.keys() ?? []) {
      const found = postings.get(term) ?? [];
      for (const [id, count] of found) {
        const long = 1 - B + (B * (lengths.get(id) ?? 0)) / average;
        const score = (idf(found.length) * count * (K1 + 1)) / (count + K1 * long);
        scores.set(id, (scores.get(id) ?? 0) + score);
      }
    }
    scores.delete(asked);
    const ranked = [...scores].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    return ranked.map(([id]) => id);
  };
}
