// Picks what to show of found notes: snippets and passages. Long texts are read on the compute thread.
import { letOthersRun } from '../base/threads/turns.ts';
import { ratedSpans, type SpansToRate } from '../markdown/chunk/rated-spans.ts';
import type { WeightedTerm } from '../markdown/excerpt/excerpt.ts';
import { type Snippet, type SnippetSource, snippetOf } from '../markdown/excerpt/snippet.ts';

export interface SnippetsToPick {
  readonly hits: readonly SnippetSource[];
  readonly terms: readonly WeightedTerm[];
  readonly maxChars: number;
}

/** Texts of this many characters together are read in some ten milliseconds, less than the start of a thread. */
const SMALL_SNIPPETS = 200_000;
const SMALL_PASSAGES = 40_000;

/** In the order of the hits. */
export function pickSnippets({ hits, terms, maxChars }: SnippetsToPick): Promise<readonly Snippet[]> {
  return ofEach(hits, (hit) => snippetOf(hit, terms, maxChars));
}

export function areSmallSnippets({ hits }: SnippetsToPick): boolean {
  return hits.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_SNIPPETS;
}

/** For each text the spans of its passages. */
export function pickPassages(texts: readonly SpansToRate[]) {
  return ofEach(texts, ratedSpans);
}

/** A small job runs on the thread of its caller, where other calls wait for it. */
async function ofEach<Item, Result>(items: readonly Item[], pick: (item: Item) => Result): Promise<readonly Result[]> {
  const picked: Result[] = [];
  for (const item of items) {
    picked.push(pick(item));
    await letOthersRun();
  }
  return picked;
}

export function areSmallPassages(texts: readonly SpansToRate[]): boolean {
  return texts.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_PASSAGES;
}
