// Fuses the hits by words and by meaning into pages.
import type { NotePath } from '../../base/note.ts';
import type { TextHit } from '../../contracts/text-query.ts';
import type { VectorHit } from '../../contracts/vectors.ts';
import { fuse } from '../../graph/fusion.ts';
import type { Place } from '../notes/page.ts';
import type { UsualCosines } from './usual-cosines.ts';

/** How many hits of each list a first page considers. */
const MIN_DEPTH = 50;
const DEPTH_A_HIT = 5;
/** The maximum of one store query. */
export const MAX_DEPTH = 100_000;

/**
 * A section of the fused list: both lists down to `depth`, without the notes that are in the first `before` of either. Scores depend
 * on the depth, so the next section starts only where this one ends, and no page repeats or skips a note.
 */
export type FusionWindow = ReturnType<typeof windowAt>;

/** @param least how many hits are considered together at least */
export function windowAt([offset = 0, depth, before = 0]: Place, limit: number, least = MIN_DEPTH) {
  const first = Math.max(MIN_DEPTH, DEPTH_A_HIT * limit, least);
  return { offset, depth: Math.min(depth ?? first, MAX_DEPTH), before };
}

/** What a fused list is made of. */
export interface FusedLists {
  readonly text: readonly TextHit[];
  readonly vector: readonly VectorHit[];
  /** Whether the query asks for its very words, so that they decide. */
  readonly isExact: boolean;
  /** The cosines of the query with notes in general; absent if that is not known. */
  readonly usual?: UsualCosines;
  /** How much of the question the words found, from 0 to 1; absent unless the model knows many languages. */
  readonly matched?: number;
}

export interface FusedHit {
  readonly path: NotePath;
  readonly title: string;
  readonly score: number;
  /** Whether the note's name equals the query; such hits come before hits with a higher score. */
  readonly named?: true;
  /** Rank in the list by words, from 1. `share` is the part of the score from this list. */
  readonly text?: { readonly rank: number; readonly share: number; readonly hit: TextHit };
  readonly vector?: {
    readonly rank: number;
    readonly cosine: number;
    readonly share: number;
    readonly lines: readonly [number, number];
  };
}

/** The hits of the window, in order. */
export function fusedList(lists: FusedLists, { before }: FusionWindow): readonly FusedHit[] {
  const { text, vector } = lists;
  const shown = new Set([...text.slice(0, before), ...vector.slice(0, before)].map(({ path }) => path));
  return fusedHits(lists).filter(({ path }) => !shown.has(path));
}

/**
 * `next`: where the next page starts; undefined at the end of both lists.
 * @param fused the hits of the window, if they are in another order than `fusedList` returns
 */
export function fusedPage<Hit extends FusedHit = FusedHit>(
  lists: FusedLists,
  window: FusionWindow,
  limit: number,
  fused = fusedList(lists, window) as readonly Hit[],
) {
  const { text, vector } = lists;
  const { offset, depth, before } = window;
  const hits = fused.slice(offset, offset + limit);
  const end = offset + hits.length;
  if (end < fused.length) return { hits, next: [end, depth, before] };
  const isMore = depth < MAX_DEPTH && (text.length >= depth || vector.length >= depth);
  return { hits, next: isMore ? [0, depth * 2, depth] : undefined };
}

/** The weight of meaning for each standard deviation that the nearest note rises above the usual cosine; a smaller rise is chance. */
const WEIGHT_A_DEVIATION = 1 / 9;
const CHANCE_RISE = 1.25;
/** However sure the model is. These three are chosen on public question sets, see test/eval/README.md. */
const MAX_WEIGHT = 0.6;
/** For vaults too small to know what is usual. */
const UNKNOWN_WEIGHT = 0.4;

/** Names are often so much, by idf, of a question in another language, and say little. Chosen like the three above. */
const STRAY_SHARE = 0.15;

/**
 * The weights of both lists, which add up to 1: the further the nearest note stands out, the more meaning counts, and at least as much
 * as the words left of the question.
 */
export function weightsOf(lists: FusedLists): Readonly<Record<'text' | 'vector', number>> {
  const vector = weightOfMeaning(lists);
  return { text: 1 - vector, vector };
}

function weightOfMeaning(lists: FusedLists): number {
  const { text, vector, isExact, matched = 1 } = lists;
  if (vector.length === 0 || (isExact && text.length > 0)) return 0;
  const byWords = Math.max(0, matched - STRAY_SHARE) / (1 - STRAY_SHARE);
  return text.length === 0 ? 1 : Math.max(1 - byWords, weightOfRise(lists));
}

function weightOfRise({ vector, usual }: FusedLists): number {
  if (usual === undefined) return UNKNOWN_WEIGHT;
  const rise = usual.spread === 0 ? 0 : ((vector[0]?.cosine ?? 0) - usual.mean) / usual.spread;
  return Math.min(MAX_WEIGHT, Math.max(0, rise - CHANCE_RISE) * WEIGHT_A_DEVIATION);
}

/**
 * Scores relative to the best: by words its share of the best BM25, by meaning how far its cosine rises above the fiftieth.
 * The weights divide these two; what names add to a hit by words counts whole, because the other list does not know names.
 */
function fusedHits(lists: FusedLists): FusedHit[] {
  const [texts, vectors] = [byPath(lists.text), byPath(lists.vector)];
  const weights = weightsOf(lists);
  const bestWords = lists.text.reduce((best, { bm25 }) => Math.max(best, bm25), 0) || 1;
  const byWords = ({ bm25, score }: TextHit) => (weights.text * bm25 + (score - bm25)) / bestWords;
  const usual = lists.usual?.mean ?? 0;
  // The same one for every page, so that the number of hits asked for does not change their order.
  const last = lists.vector.length > 1 ? (lists.vector[MIN_DEPTH - 1] ?? lists.vector.at(-1)) : undefined;
  const [nearest, farthest] = [lists.vector[0]?.cosine ?? 0, last?.cosine ?? usual];
  const range = nearest - Math.min(usual, farthest) || 1;
  const byMeaning = ({ cosine }: VectorHit) => (weights.vector * Math.max(0, cosine - farthest)) / range;
  const fused = fuse({
    text: lists.text.map((hit) => ({ id: hit.path, score: byWords(hit) })),
    vector: lists.vector.map((hit) => ({ id: hit.path, score: byMeaning(hit) })),
  });
  const hits = fused.map(({ id, score, parts }) => {
    const path = id as NotePath;
    const [word, meaning] = [texts.get(path), vectors.get(path)];
    return {
      path,
      title: (word ?? meaning)?.title ?? '',
      score,
      ...(word?.named ? { named: word.named } : {}),
      ...(word && parts.text ? { text: { ...parts.text, hit: word } } : {}),
      ...(meaning && parts.vector ? { vector: { ...parts.vector, cosine: meaning.cosine, lines: meaning.lines } } : {}),
    };
  });
  return [...hits.filter(({ named }) => named), ...hits.filter(({ named }) => !named)];
}

function byPath<Hit extends { readonly path: NotePath }>(hits: readonly Hit[]): ReadonlyMap<NotePath, Hit> {
  return new Map(hits.map((hit) => [hit.path, hit]));
}
