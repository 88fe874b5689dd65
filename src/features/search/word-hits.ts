// Notes found by words as they are written or, where nothing holds a word, as it is nearly written.
import type { NoteFilter, Page } from '../../contracts/note-filter.ts';
import type { Store, TextHits, TextQuery } from '../../contracts/store.ts';
import { type Correction, nearQuery } from './near-query.ts';
import type { SoughtTerm } from './snippets.ts';

export interface WordHits {
  /** What was looked for in the end. */
  readonly query: TextQuery;
  /** Where it is not what was written. */
  readonly corrected?: readonly Correction[];
  readonly found: TextHits;
}

export async function wordHits(
  query: TextQuery,
  filter: NoteFilter,
  page: Page,
  store: Store,
  signal: AbortSignal,
): Promise<WordHits> {
  const found = await store.searchText(query, filter, page, signal);
  const near = await nearQuery(query, found.holding, store, signal);
  if (near === undefined) return { query, found };
  const instead = await store.searchText(near.query, filter, page, signal);
  return instead.total === 0 ? { query, found } : { ...near, found: instead };
}

/** The terms that a hit may show, each by how rare it is. */
export function soughtTerms({ terms }: TextQuery, { holding, dropped }: TextHits): SoughtTerm[] {
  const weighed = terms.map((term, at) => ({ ...term, weight: 1 / Math.log2(2 + (holding[at] ?? 0)) }));
  return weighed.filter(({ text }) => !dropped.includes(text));
}
