// Keeps the terms of a long query that find most: phrases, negated terms, and the words that the fewest notes contain.
import type { Store } from '../../contracts/store.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import { MAX_LISTED_WORDS } from './text-query.ts';

/** More words hardly change which notes rank first. */
const MAX_WORDS = 64;
/** Words whose notes are counted, so that a text of any length takes a few milliseconds. */
const MAX_COUNTED_WORDS = 256;
/** Phrases and negated terms are all kept up to here, far beyond what anybody writes. */
export const MAX_FIXED_TERMS = 256;

/** Terms of a query that were not searched for. */
export interface LeftOutTerms {
  readonly count: number;
  /** The first of them. */
  readonly words: readonly string[];
}

export interface ShortenedQuery {
  readonly query: TextQuery;
  /** Absent if the whole query is kept. */
  readonly leftOut?: LeftOutTerms;
}

/** The query itself if it is short enough. */
export async function mostDistinctive(query: TextQuery, store: Store, signal: AbortSignal): Promise<ShortenedQuery> {
  const fixed = query.terms.filter((term) => !isWord(term));
  const words = query.terms.filter(isWord);
  if (words.length <= MAX_WORDS && fixed.length <= MAX_FIXED_TERMS) return { query };
  const chosen = new Set([...fixed.slice(0, MAX_FIXED_TERMS), ...(await rarest(words, store, signal))]);
  const left = query.terms.filter((term) => !chosen.has(term));
  const { called: _, ...rest } = query;
  return {
    query: { ...rest, terms: query.terms.filter((term) => chosen.has(term)) },
    leftOut: { count: left.length, words: left.slice(0, MAX_LISTED_WORDS).map(({ text }) => text) },
  };
}

const isWord = ({ kind, negated }: TextTerm): boolean => kind !== 'phrase' && !negated;

/** Words that no note contains find nothing, so they come last. */
async function rarest(words: readonly TextTerm[], store: Store, signal: AbortSignal): Promise<readonly TextTerm[]> {
  if (words.length <= MAX_WORDS) return words;
  const counted = words.slice(0, MAX_COUNTED_WORDS);
  const { docFrequencies } = await store.wordCounts(
    counted.map(({ text }) => text.toLowerCase()),
    signal,
  );
  return counted
    .map((word, at) => ({ word, notes: docFrequencies[at] || Number.POSITIVE_INFINITY }))
    .sort((one, two) => (one.notes === two.notes ? 0 : one.notes - two.notes))
    .slice(0, MAX_WORDS)
    .map(({ word }) => word);
}
