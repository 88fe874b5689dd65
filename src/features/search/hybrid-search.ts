// The two lists of a hybrid search: notes found by words and notes found by meaning.
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
  /** Words left out because they stand in most notes. */
  readonly dropped: readonly string[];
  /** What was looked for by words in the end, and where that is not what was written. */
  readonly terms: readonly HighlightTerm[];
  readonly corrected?: readonly Correction[];
  /** The vectors that were asked; absent where words alone were. */
  readonly generation?: Generation;
}

/** Both lists down to `depth`; of words alone where no vector was asked for. */
export async function searchLists(
  question: Question,
  asked: QueryVector | undefined,
  narrowed: SearchScope,
  call: CallContext,
): Promise<RankedLists> {
  const words = await listByWords(question, narrowed, call);
  if (asked === undefined) return { ...words, vector: [] };
  const { hits: vector, generation } = await listByMeaning(question, asked, narrowed, call);
  reportQueryVector(question.meaning, asked, generation, call);
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
    query: looked,
    corrected,
    found,
  } = await searchWords(query, filter, { limit: depth, offset: 0 }, store, context);
  const words = { text: found.hits, dropped: found.dropped, terms: highlightTerms(looked, found) };
  return { ...words, ...(corrected === undefined ? {} : { corrected }) };
}

/** Without the notes that hold a negated term. */
async function listByMeaning(
  { negated }: Question,
  asked: QueryVector,
  { store, filter, depth }: SearchScope,
  call: CallContext,
): Promise<{ readonly hits: readonly VectorHit[]; readonly generation: Generation }> {
  const unwanted = await notesWith(negated, filter, store, call.signal);
  const limit = Math.min(depth + unwanted.size, MAX_DEPTH);
  const near = ({ id }: Generation) => store.nearestChunks(id, asked.vector, filter, limit, call.signal);
  const wanted = (hits: readonly VectorHit[]) => hits.filter(({ path }) => !unwanted.has(path)).slice(0, depth);
  const { generation } = asked;
  const hits = await near(generation);
  if (hits.length > 0 || (await exists(generation, store, call.signal))) return { hits: wanted(hits), generation };
  // Another process has made new vectors meanwhile and dropped these.
  const replacement = await asked.replacement();
  return { hits: wanted(await near(replacement)), generation: replacement };
}

async function exists({ id }: Generation, store: Store, signal: AbortSignal): Promise<boolean> {
  return (await store.generations(signal)).some((generation) => generation.id === id);
}

/** Each term by itself: beside others, one that stands in most notes would not count. */
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

/** How far down each list is looked at for a first page; both lists count alike. */
const MIN_DEPTH = 50;
const DEPTH_A_HIT = 5;
/** As many as the store reads for one question. */
const MAX_DEPTH = 100_000;
export const WEIGHTS = { text: 1, vector: 1 } as const;

/**
 * A stretch of the fused list: both lists down to `depth`, without the notes that stand in the first `before` of either. Ranks
 * depend on the depth, so the next stretch begins only where this one ends: no page repeats or skips a note.
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
  /** Only where it is called as the query says: it then stands before hits of a higher score. */
  readonly named?: true;
  /** Where it stands in the list of words; ranks from 1. `share` is what the list gave to the score. */
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
  /** Where the next page begins; undefined where both lists are at their end. */
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
