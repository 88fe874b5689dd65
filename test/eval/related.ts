// How well find_related finds again what notes link to, beside plain BM25 over the same texts. Deterministic.
import { findRelated } from '../../src/tools/find_related.ts';
import { createBm25 } from './bm25.ts';
import { withHeldOutLinks } from './held-out-links.ts';
import { type Measures, meanOf, measure } from './ranking-measures.ts';

export interface RelatedFigures {
  readonly notes: number;
  readonly queries: number;
  readonly find_related: Measures;
  readonly bm25: Measures;
}

const DEPTH = 50;

export async function evaluateRelated(folder: string): Promise<RelatedFigures> {
  const related: Measures[] = [];
  const plain: Measures[] = [];
  let notes = 0;
  await withHeldOutLinks(folder, async ({ right, texts, tools }) => {
    notes = texts.size;
    const bm25 = createBm25(texts);
    for (const [note, linked] of right) {
      const answer = await tools.ask(findRelated, { note, limit: DEPTH });
      const found: string[] = answer.related.map(({ path }: { path: string }) => path);
      related.push(measure(found, linked));
      plain.push(measure(bm25(note).slice(0, DEPTH), linked));
    }
  });
  return { notes, queries: related.length, find_related: meanOf(related), bm25: meanOf(plain) };
}
