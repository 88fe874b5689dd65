// Checks a query against one note: where each term occurs, and which notes rank above it.
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { TermPlace, TextHit, TextHits, TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import { checkSearched, parseTextQuery } from '../search/text-query.ts';
import { searchWords } from '../search/word-search.ts';

/** A list of all notes would hold up other calls. */
const HITS_AT_ONCE = 400;
const SHOWN_BEFORE = 3;

export interface CheckedTerm extends TermPlace {
  /** As written: `"a phrase"`, `-not`, `prefix*`. */
  readonly term: string;
  readonly negated: boolean;
  /** Why the search ignored it. */
  readonly dropped?: 'in_most_notes' | 'no_letters' | 'function_word';
}

export type CheckedQuery = Awaited<ReturnType<typeof checkQuery>>;

/**
 * `corrected`: the spelling corrections, if the search used any.
 * `found`: the number of notes that match.
 * `rank`: the rank of the note among them, from 1; absent if it does not match.
 * `before`: the best of the notes that rank above it.
 * @throws INVALID_QUERY
 */
export async function checkQuery(
  text: string,
  path: NotePath,
  sources: Granted<'store' | 'vault'>,
  context: CallContext,
) {
  const { store } = sources;
  const { query: written, ignored, functionWords } = parseTextQuery(text, 'any');
  const { query, corrected, found } = await searchWords(written, {}, pageAt(0), sources, context);
  checkSearched(query, found.total, context);
  const { hits, total, dropped } = found;
  const functionWordTerms = functionWords.map((word): TextTerm => ({ text: word, kind: 'word', negated: false }));
  const places = await store.termPlaces(path, [...query.terms, ...functionWordTerms], context.signal);
  const { at, hit } = await placeOf(path, query, found, store, context);
  const before = hits.slice(0, Math.max(0, Math.min(at, SHOWN_BEFORE)));
  const searched = query.terms.map((term, index) => checkedTerm(term, places[index], dropped));
  const ofFunctionWords = functionWordTerms.map((term, index) => {
    return { ...checkedTerm(term, places[query.terms.length + index], []), dropped: 'function_word' } as const;
  });
  const withoutLetters = ignored.map((term): CheckedTerm => {
    return { term, negated: false, fields: [], notes: 0, dropped: 'no_letters' };
  });
  return {
    terms: [...searched, ...ofFunctionWords, ...withoutLetters],
    ...(corrected === undefined ? {} : { corrected }),
    found: total,
    before: before.map(({ path: other, score }) => ({ path: other, score })),
    ...(hit === undefined ? {} : { rank: at + 1, score: hit.score }),
  };
}

const pageAt = (offset: number): Page => ({ limit: HITS_AT_ONCE, offset });

/** The hit for the note, and how many hits are before it; -1 if there is none. */
async function placeOf(
  path: NotePath,
  query: TextQuery,
  first: TextHits,
  store: Store,
  { signal }: ReadContext,
): Promise<{ readonly at: number; readonly hit?: TextHit }> {
  for (let offset = 0, page = first; ; ) {
    const at = page.hits.findIndex((hit) => hit.path === path);
    const hit = page.hits[at];
    if (hit !== undefined) return { at: offset + at, hit };
    offset += HITS_AT_ONCE;
    if (offset >= page.total) return { at: -1 };
    page = await store.searchText(query, {}, pageAt(offset), signal);
  }
}

function checkedTerm(term: TextTerm, place: TermPlace | undefined, dropped: readonly string[]): CheckedTerm {
  const { fields = [], notes = 0 } = place ?? {};
  const isDropped = !term.negated && dropped.includes(term.text);
  return {
    ...{ term: writtenOf(term), negated: term.negated, fields, notes },
    ...(isDropped ? { dropped: 'in_most_notes' } : {}),
  };
}

function writtenOf({ text, kind, negated }: TextTerm): string {
  const word = kind === 'phrase' ? `"${text}"` : text;
  return `${negated ? '-' : ''}${word}${kind === 'prefix' ? '*' : ''}`;
}
