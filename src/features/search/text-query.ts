// Parses the text of a search into a full-text query, and into the text to embed for a search by meaning.
import { VaultgraphError } from '../../base/errors.ts';
import type { TextQuery, TextTerm } from '../../contracts/store.ts';

const MAX_CHARACTERS = 2_000;
const MAX_TERMS = 32;
/** More words hardly change which notes match; a question may be a whole paragraph. */
const MAX_QUESTION_TERMS = 64;
const MAX_NEGATED_TERMS = 32;
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
/** Also symbols with a meaning of their own, such as emoji, but not punctuation. */
const MEANINGFUL = /[\p{L}\p{N}\p{Co}\p{So}\p{Sm}\p{Extended_Pictographic}]/u;

type Match = TextQuery['match'];

/** A term of the query; `position` counts UTF-16 units from 0. */
interface PlacedTerm extends TextTerm {
  readonly position: number;
}

interface ParsedTextQuery {
  readonly query: TextQuery;
  /** Terms without a letter or digit, which cannot be searched for. */
  readonly ignored: readonly string[];
  /** Function words left out of the query. */
  readonly functionWords: readonly string[];
}

/**
 * Parses words, `"phrases"`, `-not` and `prefix*`. A quote or `-` inside a word and every other sign is part of the word.
 * @throws INVALID_QUERY, LIMIT_EXCEEDED
 */
export function parseTextQuery(text: string, match: Match): ParsedTextQuery {
  if (text.length > MAX_CHARACTERS) throw limitExceeded('characters', MAX_CHARACTERS, text.length);
  const all = parseTerms(text);
  const terms = all.filter(isSearchable);
  if (terms.length > MAX_TERMS) throw limitExceeded('terms', MAX_TERMS, terms.length);
  if (!terms.some((term) => !term.negated)) throw nothingToSearch(all);
  const { content, functionWords } = splitFunctionWords(terms, match);
  return {
    query: { terms: content.map(withoutPosition), match, ...asName(all) },
    ignored: ignoredIn(all),
    functionWords,
  };
}

export interface Question extends Omit<ParsedTextQuery, 'query'> {
  /** The text to embed: the terms in the order written, without negated terms, quotes and stars. */
  readonly meaning: string;
  /** Undefined if there is no word to search for. */
  readonly query: TextQuery | undefined;
  /** The negated terms, to exclude notes that contain them. */
  readonly negated: TextQuery['terms'];
  /** The number of distinct words beyond those in `query`. */
  readonly unsearched: number;
}

/**
 * Parses the same syntax as `parseTextQuery`, at any length; the embedding model decides how much of the text it reads.
 * @throws INVALID_QUERY; LIMIT_EXCEEDED for too many negated terms
 */
export function parseQuestion(text: string, match: Match): Question {
  const all = parseTerms(text);
  const positive = all.filter(({ negated }) => !negated);
  const meaning = positive.map((term) => term.text).join(' ');
  if (!MEANINGFUL.test(meaning)) throw nothingToSearch(all);
  const words = distinct(positive.filter(isSearchable));
  const negated = distinct(all.filter((term) => term.negated && isSearchable(term))).map(withoutPosition);
  if (negated.length > MAX_NEGATED_TERMS) throw limitExceeded('negated terms', MAX_NEGATED_TERMS, negated.length);
  const { content, functionWords } = splitFunctionWords(words, match);
  const terms = [...content.slice(0, MAX_QUESTION_TERMS).map(withoutPosition), ...negated];
  return {
    meaning,
    query: words.length === 0 ? undefined : { terms, match, ...asName(all) },
    negated,
    ignored: ignoredIn(all),
    functionWords,
    unsearched: Math.max(0, content.length - MAX_QUESTION_TERMS),
  };
}

function distinct(terms: readonly PlacedTerm[]): PlacedTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.text.toLowerCase()}`, term])).values()];
}

/** Fewer words are not a sentence. */
const MIN_SENTENCE_WORDS = 4;

/** With `any`, leaves the function words of a sentence out: notes with any of `how do I` are noise. */
function splitFunctionWords(
  terms: readonly PlacedTerm[],
  match: Match,
): { readonly content: readonly PlacedTerm[]; readonly functionWords: readonly string[] } {
  const words = terms.filter(({ kind, negated }) => kind === 'word' && !negated);
  if (match !== 'any' || words.length < MIN_SENTENCE_WORDS) return { content: terms, functionWords: [] };
  const left = new Set(words.filter(({ text }) => isFunctionWord(text)));
  const content = terms.filter((term) => !left.has(term));
  if (content.every(({ negated }) => negated)) return { content: terms, functionWords: [] };
  return { content, functionWords: [...left].map(({ text }) => text) };
}

const FUNCTION_WORDS = new Set(
  [
    'a an the this that these those it its there here',
    'i me my we our you your he him his she her they them their',
    'of to in on at by for from with into about as than',
    'and or but if so then not no',
    'is are was were be been being am do does did have has had',
    'can could might must shall should would',
    'how what when where which who whom whose why',
  ].flatMap((line) => line.split(' ')),
);

/** Words in capitals such as `IT` and `WHO` are names. `may` and `will` are not in the list: a month and a name. */
function isFunctionWord(written: string): boolean {
  const word = written.replace(/[?!.,;:]+$/, '');
  const isName = word.length > 1 && word === word.toUpperCase();
  return !isName && FUNCTION_WORDS.has(word.toLowerCase());
}

/** The whole query as a possible note name; nothing if it has prefixes or negated terms. */
function asName(terms: readonly PlacedTerm[]): Pick<TextQuery, 'called'> {
  const isName = terms.every(({ kind, negated }) => kind !== 'prefix' && !negated);
  return isName ? { called: terms.map(({ text }) => text).join(' ') } : {};
}

function ignoredIn(terms: readonly PlacedTerm[]): string[] {
  return terms.filter((term) => !isSearchable(term)).map(({ text }) => text);
}

function isSearchable({ text }: PlacedTerm): boolean {
  return SEARCHABLE.test(text);
}

function withoutPosition({ position, ...term }: PlacedTerm): TextTerm {
  return term;
}

/** Not empty. @throws INVALID_QUERY */
function parseTerms(text: string): readonly PlacedTerm[] {
  if (text.trim() === '') throw invalid(0, 'it is empty');
  if (text.includes('\0')) throw invalid(text.indexOf('\0'), 'a NUL character');
  const term = /(-?)(?:"([^"]*)("?)|(\S+))/gu;
  return [...text.matchAll(term)].map((found) => {
    const [, minus, phrase, closed, literal = ''] = found;
    const place = { negated: minus === '-', position: found.index };
    if (phrase === undefined) return wordTerm(literal, place);
    if (closed === '') throw invalid(found.index, 'a quote that is not closed');
    if (phrase.trim() === '') throw invalid(found.index, 'an empty phrase');
    return { text: phrase.trim(), kind: 'phrase', ...place };
  });
}

function wordTerm(literal: string, place: Pick<PlacedTerm, 'negated' | 'position'>): PlacedTerm {
  if (literal === '*') throw invalid(place.position, 'a `*` without the start of a word');
  if (literal.endsWith('*')) return { text: literal.slice(0, -1), kind: 'prefix', ...place };
  return { text: literal, kind: 'word', ...place };
}

function nothingToSearch(terms: readonly PlacedTerm[]): VaultgraphError {
  const position = terms[0]?.position ?? 0;
  if (terms.every((term) => term.negated)) return invalid(position, 'only negated words');
  return invalid(position, 'no letter or digit to look for');
}

function invalid(position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field: 'query', position, reason });
}

function limitExceeded(what: string, limit: number, actual: number): VaultgraphError {
  return new VaultgraphError('LIMIT_EXCEEDED', { field: `query (${what})`, limit, actual });
}
