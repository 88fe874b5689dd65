// Searches by words and by meaning.
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { keptFit, knowsManyLanguages } from '../../contracts/model-fit.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { TextHits, TextQuery } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Generation, VectorHit } from '../../contracts/vectors.ts';
import { idf } from '../../postings/rank.ts';
import { type LeftOutTerms, MAX_FIXED_TERMS } from './distinctive-terms.ts';
import { type QueryVector, reportQueryVector } from './embed-query.ts';
import { type FusedLists, MAX_DEPTH } from './fused-page.ts';
import type { HighlightTerm } from './snippets.ts';
import { checkSearched, type Question } from './text-query.ts';
import { usualCosines } from './usual-cosines.ts';
import { type Correction, highlightTerms, searchWords } from './word-search.ts';

export interface RankedLists extends FusedLists {
  /** Words left out because they occur in most notes. */
  readonly dropped: readonly string[];
  /** Notes with the words, of which the list may have the first ones. */
  readonly total: number;
  /** The query by words that was run. */
  readonly searched: TextQuery;
  /** The terms that were searched for, and the corrections if they differ from the query. */
  readonly terms: readonly HighlightTerm[];
  readonly corrected?: readonly Correction[];
  /** What of a long query was not looked up. */
  readonly leftOut?: LeftOutTerms;
  /** The query vector and the vectors that were searched; absent for a search by words alone. */
  readonly embedded?: QueryVector;
  readonly generation?: Generation;
}

/**
 * Both lists down to `depth`; words alone without a query vector. The words are searched while the model embeds the query.
 * @throws what `embedding` rejects with
 */
export async function searchLists(
  question: Question,
  embedding: QueryVector | Promise<QueryVector | undefined>,
  scope: SearchScope,
  call: CallContext,
): Promise<RankedLists> {
  const [embedded, { found, ...words }] = await Promise.all([embedding, listByWords(question, scope, call)]);
  if (embedded === undefined) {
    checkSearched(words.searched, words.text.length, call);
    return { ...words, vector: [] };
  }
  const { hits: vector, generation } = await listByMeaning(question, embedded, scope, call);
  reportQueryVector(question.meaning, embedded, generation, call);
  const { store } = scope.sources;
  const usual = await usualCosines(embedded.vector, generation, store, call);
  const matched = await matchedShare({ ...words, found }, generation, store, call.signal);
  const cosines = { ...(usual && { usual }), ...(matched !== undefined && { matched }) };
  return { ...words, vector, embedded, generation, ...cosines };
}

export interface SearchScope {
  readonly sources: Granted<'store' | 'vault'>;
  readonly filter: NoteFilter;
  readonly depth: number;
}

async function listByWords({ query }: Question, { sources, filter, depth }: SearchScope, context: CallContext) {
  const {
    query: searched,
    corrected,
    leftOut,
    found,
  } = await searchWords(query, filter, { limit: depth, offset: 0 }, sources, context);
  const isExact = corrected === undefined && asksForExactWords(searched, found.docFrequencies);
  const words = {
    searched,
    text: found.hits,
    isExact,
    dropped: found.dropped,
    total: found.total,
    terms: highlightTerms(searched, found),
  };
  return { ...words, found, ...(corrected && { corrected }), ...(leftOut && { leftOut }) };
}

/** A word that more notes contain is a topic, for which meaning counts too. */
const MAX_RARE_NOTES = 10;

/** Whether the query is nothing but quoted phrases, or one rare word. */
function asksForExactWords({ terms }: TextQuery, docFrequencies: readonly number[]): boolean {
  const positive = [...terms.entries()].filter(([, { negated }]) => !negated);
  if (positive.every(([, { kind }]) => kind === 'phrase')) return true;
  const [[at, term] = []] = positive;
  return positive.length === 1 && term?.kind === 'word' && (docFrequencies[at ?? 0] ?? 0) <= MAX_RARE_NOTES;
}

/** Excludes the notes with a negated term. */
async function listByMeaning(
  { negated }: Question,
  embedded: QueryVector,
  { sources: { store }, filter, depth }: SearchScope,
  call: CallContext,
): Promise<{ readonly hits: readonly VectorHit[]; readonly generation: Generation }> {
  const excluded = await notesWith(negated, filter, store, call.signal);
  const limit = Math.min(depth + excluded.size, MAX_DEPTH);
  const near = ({ id }: Generation) => store.nearestChunks(id, embedded.vector, filter, limit, call.signal);
  const allowed = (hits: readonly VectorHit[]) => hits.filter(({ path }) => !excluded.has(path)).slice(0, depth);
  const { generation } = embedded;
  const hits = await near(generation);
  if (hits.length > 0 || (await exists(generation, store, call.signal))) return { hits: allowed(hits), generation };
  // Another process has replaced these vectors with new ones.
  const replacement = await embedded.replacement();
  return { hits: allowed(await near(replacement)), generation: replacement };
}

async function exists({ id }: Generation, store: Store, signal: AbortSignal): Promise<boolean> {
  return (await store.generations(signal)).some((generation) => generation.id === id);
}

/** Each term is searched alone, because beside others a very frequent term would be ignored. */
async function notesWith(negated: Question['negated'], filter: NoteFilter, store: Store, signal: AbortSignal) {
  const paths = new Set<NotePath>();
  for (const term of negated.slice(0, MAX_FIXED_TERMS)) {
    const query = { terms: [{ ...term, negated: false }], match: 'any' } as const;
    const { hits } = await store.searchText(query, filter, { limit: MAX_DEPTH, offset: 0 }, signal);
    for (const { path } of hits) paths.add(path);
  }
  return paths;
}

/** What was searched, and what the notes have of it. */
interface SearchedWords {
  readonly searched: TextQuery;
  readonly found: Pick<TextHits, 'indexed' | 'docFrequencies'>;
}

/**
 * The share of the question, by idf, that is in any note as it is written. Undefined unless the model is known to know many languages:
 * one for English takes a question of names and foreign words for one about the names.
 */
async function matchedShare(
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
