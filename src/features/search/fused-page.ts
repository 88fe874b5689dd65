// Two ranked lists as pages of one, each hit with its place in both.
import type { NotePath } from '../../base/note.ts';
import type { TextHit } from '../../contracts/store.ts';
import type { VectorHit } from '../../contracts/vectors.ts';
import { fuse } from '../../graph/fusion.ts';
import type { Place } from '../notes/page.ts';

/** How far down each list is looked at for a first page; both lists count alike. */
const MIN_DEPTH = 50;
const DEPTH_A_HIT = 5;
/** As many as the store reads for one question. */
export const MAX_DEPTH = 100_000;
export const WEIGHTS = { text: 1, vector: 1 } as const;

/**
 * A stretch of the fused list: both lists down to `depth`, without the notes that stand in the first `before` of either. Ranks
 * depend on the depth, so the next stretch begins only where this one ends: no page repeats or skips a note.
 */
export interface Stretch {
  readonly offset: number;
  readonly depth: number;
  readonly before: number;
}

export function stretchAt([offset = 0, depth, before = 0]: Place, limit: number): Stretch {
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

export interface FusedPage {
  readonly hits: readonly FusedHit[];
  /** Where the next page begins; undefined where both lists are at their end. */
  readonly next: Place | undefined;
}

export function fusedPage(lists: Ranked, { offset, depth, before }: Stretch, limit: number): FusedPage {
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
