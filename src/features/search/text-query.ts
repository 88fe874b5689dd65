// Parses the text of a search into a full-text query, and into the text to embed for a search by meaning.
import { VaultgraphError } from '../../base/errors.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import { functionWordsIn, type Language } from './function-words.ts';

const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
/** Also symbols with a meaning of their own, such as emoji, but not punctuation. */
const MEANINGFUL = /[\p{L}\p{N}\p{Co}\p{So}\p{Sm}\p{Extended_Pictographic}]/u;

/** Of words that are left out, at most so many are listed. */
export const MAX_LISTED_WORDS = 20;

type Match = TextQuery['match'];

/** A term of the query; `position` counts UTF-16 units from 0. */
interface PlacedTerm extends TextTerm {
  readonly position: number;
  /** With the ending that `text` has not. */
  readonly written: string;
}

export interface WrittenQuery extends TextQuery {
  readonly language: Language;
}

type ParsedTextQuery = ReturnType<typeof parseTextQuery>;

/**
 * Parses words, `"phrases"`, `-not` and `prefix*`, at any length; each term counts once. A quote or `-` inside a word, a quote that
 * is not closed and every other sign is part of the word.
 * `ignored`: terms without a letter or digit, which cannot be searched for.
 * `functionWords`: function words left out of the query.
 * @throws INVALID_QUERY
 */
export function parseTextQuery(text: string, match: Match) {
  const all = parseTerms(text);
  const terms = all.filter(isSearchable);
  if (!terms.some((term) => !term.negated)) throw nothingToSearch(all);
  const { content, functionWords, language } = splitFunctionWords(terms, match);
  const query: WrittenQuery = { terms: distinct(content).map(withoutPlace), match, language, ...asName(all) };
  return {
    query,
    ignored: ignoredIn(all),
    functionWords,
  };
}

export interface Question extends Omit<ParsedTextQuery, 'query'> {
  /** The text to embed: the terms in the order written, without negated terms, quotes and stars. */
  readonly meaning: string;
  /** Undefined if there is no word to search for. */
  readonly query: WrittenQuery | undefined;
  /** The negated terms, to exclude notes that contain them. */
  readonly negated: TextQuery['terms'];
}

/**
 * Parses the same syntax as `parseTextQuery`; the embedding model decides how much of the text it reads.
 * @throws INVALID_QUERY
 */
export function parseQuestion(text: string, match: Match): Question {
  const all = parseTerms(text);
  const positive = all.filter(({ negated }) => !negated);
  const meaning = positive.map(({ written }) => written).join(' ');
  if (!MEANINGFUL.test(meaning)) throw nothingToSearch(all);
  const words = positive.filter(isSearchable);
  const negated = distinct(all.filter((term) => term.negated && isSearchable(term))).map(withoutPlace);
  const { content, functionWords, language } = splitFunctionWords(words, match);
  const terms = [...distinct(content).map(withoutPlace), ...negated];
  return {
    meaning,
    query: words.length === 0 ? undefined : { terms, match, language, ...asName(all) },
    negated,
    ignored: ignoredIn(all),
    functionWords,
  };
}

function distinct(terms: readonly PlacedTerm[]): PlacedTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.text.toLowerCase()}`, term])).values()];
}

/** Fewer words are not a sentence. */
const MIN_SENTENCE_WORDS = 4;

/** With `any`, leaves the function words of a sentence out: notes with any of `how do I` are noise. */
function splitFunctionWords(terms: readonly PlacedTerm[], match: Match) {
  const words = terms.filter(({ kind, negated }) => kind === 'word' && !negated);
  const { language, words: found } = functionWordsIn(words.map(({ text }) => text));
  const whole = { content: terms, functionWords: [], language };
  if (match !== 'any' || words.length < MIN_SENTENCE_WORDS) return whole;
  const content = terms.filter((term) => term.kind !== 'word' || term.negated || !found.has(term.text));
  return content.every(({ negated }) => negated) ? whole : { content, functionWords: [...found], language };
}

/** The whole query as a possible note name; nothing if it has prefixes or negated terms. */
function asName(terms: readonly PlacedTerm[]): Pick<TextQuery, 'called'> {
  const isName = terms.every(({ kind, negated }) => kind !== 'prefix' && !negated);
  return isName ? { called: terms.map(({ written }) => written).join(' ') } : {};
}

function ignoredIn(terms: readonly PlacedTerm[]): string[] {
  const ignored = new Set(terms.filter((term) => !isSearchable(term)).map(({ text }) => text));
  return [...ignored].slice(0, MAX_LISTED_WORDS);
}

function isSearchable({ text }: PlacedTerm): boolean {
  return SEARCHABLE.test(text);
}

function withoutPlace({ position, written, ...term }: PlacedTerm): TextTerm {
  return term;
}

/** Not empty. @throws INVALID_QUERY */
function parseTerms(text: string): readonly PlacedTerm[] {
  if (text.trim() === '') throw invalid(0, 'it is empty');
  if (text.includes('\0')) throw invalid(text.indexOf('\0'), 'a NUL character');
  const term = /(-?)(?:"([^"]*)"|(\S+))/gu;
  return [...text.matchAll(term)].map((found) => {
    const [, minus, phrase, literal = ''] = found;
    const place = { negated: minus === '-', position: found.index };
    if (phrase === undefined) return wordTerm(literal, place);
    if (phrase.trim() === '') throw invalid(found.index, 'an empty phrase');
    return { text: phrase.trim(), written: phrase.trim(), kind: 'phrase', ...place };
  });
}

/** The ending of a possessive: `Snow's`, `sailors'`. */
const POSSESSIVE = /(?<=\p{L})['’]s?(?=[^\p{L}\p{N}]*$)/iu;

function wordTerm(literal: string, place: Pick<PlacedTerm, 'negated' | 'position'>): PlacedTerm {
  if (literal === '*') throw invalid(place.position, 'a `*` without the start of a word');
  const word = { text: literal.replace(POSSESSIVE, ''), written: literal, kind: 'word', ...place } as const;
  if (!literal.endsWith('*')) return word;
  const start = literal.slice(0, -1);
  return { ...word, text: start, written: start, kind: 'prefix' };
}

function nothingToSearch(terms: readonly PlacedTerm[]): VaultgraphError {
  const position = terms[0]?.position ?? 0;
  if (terms.every((term) => term.negated)) return invalid(position, 'only negated words');
  return invalid(position, 'no letter or digit to look for');
}

function invalid(position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field: 'query', position, reason });
}
