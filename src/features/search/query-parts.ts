// Replaces words of a query that no note contains as they are written by the words that they consist of.
import { decodePath } from '../../base/note-uri.ts';
import type { Store } from '../../contracts/store.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { wordsIn } from '../notes/name-words.ts';
import { wordsOfRun } from './words-of-run.ts';

/**
 * Undefined if nothing is replaced.
 * @param docFrequencies the number of notes in which each term of the query occurs
 */
export async function withParts(
  query: TextQuery,
  docFrequencies: readonly number[],
  store: Store,
  signal: AbortSignal,
): Promise<TextQuery | undefined> {
  let isSame = true;
  const terms: TextTerm[] = [];
  for (const [at, term] of query.terms.entries()) {
    const isUnknown = term.kind === 'word' && !term.negated && docFrequencies[at] === 0;
    const parts = isUnknown ? await partsOf(term.text, store, signal) : undefined;
    terms.push(...(parts?.map((text) => ({ text, kind: 'word', negated: false }) as const) ?? [term]));
    isSame &&= parts === undefined;
  }
  return isSame ? undefined : { ...query, terms: distinct(terms) };
}

function distinct(terms: readonly TextTerm[]): TextTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.negated} ${term.text.toLowerCase()}`, term])).values()];
}

async function partsOf(text: string, store: Store, signal: AbortSignal): Promise<readonly string[] | undefined> {
  return hasUnspacedScript(text) ? wordsOfRun(text, store, signal) : wordsOfCompound(text, store, signal);
}

/** The scheme of an address and the ending of a note say nothing about what is looked for. */
const SCHEME = /^\W*[a-z][a-z0-9+.-]*:\/\/(?:www\.)?/i;
const ENDING = /\.(?:md|canvas|base)(?=\W*$)/i;
/** More than any path or address has. */
const MAX_PARTS = 32;

/** Of a path, an address or `snake_case` the words that occur in notes, without numbers and single letters. */
async function wordsOfCompound(
  text: string,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const words = [...new Set(wordsIn(decodePath(text).replace(SCHEME, '').replace(ENDING, '')))].slice(0, MAX_PARTS);
  if (words.length === 0 || words.join('') === text) return undefined;
  const { docFrequencies } = await store.wordCounts(words, signal);
  const known = words.filter((_, at) => (docFrequencies[at] ?? 0) > 0);
  const telling = known.filter((word) => /\p{L}.*\p{L}/u.test(word));
  return telling.length > 0 ? telling : undefined;
}
