// Searches by words and by meaning, and fuses the two ranked lists into pages.
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store, TextHit } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import type { Generation, VectorHit } from '../../contracts/vectors.ts';
import { fuse } from '../../graph/fusion.ts';
import type { Place } from '../notes/page.ts';
import { type QueryVector, reportQueryVector } from './embed-query.ts';
import type { HighlightTerm } from './snippets.ts';
import type { Question } from './text-query.ts';
import { type Correction, highlightTerms, searchWords } from './word-search.ts';

export interface RankedLists {
  readonly text: readonly TextHit[];
  readonly vector: readonly VectorHit[];
  /** Words left out because they occur in most notes. */
  readonly dropped: readonly string[];
  /** The terms that were searched for, and the corrections if they differ from the query. */
  readonly terms: readonly HighlightTerm[];
  readonly corrected?: readonly Correction[];
  /** The vectors that were searched; absent for a search by words alone. */
  readonly generation?: Generation;
}

/** Both lists down to `depth`; words alone without a query vector. */
export async function searchLists(
  question: Question,
  embedded: QueryVector | undefined,
  scope: SearchScope,
  call: CallContext,
): Promise<RankedLists> {
  const words = await listByWords(question, scope, call);
  if (embedded === undefined) return { ...words, vector: [] };
  const { hits: vector, generation } = await listByMeaning(question, embedded, scope, call);
  reportQueryVector(question.meaning, embedded, generation, call);
  return { ...words, vector, generation };
}

export interface SearchScope {
  readonly store: Store;
  readonly filter: NoteFilter;
  readonly depth: number;
}

async function listByWords(
  { query }: Question,
  { store, filter, depth }: SearchScope,
  context: ReadContext,
): Promise<Pick<RankedLists, 'text' | 'dropped' | 'terms' | 'corrected'>> {
  if (query === undefined) return { text: [], dropped: [], terms: [] };
  const {
    query: searched,
    corrected,
    found,
  } = await searchWords(query, filter, { limit: depth, offset: 0 }, store, context);
  const words = { text: found.hits, dropped: found.dropped, terms: highlightTerms(searched, found) };
  return { ...words, ...(corrected === undefined ? {} : { corrected }) };
}

/** Excludes the notes with a negated term. */
async function listByMeaning(
  { negated }: Question,
  embedded: QueryVector,
  { store, filter, depth }: SearchScope,
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
async function notesWith(
  negated: Question['negated'],
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlySet<NotePath>> {
  const paths = new Set<NotePath>();
  for (const term of negated) {
    const query = { terms: [{ ...term, negated: false }], match: 'any' } as const;
    const { hits } = await store.searchText(query, filter, { limit: MAX_DEPTH, offset: 0 }, signal);
    for (const { path } of hits) paths.add(path);
  }
  return paths;
}

/** How many hits of each list a first page considers; both lists weigh the same. */
const MIN_DEPTH = 50;
const DEPTH_A_HIT = 5;
/** The maximum of one store query. */
const MAX_DEPTH = 100_000;
export const WEIGHTS = { text: 1, vector: 1 } as const;

/**
 * A section of the fused list: both lists down to `depth`, without the notes that are in the first `before` of either. Ranks depend
 * on the depth, so the next section starts only where this one ends, and no page repeats or skips a note.
 */
export interface FusionWindow {
  readonly offset: number;
  readonly depth: number;
  readonly before: number;
}

export function windowAt([offset = 0, depth, before = 0]: Place, limit: number): FusionWindow {
  const first = Math.max(MIN_DEPTH, DEPTH_A_HIT * limit);
  return { offset, depth: Math.min(depth ?? first, MAX_DEPTH), before };
}

interface Ranked {
  readonly text: readonly TextHit[];
  readonly vector: readonly VectorHit[];
}

export interface FusedHit {
  readonly path: NotePath;
  readonly title: string;
  readonly score: number;
  /** Whether the note's name equals the query; such hits come before hits with a higher score. */
  readonly named?: true;
  /** Rank in the list by words, from 1. `share` is the part of the score from this list. */
  readonly text?: { readonly rank: number; readonly bm25: number; readonly share: number };
  readonly vector?: {
    readonly rank: number;
    readonly cosine: number;
    readonly share: number;
    readonly lines: readonly [number, number];
  };
}

interface FusedPage {
  readonly hits: readonly FusedHit[];
  /** Where the next page starts; undefined at the end of both lists. */
  readonly next: Place | undefined;
}

export function fusedPage(lists: Ranked, { offset, depth, before }: FusionWindow, limit: number): FusedPage {
  const { text, vector } = lists;
  const shown = new Set([...text.slice(0, before), ...vector.slice(0, before)].map(({ path }) => path));
  const fused = fusedHits(lists).filter(({ path }) => !shown.has(path));
  const hits = fused.slice(offset, offset + limit);
  const end = offset + hits.length;
  if (end < fused.length) return { hits, next: [end, depth, before] };
  const isMore = depth < MAX_DEPTH && (text.length >= depth || vector.length >= depth);
  return { hits, next: isMore ? [0, depth * 2, depth] : undefined };
}

function fusedHits({ text, vector }: Ranked): FusedHit[] {
  const [texts, vectors] = [byPath(text), byPath(vector)];
  const fused = fuse({
    text: { weight: WEIGHTS.text, ranked: [...texts.keys()] },
    vector: { weight: WEIGHTS.vector, ranked: [...vectors.keys()] },
  });
  const hits = fused.map(({ id, score, parts }) => {
    const path = id as NotePath;
    const [word, meaning] = [texts.get(path), vectors.get(path)];
    return {
      path,
      title: (word ?? meaning)?.title ?? '',
      score,
      ...(word?.named ? { named: word.named } : {}),
      ...(word && parts.text ? { text: { ...parts.text, bm25: word.bm25 } } : {}),
      ...(meaning && parts.vector ? { vector: { ...parts.vector, cosine: meaning.cosine, lines: meaning.lines } } : {}),
    };
  });
  return [...hits.filter(({ named }) => named), ...hits.filter(({ named }) => !named)];
}

function byPath<Hit extends { readonly path: NotePath }>(hits: readonly Hit[]): ReadonlyMap<NotePath, Hit> {
  return new Map(hits.map((hit) => [hit.path, hit]));
}
