// The two lists of a hybrid search: notes found by words and notes found by meaning.
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store, TextHit } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Generation, VectorHit } from '../../contracts/vectors.ts';
import { type AskedVector, tellAsked } from './embed-query.ts';
import { MAX_DEPTH } from './fused-page.ts';
import type { Correction } from './near-query.ts';
import type { Question } from './question.ts';
import type { SoughtTerm } from './snippets.ts';
import { soughtTerms, wordHits } from './word-hits.ts';

export interface Lists {
  readonly text: readonly TextHit[];
  readonly vector: readonly VectorHit[];
  /** Words left out because they stand in most notes. */
  readonly dropped: readonly string[];
  /** What was looked for by words in the end, and where that is not what was written. */
  readonly terms: readonly SoughtTerm[];
  readonly corrected?: readonly Correction[];
  /** The vectors that were asked; absent where words alone were. */
  readonly generation?: Generation;
}

/** Both lists down to `depth`; of words alone where no vector was asked for. */
export async function listsFor(
  question: Question,
  asked: AskedVector | undefined,
  narrowed: Narrowed,
  call: CallContext,
): Promise<Lists> {
  const words = await wordList(question, narrowed, call.signal);
  if (asked === undefined) return { ...words, vector: [] };
  const { hits: vector, generation } = await meaningList(question, asked, narrowed, call);
  tellAsked(question.meaning, asked, generation, call);
  return { ...words, vector, generation };
}

export interface Narrowed {
  readonly store: Store;
  readonly filter: NoteFilter;
  readonly depth: number;
}

async function wordList(
  { query }: Question,
  { store, filter, depth }: Narrowed,
  signal: AbortSignal,
): Promise<Pick<Lists, 'text' | 'dropped' | 'terms' | 'corrected'>> {
  if (query === undefined) return { text: [], dropped: [], terms: [] };
  const { query: looked, corrected, found } = await wordHits(query, filter, { limit: depth, offset: 0 }, store, signal);
  const words = { text: found.hits, dropped: found.dropped, terms: soughtTerms(looked, found) };
  return { ...words, ...(corrected === undefined ? {} : { corrected }) };
}

/** Without the notes that hold a negated term. */
async function meaningList(
  { negated }: Question,
  asked: AskedVector,
  { store, filter, depth }: Narrowed,
  call: CallContext,
): Promise<{ readonly hits: readonly VectorHit[]; readonly generation: Generation }> {
  const unwanted = await holders(negated, filter, store, call.signal);
  const limit = Math.min(depth + unwanted.size, MAX_DEPTH);
  const near = ({ id }: Generation) => store.nearestChunks(id, asked.vector, filter, limit, call.signal);
  const wanted = (hits: readonly VectorHit[]) => hits.filter(({ path }) => !unwanted.has(path)).slice(0, depth);
  const { generation } = asked;
  const hits = await near(generation);
  if (hits.length > 0 || (await isThere(generation, store, call.signal))) return { hits: wanted(hits), generation };
  // Another process has made new vectors meanwhile and dropped these.
  const replacement = await asked.replacement();
  return { hits: wanted(await near(replacement)), generation: replacement };
}

async function isThere({ id }: Generation, store: Store, signal: AbortSignal): Promise<boolean> {
  return (await store.generations(signal)).some((generation) => generation.id === id);
}

/** Each term by itself: beside others, one that stands in most notes would not count. */
async function holders(
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
