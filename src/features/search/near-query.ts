// A query again whose words nothing holds as they are written: misspelt ones as titles and texts spell them, runs of characters in words. Knows no tool.
import type { Store, TextQuery, TextTerm } from '../../contracts/store.ts';
import { type CalledNotes, calledNotes } from '../notes/name-index.ts';
import { foldedWords, nearName, writtenWords } from '../notes/near-names.ts';
import { isSame, otherTerms, wordTerm } from './other-terms.ts';

/** What was looked for instead of what was written. */
export interface Correction {
  readonly from: string;
  readonly to: string;
}

export interface NearQuery {
  readonly query: TextQuery;
  /** At least one. */
  readonly corrected: readonly Correction[];
}

/** A query of more words is no name. */
const MOST_OF_NAME = 8;

interface Unknown {
  readonly query: TextQuery;
  readonly isUnknown: (term: TextTerm) => boolean;
  /** Whether the query finds nothing as it is: only then words of texts are tried, for titles say what a note is about. */
  readonly findsNothing: boolean;
}

/**
 * Undefined when every term stands in some note, and when nothing is near to one that does not: names are looked at only then, and
 * for a word of several that stands in one note alone, where the same slip may have been made.
 * @param holding in how many notes each term of the query stands
 */
export async function nearQuery(
  query: TextQuery,
  holding: readonly number[],
  store: Store,
  signal: AbortSignal,
): Promise<NearQuery | undefined> {
  const isWord = ({ negated, kind }: TextTerm): boolean => !negated && kind !== 'prefix';
  const unknown = new Set(query.terms.filter((term, at) => isWord(term) && holding[at] === 0));
  const isShort = query.terms.length > 1 && query.terms.length <= MOST_OF_NAME;
  const mayBeSlips = query.match === 'any' && isShort && holding.includes(1);
  if (unknown.size === 0 && !mayBeSlips) return undefined;
  const called = await calledNotes(store, signal);
  const isKnown = query.terms.some((term) => !term.negated && !unknown.has(term));
  const findsNothing = query.match === 'all' || !isKnown;
  const given = { query, isUnknown: (term: TextTerm) => unknown.has(term), findsNothing };
  return asNamed(given, called) ?? (unknown.size === 0 ? undefined : await wordByWord(given, called, store, signal));
}

/** As the one name that all of it nearly is; what else is known of an `any` query is looked for as well. */
function asNamed({ query, isUnknown }: Unknown, called: CalledNotes): NearQuery | undefined {
  if (query.called === undefined) return undefined;
  const name = nearName(called, query.called);
  if (name === undefined) return undefined;
  const known = query.match === 'any' ? query.terms.filter((term) => !isUnknown(term)) : [];
  const words = writtenWords(name).map(wordTerm);
  const terms = [...new Map([...known, ...words].map((term) => [foldedWords(term.text).join(' '), term])).values()];
  return { query: { ...query, terms, called: name }, corrected: pairs(query.called, name) };
}

/** The words that differ, each with its other spelling; all of it where they are not as many. */
function pairs(from: string, to: string): Correction[] {
  const [written, named] = [writtenWords(from), writtenWords(to)];
  if (written.length !== named.length) return [{ from, to }];
  return written.flatMap((word, at) => {
    const other = named[at] ?? '';
    return isSame(word, other) ? [] : [{ from: word, to: other }];
  });
}

async function wordByWord(
  { query, isUnknown, findsNothing }: Unknown,
  called: CalledNotes,
  store: Store,
  signal: AbortSignal,
): Promise<NearQuery | undefined> {
  const words = { called, store, andTexts: findsNothing };
  const corrected: Correction[] = [];
  const terms: TextTerm[] = [];
  for (const term of query.terms) {
    const others = isUnknown(term) ? await otherTerms(term, words, signal) : undefined;
    terms.push(...(others ?? [term]));
    if (others !== undefined) corrected.push({ from: term.text, to: others.map(({ text }) => text).join(' ') });
  }
  const { called: _, ...rest } = query;
  return corrected.length === 0 ? undefined : { query: { ...rest, terms }, corrected };
}
