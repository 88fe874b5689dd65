// What a person types to find words, as a full-text query in which every text is literal.
import { VaultgraphError } from '../../base/errors.ts';
import type { TextQuery, TextTerm } from '../../contracts/store.ts';

const MAX_CHARACTERS = 2_000;
const MAX_TERMS = 32;
/** Fewer words are no sentence. */
const MIN_WORDS = 4;
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;

export interface ParsedTextQuery {
  readonly query: TextQuery;
  /** Terms without a letter or digit: nothing can be looked for by them. */
  readonly ignored: readonly string[];
  /** Words left out because all that they do is hold a sentence together. */
  readonly binding: readonly string[];
}

/** A term as it stands in the query; `position` counts UTF-16 units from 0. */
export interface WrittenTerm extends TextTerm {
  readonly position: number;
}

/**
 * Reads words, `"phrases"`, `-not` and `prefix*`; a quote or `-` inside a word, and every other sign, is part of the word.
 * @throws INVALID_QUERY, LIMIT_EXCEEDED
 */
export function parseTextQuery(text: string, match: TextQuery['match']): ParsedTextQuery {
  if (text.length > MAX_CHARACTERS) throw exceeds('characters', MAX_CHARACTERS, text.length);
  const written = writtenTerms(text);
  const terms = written.filter(isSearchable);
  if (terms.length > MAX_TERMS) throw exceeds('terms', MAX_TERMS, terms.length);
  if (!terms.some((term) => !term.negated)) throw nothingToFind(written);
  const ignored = written.filter((term) => !isSearchable(term)).map((term) => term.text);
  const { telling, binding } = match === 'any' ? tellingTerms(terms) : { telling: terms, binding: [] };
  return { query: { terms: telling.map(plainTerm), match, ...calledBy(written) }, ignored, binding };
}

/** Of a sentence, the terms that say what it is about: where notes with any of them are wanted, `how do I` finds nothing but noise. */
export function tellingTerms(terms: readonly WrittenTerm[]): {
  readonly telling: readonly WrittenTerm[];
  readonly binding: readonly string[];
} {
  const words = terms.filter(({ kind, negated }) => kind === 'word' && !negated);
  const binding = new Set(words.length < MIN_WORDS ? [] : words.filter(({ text }) => isFunctionWord(text)));
  const telling = terms.filter((term) => !binding.has(term));
  if (!telling.some(({ negated }) => !negated)) return { telling: terms, binding: [] };
  return { telling, binding: [...binding].map(({ text }) => text) };
}

/** What the words may call a note as a whole; the start of a word and what is not wanted call none. */
export function calledBy(written: readonly WrittenTerm[]): Pick<TextQuery, 'called'> {
  const isName = written.every(({ kind, negated }) => kind !== 'prefix' && !negated);
  return isName ? { called: written.map(({ text }) => text).join(' ') } : {};
}

/** The terms as they stand in the text, at least one. @throws INVALID_QUERY */
export function writtenTerms(text: string): readonly WrittenTerm[] {
  if (text.trim() === '') throw unreadable(0, 'it is empty');
  if (text.includes('\0')) throw unreadable(text.indexOf('\0'), 'a NUL character');
  return [...termsIn(text)];
}

/** Whether full-text search can look for it. */
export function isSearchable({ text }: WrittenTerm): boolean {
  return SEARCHABLE.test(text);
}

export function plainTerm({ position, ...term }: WrittenTerm): TextTerm {
  return term;
}

/** Why terms of which none can be looked for make no query. */
export function nothingToFind(written: readonly WrittenTerm[]): VaultgraphError {
  const position = written[0]?.position ?? 0;
  if (written.every((term) => term.negated)) return unreadable(position, 'only negated words');
  return unreadable(position, 'no letter or digit to look for');
}

function* termsIn(text: string): Generator<WrittenTerm> {
  const word = /(-?)(?:"([^"]*)("?)|(\S+))/gu;
  for (const found of text.matchAll(word)) {
    const [, minus, phrase, closed, literal] = found;
    const position = found.index;
    if (phrase !== undefined && closed === '') throw unreadable(position, 'a quote that is not closed');
    if (phrase !== undefined) yield phraseTerm(phrase, minus === '-', position);
    else yield wordTerm(literal ?? '', minus === '-', position);
  }
}

function phraseTerm(phrase: string, negated: boolean, position: number): WrittenTerm {
  if (phrase.trim() === '') throw unreadable(position, 'an empty phrase');
  return { text: phrase.trim(), kind: 'phrase', negated, position };
}

function wordTerm(literal: string, negated: boolean, position: number): WrittenTerm {
  if (literal === '*') throw unreadable(position, 'a `*` without the start of a word');
  if (literal.endsWith('*')) return { text: literal.slice(0, -1), kind: 'prefix', negated, position };
  return { text: literal, kind: 'word', negated, position };
}

function unreadable(position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field: 'query', position, reason });
}

export function exceeds(what: string, limit: number, actual: number): VaultgraphError {
  return new VaultgraphError('LIMIT_EXCEEDED', { field: `query (${what})`, limit, actual });
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

/** `may` and `will` are left: a month, a name. Not where it is written in capitals: `IT` and `WHO` are names. */
function isFunctionWord(written: string): boolean {
  const word = written.replace(/[?!.,;:]+$/, '');
  const isName = word.length > 1 && word === word.toUpperCase();
  return !isName && FUNCTION_WORDS.has(word.toLowerCase());
}

/** More words than these say nothing more of which notes hold them; a whole paragraph may be asked for its meaning. */
const MAX_WORDS = 64;
const MAX_NEGATED = 32;
/** A sign that means something by itself, such as an emoji; punctuation does not. */
const MEANINGFUL = /[\p{L}\p{N}\p{Co}\p{So}\p{Sm}\p{Extended_Pictographic}]/u;

export interface Question {
  /** In the order they were written, without what is negated, quotes and stars. */
  readonly meaning: string;
  /** Undefined where no word can be looked up. */
  readonly query: TextQuery | undefined;
  /** Negated terms alone, to keep notes out that hold them. */
  readonly negated: TextQuery['terms'];
  /** Terms without a letter or digit. */
  readonly ignored: readonly string[];
  /** Words that count for the meaning and are not looked up, because all that they do is hold a sentence together. */
  readonly binding: readonly string[];
  /** Different words beyond those that are looked up. */
  readonly beyond: number;
}

/**
 * Reads what full-text search reads, and any length: how much of it fits is for the model to say.
 * @throws INVALID_QUERY; LIMIT_EXCEEDED for negated terms alone
 */
export function parseQuestion(text: string, match: TextQuery['match']): Question {
  const written = writtenTerms(text);
  const positive = written.filter(({ negated }) => !negated);
  const meaning = positive.map((term) => term.text).join(' ');
  if (!MEANINGFUL.test(meaning)) throw nothingToFind(written);
  const words = distinct(positive.filter(isSearchable));
  const negated = distinct(written.filter((term) => term.negated && isSearchable(term)));
  if (negated.length > MAX_NEGATED) throw exceeds('negated terms', MAX_NEGATED, negated.length);
  const { telling, binding } = match === 'any' ? tellingTerms(words) : { telling: words, binding: [] };
  const terms = [...telling.slice(0, MAX_WORDS), ...negated].map(plainTerm);
  return {
    meaning,
    query: words.length === 0 ? undefined : { terms, match, ...calledBy(written) },
    negated: negated.map(plainTerm),
    ignored: written.filter((term) => !isSearchable(term)).map((term) => term.text),
    binding,
    beyond: Math.max(0, telling.length - MAX_WORDS),
  };
}

function distinct(terms: readonly WrittenTerm[]): WrittenTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.text.toLowerCase()}`, term])).values()];
}
