// Parses the text of a search into a full-text query, and into the text to embed for a search by meaning.
import { VaultgraphError } from '../../base/errors.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { WORD_CHARACTERS } from '../../markdown/excerpt/fold-text.ts';
import { wordsIn } from '../notes/name-words.ts';
import { functionWordsIn, type Language } from './function-words.ts';
import { asOneNumber, asOneWord, otherSpellings } from './other-spellings.ts';

export const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
/** Also symbols with a meaning of their own, such as emoji, but not punctuation. */
export const MEANINGFUL = /[\p{L}\p{N}\p{Co}\p{So}\p{Sm}\p{Extended_Pictographic}]/u;

/** The most words that are listed as left out. */
export const MAX_LISTED_WORDS = 20;

type Match = TextQuery['match'];

/** A term of the query; `position` counts UTF-16 units from 0. */
interface PlacedTerm extends TextTerm {
  readonly position: number;
  /** With the ending that `text` has not. */
  readonly written: string;
}

/** Without a term to search for, only `reference` can find a note. */
export interface WrittenQuery extends TextQuery {
  readonly language: Language;
  /** How many terms are not negated, with function words. */
  readonly length: number;
  /** The text as a possible reference to a note; absent if it has negated terms or prefixes. */
  readonly reference?: string;
  /** The words outside of quotes, in which dates are looked for. */
  readonly loose: string;
}

type ParsedTextQuery = ReturnType<typeof parseTextQuery>;

/**
 * Parses words, `"phrases"`, `-not` and `prefix*`, at any length; each term counts once. A quote or `-` inside a word, a quote that
 * is not closed and every other sign is part of the word. Of Obsidian's `path:x` and the like, `x` is searched for.
 * `ignored`: terms without a letter or digit, which cannot be searched for.
 * `functionWords`: function words left out of the query.
 * @throws INVALID_QUERY
 */
export function parseTextQuery(text: string, match: Match) {
  const all = parseTerms(text);
  const terms = withSpellings(all.filter(isSearchable).flatMap(withoutJoints));
  const written = asWritten(withoutOperators(text), all);
  if (!terms.some(isWanted) && written.reference === undefined) throw nothingToSearch(all);
  const { content, functionWords, language } = splitFunctionWords(terms, match);
  const query: WrittenQuery = { terms: distinct(content).map(withoutPlace), match, language, ...written };
  return {
    query,
    ignored: ignoredIn(all),
    functionWords,
  };
}

export interface Question extends ParsedTextQuery {
  /** The text to embed: the terms in the order written, without negated terms, quotes and stars. */
  readonly meaning: string;
  /** The negated terms, to exclude notes that contain them. */
  readonly negated: TextQuery['terms'];
}

/**
 * Parses the same syntax as `parseTextQuery`; the embedding model decides how much of the text it reads.
 * @throws INVALID_QUERY
 */
export function parseQuestion(text: string, match: Match): Question {
  const all = parseTerms(text);
  const positive = all.filter(isWanted);
  const meaning = positive.map(({ written }) => written).join(' ');
  const words = withSpellings(positive.filter(isSearchable).flatMap(withoutJoints));
  const written = asWritten(withoutOperators(text), all);
  if (!MEANINGFUL.test(meaning) && written.reference === undefined) throw nothingToSearch(all);
  const negated = distinct(all.filter((term) => term.negated && isSearchable(term))).map(withoutPlace);
  const { content, functionWords, language } = splitFunctionWords(words, match);
  const terms = [...distinct(content).map(withoutPlace), ...negated];
  return {
    meaning,
    query: { terms, match, language, ...written },
    negated,
    ignored: ignoredIn(all),
    functionWords,
  };
}

/** Only what is to be found: a joined word after `-` is excluded as a whole. */
function withoutJoints(term: PlacedTerm): readonly PlacedTerm[] {
  if (term.kind !== 'word' || term.negated) return [term];
  const parts = partsOfJoined(term.text);
  const joined = wordsIn(term.text).join('');
  return parts.map((text, at) => ({
    ...term,
    text,
    ...(at === parts.length - 1 && text !== term.text && { forms: [joined] }),
  }));
}

/** With what the words can also be written as; only words in sequence make one word. */
function withSpellings(terms: readonly PlacedTerm[]): readonly PlacedTerm[] {
  return terms.map((term, at) => {
    if (term.kind !== 'word' || term.negated) return term;
    const joined = [asOneWord(terms[at - 1], term), asOneWord(term, terms[at + 1]), asOneNumber(terms, at)].filter(
      (text) => text !== undefined,
    );
    const forms = [...(term.forms ?? []), ...otherSpellings(withoutSigns(term.text)), ...joined];
    return forms.length === 0 ? term : { ...term, forms };
  });
}

const SIGNS_AROUND = new RegExp(`^[^${WORD_CHARACTERS}]+|[^${WORD_CHARACTERS}]+$`, 'gu');
const withoutSigns = (text: string): string => text.replace(SIGNS_AROUND, '');

function distinct(terms: readonly PlacedTerm[]): PlacedTerm[] {
  return [...new Map(terms.map((term) => [`${term.kind} ${term.text.toLowerCase()}`, term])).values()];
}

/** Fewer words are not a sentence. */
export const MIN_SENTENCE_WORDS = 4;

/** With `any`, leaves the function words of a sentence out: notes with any of `how do I` are noise. */
function splitFunctionWords(terms: readonly PlacedTerm[], match: Match) {
  const words = terms.filter(({ kind, negated }) => kind === 'word' && !negated);
  const { language, words: found } = functionWordsIn(words.map(({ text }) => text));
  const whole = { content: terms, functionWords: [], language };
  if (match !== 'any' || words.length < MIN_SENTENCE_WORDS) return whole;
  const content = terms.filter((term) => term.kind !== 'word' || term.negated || !found.has(term.text));
  return content.every(({ negated }) => negated) ? whole : { content, functionWords: [...found], language };
}

/** A longer text is no reference. */
const MAX_REFERENCE = 1_000;

/** The whole query as a possible note name, and as a reference; neither if it has prefixes or negated terms. */
function asWritten(
  text: string,
  terms: readonly PlacedTerm[],
): Pick<WrittenQuery, 'called' | 'reference' | 'length' | 'loose'> {
  const length = terms.filter(isWanted).length;
  const loose = terms.map(({ kind, negated, written }) => (kind === 'word' && !negated ? written : '|')).join(' ');
  if (terms.some(({ kind, negated }) => kind === 'prefix' || negated)) return { length, loose };
  const called = terms.map(({ written }) => written).join(' ');
  return { length, loose, called, ...(text.length <= MAX_REFERENCE && { reference: text }) };
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

/** Quotes of print, which phones write instead of straight ones, around a text without others. */
const CURLY_QUOTED = /(?<![^\s-])[“„«]([^“”„«»"\r\n]*)[”“»](?!\S)/gu;
/** A term: `-` negates what begins with a letter, a digit, a quote or the sign of a tag. */
const TERM = /(?:(-)(?=["#“„«\p{L}\p{N}\p{Co}]))?(?:"([^"]*)"(\*(?!\S))?|(\S+))/gu;

/** Not empty. @throws INVALID_QUERY */
function parseTerms(text: string): readonly PlacedTerm[] {
  if (text.trim() === '') throw invalidQuery(0, 'it is empty');
  if (text.includes('\0')) throw invalidQuery(text.indexOf('\0'), 'a NUL character');
  const straight = withoutOperators(text).replace(CURLY_QUOTED, '"$1"');
  return [...straight.matchAll(TERM)].map((match) => {
    const [, minus, phrase, star, literal = ''] = match;
    const place = { negated: minus === '-', position: match.index };
    if (phrase === undefined) return wordTerm(literal, place);
    return { text: phrase.trim(), written: phrase.trim(), kind: star === undefined ? 'phrase' : 'prefix', ...place };
  });
}

/** The ending of a possessive: `Snow's`, `sailors'`. */
const POSSESSIVE = /(?<=\p{L})['’]s?(?=[^\p{L}\p{N}]*$)/iu;

function wordTerm(literal: string, place: Pick<PlacedTerm, 'negated' | 'position'>): PlacedTerm {
  const [, start] = /^([^*]+)\*$/u.exec(literal) ?? [];
  if (start !== undefined) return { text: start, written: start, kind: 'prefix', ...place };
  return { text: literal.replace(POSSESSIVE, ''), written: literal, kind: 'word', ...place };
}

function nothingToSearch(terms: readonly PlacedTerm[]): VaultgraphError {
  const isNegated = terms.every((term) => term.negated || !isSearchable(term)) && terms.some((term) => term.negated);
  return invalidQuery(terms[0]?.position ?? 0, isNegated ? 'only negated words' : NO_WORD);
}

const NO_WORD = 'no letter or digit to look for';

/** By the reason why a query is refused. */
const WAYS_OUT = {
  'it is empty': 'Write the words to look for.',
  'a NUL character': 'Leave out the NUL character.',
  'only negated words': 'Add a word without `-` that the notes should have.',
  [NO_WORD]: 'Write a word with a letter or a digit that the notes should have.',
} as const;

const isWanted = ({ negated }: TextTerm): boolean => !negated;

/**
 * Warns about signs that no name of a note has.
 * @throws INVALID_QUERY if there is nothing to look for at all, and nothing was found by its name
 */
export function checkSearched(
  { terms, called = '' }: TextQuery,
  count: number,
  { warn }: Pick<CallContext, 'warn'>,
): void {
  if (count > 0 || terms.some(isWanted)) return;
  if (!MEANINGFUL.test(called)) throw invalidQuery(0, NO_WORD);
  const message =
    'signs and emoji are looked for in names of notes only, and no name has these: add a word of the text';
  warn({ code: 'WORDS_CANNOT_MATCH', message });
}

/** Whether there is a text to embed: letters, digits or symbols that mean something. */
export function hasMeaning({ meaning }: Question): boolean {
  return MEANINGFUL.test(meaning);
}

function invalidQuery(position: number, reason: keyof typeof WAYS_OUT): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field: 'query', position, reason, instead: WAYS_OUT[reason] });
}

const WORD = `[${WORD_CHARACTERS}]+`;
const JOINT = String.raw`['’ʼ\u2010-\u2015-]`;
/** Only such words, with punctuation around them: addresses, paths and dotted names are read as they are. */
const JOINED = new RegExp(`^[^${WORD_CHARACTERS}]*(${WORD}(?:${JOINT}${WORD})+)[^${WORD_CHARACTERS}]*$`, 'u');
const JOINTS = new RegExp(JOINT, 'u');
/** `don't`, `they're`: the parts do not have the meaning of the whole. */
const CONTRACTION = /^\p{L}+['’](?:t|re|ve|ll|m|d)$/iu;
const NUMBER = /^\p{N}+$/u;
/** `l'eau`, `e-mail`: a single letter matches too many notes. */
const LETTER = /^\p{L}\p{M}*$/u;

/** The parts to look for; the text itself if there is only one. A number stays with the word or number before it. */
function partsOfJoined(text: string): readonly string[] {
  const [, joined] = JOINED.exec(text.normalize('NFC')) ?? [];
  if (joined === undefined || CONTRACTION.test(joined)) return [text];
  const parts: string[] = [];
  for (const part of joined.split(JOINTS)) {
    const before = parts.at(-1);
    if (before !== undefined && NUMBER.test(part)) parts[parts.length - 1] = `${before}-${part}`;
    else parts.push(part);
  }
  const meaningful = parts.filter((part) => !LETTER.test(part));
  return meaningful.length < parts.length && meaningful.length > 0 ? meaningful : parts.length > 1 ? parts : [text];
}

const NAMES = 'path|folder|file|tags?|title|content|line|block|section|task(?:-todo|-done)?|match-case|ignore-case';
/** The value: a quoted text, one in parentheses, or up to the next blank. A URL such as `file:///a` has none. */
const VALUE = String.raw`(?!\/\/)(?:"[^"]*"|\([^()]*\)|[^\s:]\S*)`;
const OPERATOR = new RegExp(String.raw`(?<![^\s(])(-?)(?:${NAMES}):(?=(${VALUE}))`, 'giu');
const NEGATED = new RegExp(String.raw`(?<![^\s(])-(?:${NAMES}):${VALUE}`, 'giu');

interface Operator {
  readonly name: string;
  readonly negated: boolean;
  /** Without quotes, parentheses and the sign of a tag. */
  readonly value: string;
  readonly written: string;
}

/** Outside of quoted phrases. */
export function operatorsIn(text: string): Operator[] {
  return [...withoutPhrases(text).matchAll(OPERATOR)].map(({ 0: start, 1: minus, 2: value = '' }) => ({
    name: start.replace(/^-|:$/g, '').toLowerCase(),
    negated: minus === '-',
    value: value.replace(/^["(#]+|[")]+$/g, ''),
    written: `${start}${value}`,
  }));
}

/** The same length: values stay where they are, and what is negated is left out, because it is not a word to exclude. */
function withoutOperators(text: string): string {
  const blank = (blanked: string): string => ' '.repeat(blanked.length);
  return text.replace(NEGATED, blank).replace(OPERATOR, blank);
}

const withoutPhrases = (text: string): string => text.replace(/(^|\s)-?"[^"]*"/g, '$1');
