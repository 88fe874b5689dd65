// Notes found by words as they are written or, where nothing holds a word, as it is nearly written.
import type { NoteFilter, Page } from '../../contracts/note-filter.ts';
import type { Store, TextHits, TextQuery, TextTerm } from '../../contracts/store.ts';
import { isSpaceless } from '../../markdown/excerpt/term-matches.ts';
import {
  type CalledNotes,
  calledNotes,
  foldedWords,
  nearName,
  nearWord,
  slips,
  writtenWords,
} from '../notes/name-index.ts';
import type { SoughtTerm } from './snippets.ts';

export interface WordHits {
  /** What was looked for in the end. */
  readonly query: TextQuery;
  /** Where it is not what was written. */
  readonly corrected?: readonly Correction[];
  readonly found: TextHits;
}

export async function wordHits(
  query: TextQuery,
  filter: NoteFilter,
  page: Page,
  store: Store,
  signal: AbortSignal,
): Promise<WordHits> {
  const found = await store.searchText(query, filter, page, signal);
  const near = await nearQuery(query, found.holding, store, signal);
  if (near === undefined) return { query, found };
  const instead = await store.searchText(near.query, filter, page, signal);
  return instead.total === 0 ? { query, found } : { ...near, found: instead };
}

/** The terms that a hit may show, each by how rare it is. */
export function soughtTerms({ terms }: TextQuery, { holding, dropped }: TextHits): SoughtTerm[] {
  const weighed = terms.map((term, at) => ({ ...term, weight: 1 / Math.log2(2 + (holding[at] ?? 0)) }));
  return weighed.filter(({ text }) => !dropped.includes(text));
}

/** What was looked for instead of what was written. */
export interface Correction {
  readonly from: string;
  readonly to: string;
}

interface NearQuery {
  readonly query: TextQuery;
  /** At least one. */
  readonly corrected: readonly Correction[];
}

/** A query of more words is no name. */
const MAX_OF_NAME = 8;

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
  const isShort = query.terms.length > 1 && query.terms.length <= MAX_OF_NAME;
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

/** Where words are looked up. */
interface KnownWords {
  readonly called: CalledNotes;
  readonly store: Store;
  /** Whether words of texts count, too, beside those of titles and aliases. */
  readonly andTexts: boolean;
}

/** More words of one run than any title has. */
const MAX_WORDS = 16;
/** Of a word that stands in texts alone the first letters are taken to be right: only words that begin so are looked at. */
const SAME_LETTERS = 2;
const MAX_ALIKE = 10_000;
/** Characters that hold a Chinese or Japanese sentence together and begin no word. */
const BINDING = /[的了和与是在也都就吗呢吧把被はがをにのとでもへ]/u;

const wordTerm = (text: string): TextTerm => ({ text, kind: 'word', negated: false });

function isSame(one: string, other: string): boolean {
  return foldedWords(one).join(' ') === foldedWords(other).join(' ');
}

/** Undefined where there are none. */
async function otherTerms(
  term: TextTerm,
  { called, store, andTexts }: KnownWords,
  signal: AbortSignal,
): Promise<readonly TextTerm[] | undefined> {
  if (isSpaceless(term.text)) return term.kind === 'word' ? runTerms(term.text, store, signal) : undefined;
  const words = writtenWords(term.text);
  const { holding } = await store.wordCounts(words, signal);
  const inTexts = async (word: string) => (andTexts ? nearInTexts(word, store, signal) : undefined);
  const spelled = await Promise.all(
    words.map((word, at) => ((holding[at] ?? 0) > 0 ? word : (nearWord(called, word) ?? inTexts(word)))),
  );
  const text = spelled.join(' ');
  // What is called so may have no text in the index yet.
  return spelled.includes(undefined) || isSame(text, term.text) ? undefined : [{ ...term, text }];
}

/** The word of any text that begins alike and has the fewest slips; of equals the one in most notes. */
async function nearInTexts(word: string, store: Store, signal: AbortSignal): Promise<string | undefined> {
  const [folded = ''] = foldedWords(word);
  const begins = await store.wordsFrom(folded.slice(0, SAME_LETTERS), MAX_ALIKE, signal);
  const near = begins.flatMap(({ word: other, holding }) => {
    const slipped = slips(folded, other);
    return slipped === undefined ? [] : [{ other, slipped, holding }];
  });
  return near.sort((one, two) => one.slipped - two.slipped || two.holding - one.holding)[0]?.other;
}

/** The words that a run of characters is made of, as far as some note holds them; of two characters nothing is made. */
async function runTerms(text: string, store: Store, signal: AbortSignal): Promise<readonly TextTerm[] | undefined> {
  if ([...text].length <= 2) return undefined;
  const words = wordsOfRun(text);
  const { holding } = await store.wordCounts(words, signal);
  const known = words.filter((_, at) => (holding[at] ?? 0) > 0);
  // One character says little beside a word of several, and a syllable nothing.
  const long = known.filter((word) => [...word].length > 1);
  const taken = long.length > 0 ? long : known.filter((word) => /\p{sc=Han}/u.test(word));
  return words.length < 2 || taken.length === 0 ? undefined : taken.slice(0, MAX_WORDS).map(wordTerm);
}

/** As the dictionary of the engine parts them; characters that it leaves alone also with the one behind, for it knows no new words. */
function wordsOfRun(text: string): string[] {
  const segments = [...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)];
  const words = segments.flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
  const isAlone = (word: string | undefined): boolean => {
    return word !== undefined && [...word].length === 1 && !BINDING.test(word);
  };
  return [
    ...new Set(
      words.flatMap((word, at) => {
        const next = words[at + 1];
        return isAlone(word) && isAlone(next) ? [word + next, word] : [word];
      }),
    ),
  ];
}
