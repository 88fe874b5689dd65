// Searches notes by words and, where a word occurs in no note, by its most likely correction.

import { decodePath } from '../../base/note-uri.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter, Page } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import type { SoughtDate, TextHit, TextHits, TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { everyLanguage } from '../../markdown/dates/moment-language.ts';
import { namedDates } from '../../markdown/dates/named-dates.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { idf } from '../../postings/rank.ts';
import { type NameIndex, nameIndex } from '../notes/name-index.ts';
import { foldedWords, typosIn, wordsIn } from '../notes/name-words.ts';
import type { OutlineContext } from '../notes/note-content.ts';
import { partsOfCompound } from './compounds.ts';
import { type LeftOutTerms, mostDistinctive } from './distinctive-terms.ts';
import { pageToRead, rankByAccents } from './exact-accents.ts';
import type { Language } from './function-words.ts';
import { inOtherKana, inOtherOkurigana } from './other-spellings.ts';
import { referredNotes } from './referred-notes.ts';
import { MIN_SENTENCE_WORDS, type WrittenQuery } from './text-query.ts';
import { hasOwnForm, withForms } from './word-forms.ts';

/** A replaced part of the query. */
export interface Correction {
  readonly from: string;
  readonly to: string;
}

interface CorrectedQuery {
  readonly query: TextQuery;
  /** Not empty. */
  readonly corrected: readonly Correction[];
}

export interface WordSearch {
  /** The query that was run. */
  readonly query: TextQuery;
  /** How it differs from the query as written; absent where it does not. */
  readonly corrected?: readonly Correction[];
  /** What of a long query was not searched for. */
  readonly leftOut?: LeftOutTerms;
  readonly found: TextHits;
  /** The texts of the hits that were read for their order, by path. */
  readonly texts?: ReadonlyMap<string, string>;
}

/** With the page of hits as accents rank them. */
export async function searchWords(
  written: WrittenQuery,
  filter: NoteFilter,
  page: Page,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext & OutlineContext,
): Promise<WordSearch> {
  const read = pageToRead(written, page);
  const search = await findWords(written, filter, read, sources, context);
  if (read === page) return search;
  return { ...search, ...(await rankByAccents(search, page, sources.vault, context)) };
}

async function findWords(
  written: WrittenQuery,
  filter: NoteFilter,
  page: Page,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<WordSearch> {
  const { store } = sources;
  const { language, length, reference, loose, ...asWritten } = written;
  const named = reference === undefined ? [] : await referredNotes(reference, sources, context);
  const { query: shorter, ...shortened } = await mostDistinctive(asWritten, store, context.signal);
  const dated = written.match === 'all' ? [] : await datesIn(loose, language);
  const isShort = length < MIN_SENTENCE_WORDS;
  const withItsForms = await withForms(shorter, { language, isShort }, store, context);
  const spelled = { ...withItsForms, ...(named.length > 0 && { named }), ...(dated.length > 0 && { dated }) };
  const search = (query: TextQuery) => store.searchText(query, filter, page, context.signal);
  const first = { query: spelled, found: await search(spelled) };
  const parted = await withParts(spelled, first.found.docFrequencies, store, context.signal);
  const { query, found } = parted === undefined ? first : { query: parted, found: await search(parted) };
  if (length >= MIN_SENTENCE_WORDS && found.total > 0) return { query, ...shortened, found };
  const correction = await correctQuery(query, found.docFrequencies, store, context);
  if (correction === undefined) return { query, ...shortened, found };
  const foundInstead = await search(correction.query);
  return { ...shortened, ...(foundInstead.total === 0 ? { query, found } : { ...correction, found: foundInstead }) };
}

async function datesIn(text: string, language: Language): Promise<readonly SoughtDate[]> {
  const dates = namedDates(text, await everyLanguage(), language);
  return dates.map(({ isSure, ...date }) => ({ ...date, isFound: isSure }));
}

/** The terms to show in snippets; rare terms weigh more. */
export function highlightTerms({ terms }: TextQuery, { indexed, docFrequencies, dropped }: TextHits) {
  const weighted = terms.map((term, at) => ({ ...term, weight: idf(indexed, docFrequencies[at] ?? 0) }));
  return weighted.filter(({ text }) => !dropped.includes(text));
}

/** BM25 of a hit, and what names add to it. */
export function wordScores({ bm25, nameInQuery, namedBy }: TextHit) {
  return {
    bm25,
    ...(nameInQuery === undefined ? {} : { name_in_query: nameInQuery }),
    ...(namedBy === undefined ? {} : { named_by: namedBy }),
  };
}

/** A query with more words is not taken for a name. */
const MAX_NAME_WORDS = 8;

/** A query with what is needed to correct it. */
interface QueryToCorrect {
  readonly query: TextQuery;
  /** Words and phrases that occur in no note. */
  readonly unknown: ReadonlySet<TextTerm>;
  /** Whether the query has no hits as written. Only then words from note texts are tried beside words from names. */
  readonly hasNoHits: boolean;
}

/**
 * Undefined if every term occurs in some note, or if nothing similar exists. A short query is also corrected if one of its words
 * occurs in exactly one note, because that note may contain the same typo.
 * @param docFrequency the number of notes in which each term of the query occurs
 */
export async function correctQuery(
  query: TextQuery,
  docFrequency: readonly number[],
  store: Store,
  context: ReadContext,
): Promise<CorrectedQuery | undefined> {
  const isCorrectable = (term: TextTerm): boolean => !term.negated && term.kind !== 'prefix' && !hasOwnForm(term);
  const unknown = new Set(query.terms.filter((term, at) => isCorrectable(term) && docFrequency[at] === 0));
  const isShort = query.terms.length > 1 && query.terms.length <= MAX_NAME_WORDS;
  const mayShareTypo = query.match === 'any' && isShort && docFrequency.includes(1);
  if (unknown.size === 0 && !mayShareTypo) return undefined;
  const isWhole = (await store.progress(context.signal)).scannedAt !== null;
  const names = isWhole ? await nameIndex(store, context) : undefined;
  const hasKnownTerm = query.terms.some((term) => !term.negated && !unknown.has(term));
  const toCorrect = { query, unknown, hasNoHits: query.match === 'all' || !hasKnownTerm };
  return (names && correctAsName(toCorrect, names)) ?? correctWords(toCorrect, names, store, context.signal);
}

/** Replaces the whole query with the name that it misspells. With `any`, the terms that occur in notes stay. */
function correctAsName({ query, unknown }: QueryToCorrect, names: NameIndex): CorrectedQuery | undefined {
  if (query.called === undefined) return undefined;
  const name = names.correctedName(query.called);
  if (name === undefined) return undefined;
  const occurring = query.match === 'any' ? query.terms.filter((term) => !unknown.has(term)) : [];
  const words = wordsIn(name).map(wordTerm);
  const terms = [...new Map([...occurring, ...words].map((term) => [foldedWords(term.text).join(' '), term])).values()];
  return { query: { ...query, terms, called: name }, corrected: differences(query.called, name) };
}

/** The words that differ; the whole text if the numbers of words differ. */
function differences(from: string, to: string): Correction[] {
  const [written, named] = [wordsIn(from), wordsIn(to)];
  if (written.length !== named.length) return [{ from, to }];
  return written.flatMap((word, at) => {
    const other = named[at] ?? '';
    return isSame(word, other) ? [] : [{ from: word, to: other }];
  });
}

/** @param names absent until every note is indexed: a word that is found nowhere may be in one of those that are left */
async function correctWords(
  { query, unknown, hasNoHits }: QueryToCorrect,
  names: NameIndex | undefined,
  store: Store,
  signal: AbortSignal,
): Promise<CorrectedQuery | undefined> {
  const corrected: Correction[] = [];
  const terms: TextTerm[] = [];
  for (const term of query.terms) {
    const other = unknown.has(term) ? await correctTerm(term, names, hasNoHits, store, signal) : undefined;
    terms.push(other ?? term);
    if (other !== undefined) corrected.push({ from: term.text, to: other.text });
  }
  return corrected.length === 0 ? undefined : { query: { ...query, terms }, corrected };
}

const wordTerm = (text: string): TextTerm => ({ text, kind: 'word', negated: false });

function isSame(one: string, other: string): boolean {
  return foldedWords(one).join(' ') === foldedWords(other).join(' ');
}

/** Undefined if there is no correction. @param triesTexts whether words from note texts are tried beside words from names */
async function correctTerm(
  term: TextTerm,
  names: NameIndex | undefined,
  triesTexts: boolean,
  store: Store,
  signal: AbortSignal,
) {
  if (names === undefined || hasUnspacedScript(term.text)) return undefined;
  const words = wordsIn(term.text);
  const { docFrequencies } = await store.wordCounts(words, signal);
  const correctWord = async (word: string, at: number) => {
    if ((docFrequencies[at] ?? 0) > 0) return word;
    return (await names.correctedWord(word)) ?? (triesTexts ? wordFromTexts(word, store, signal) : undefined);
  };
  const spelled = await Promise.all(words.map(correctWord));
  const text = spelled.join(' ');
  // The text of the note with that name may not be indexed yet.
  if (spelled.includes(undefined) || isSame(text, term.text)) return undefined;
  const { forms: _, ...written } = term;
  return { ...written, text };
}

/** The first letters of a word are taken as correct: only words with the same beginning are compared. */
const SAME_LETTERS = 2;
const MAX_COMPARED_WORDS = 10_000;

/** The word of any note text with the same beginning and the fewest typos; of equals the most frequent. */
async function wordFromTexts(word: string, store: Store, signal: AbortSignal): Promise<string | undefined> {
  const [folded = ''] = foldedWords(word);
  const candidates = await store.wordsFrom(folded.slice(0, SAME_LETTERS), MAX_COMPARED_WORDS, signal);
  const similar = candidates.flatMap(({ word: other, docFrequency }) => {
    const typos = typosIn(folded, other);
    return typos === undefined ? [] : [{ other, typos, docFrequency }];
  });
  return similar.sort((one, two) => one.typos - two.typos || two.docFrequency - one.docFrequency)[0]?.other;
}

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
    const isUnknown = term.kind === 'word' && !term.negated && docFrequencies[at] === 0 && !hasOwnForm(term);
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

/** Returns the words of a path, an address or `snake_case` that occur in notes, without numbers and single letters. */
async function wordsOfCompound(
  text: string,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const words = [...new Set(wordsIn(decodePath(text).replace(SCHEME, '').replace(ENDING, '')))].slice(0, MAX_PARTS);
  if (words.length === 0) return undefined;
  if (words.join('') === text) return partsOfCompound(text, store, signal);
  const { docFrequencies } = await store.wordCounts(words, signal);
  const occurring = words.filter((_, at) => (docFrequencies[at] ?? 0) > 0);
  const telling = occurring.filter((word) => /\p{L}.*\p{L}/u.test(word));
  return telling.length > 0 ? telling : undefined;
}

/** More words in one run than any title has. */
const MAX_RUN_WORDS = 16;

/** Its words that occur in notes; undefined if there are none, or nothing to split. Runs of two characters are not split. */
async function wordsOfRun(text: string, store: Store, signal: AbortSignal): Promise<readonly string[] | undefined> {
  if ([...text].length <= 2) return undefined;
  const words = segment(text);
  const spellings = words.flatMap((word) =>
    [word, ...inOtherKana(word), ...inOtherOkurigana(word)].map((written) => ({ word, written })),
  );
  const { docFrequencies } = await store.wordCounts(
    spellings.map(({ written }) => written),
    signal,
  );
  const occurring = spellings.filter((_, at) => (docFrequencies[at] ?? 0) > 0);
  const knownWords = [
    ...new Map(occurring.toReversed().map(({ word, written }) => [word, written])).values(),
  ].reverse();
  const long = knownWords.filter((word) => [...word].length > 1);
  // A single syllable means nothing, and a character of a longer word nothing more.
  const isApart = (word: string): boolean => /\p{sc=Han}/u.test(word) && !long.some((other) => other.includes(word));
  const chosen = knownWords.filter((word) => [...word].length > 1 || isApart(word));
  return words.length < 2 || chosen.length === 0 ? undefined : chosen.slice(0, MAX_RUN_WORDS);
}

/** Chinese and Japanese particles, which start no word. */
const PARTICLE = /[的了和与是在也都就吗呢吧把被はがをにのとでもへ]/u;

/** Splits by the ICU dictionary. Two single characters in a row are also tried as one word, because the dictionary has no new words. */
function segment(text: string): string[] {
  const segments = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)];
  const words = segments.filter(({ isWordLike }) => isWordLike).map((one) => one.segment);
  const isSingle = (word: string | undefined): boolean =>
    word !== undefined && [...word].length === 1 && !PARTICLE.test(word);
  const withPairs = words.flatMap((word, at) => {
    const next = words[at + 1];
    return isSingle(word) && isSingle(next) ? [word + next, word] : [word];
  });
  return [...new Set(withPairs)];
}
