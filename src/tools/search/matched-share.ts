// Measures how much of a question the words found, for models that find the rest by meaning in another language.
import { keptFit, knowsManyLanguages } from '../../contracts/model-fit.ts';
import type { Store } from '../../contracts/store.ts';
import type { TextHits, TextQuery } from '../../contracts/text-query.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { idf } from '../../postings/rank.ts';

/** What was searched, and what the notes have of it. */
export interface SearchedWords {
  readonly searched: TextQuery;
  readonly found: Pick<TextHits, 'indexed' | 'docFrequencies'>;
}

/**
 * The share of the question, by idf, that is in any note as it is written. Undefined unless the model is known to know many languages:
 * one for English takes a question of names and foreign words for one about the names.
 */
export async function matchedShare(
  { searched, found: { indexed, docFrequencies } }: SearchedWords,
  generation: Generation,
  store: Store,
  signal: AbortSignal,
): Promise<number | undefined> {
  const fit = await keptFit(generation, store, signal);
  if (fit === undefined || !knowsManyLanguages(fit)) return undefined;
  let [all, matched] = [0, 0];
  for (const [at, { negated }] of searched.terms.entries()) {
    if (negated) continue;
    const notes = docFrequencies[at] ?? 0;
    const weight = idf(indexed, notes);
    all += weight;
    if (notes > 0) matched += weight;
  }
  return all === 0 ? 1 : matched / all;
}
