// Adds to the words of a query their other forms that occur in notes, so that `directed` also finds `directs`, and книга книгами.
import { stem } from 'porter2';
import type { Store } from '../../contracts/store.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { foldedWords, wordsIn } from '../notes/name-words.ts';
import type { Language } from './function-words.ts';

/** Words are forms of each other if their common beginning has at least this share of the longer word, and this many letters. */
const SAME_SHARE = 0.65;
/** In Cyrillic, Greek and the scripts of India, endings are longer beside the stem. */
const SAME_SHARE_ELSEWHERE = 0.55;
const SAME_LETTERS = 4;
/** Too many unrelated English words begin with a shorter stem. */
const MIN_STEM = 3;
const MAX_COMPARED_WORDS = 1_000;
/** The most frequent forms; few words have more. */
const MAX_FORMS = 24;
const ENGLISH = /^[a-z]{3,}$/;
const NUMBERED = /\p{N}/u;
const LATIN = /^\p{sc=Latin}/u;

/** Only words of an `any` query have forms. Quoted words stay exact. */
export async function withForms(
  query: TextQuery,
  language: Language,
  store: Store,
  context: ReadContext,
): Promise<TextQuery> {
  if (query.match === 'all') return query;
  const known = await context.storeCache.get(noForms, store, context.signal);
  const withItsForms = async (term: TextTerm): Promise<TextTerm> => {
    const [word = '', another] = foldedWords(term.text);
    if (term.kind !== 'word' || term.negated || another !== undefined) return term;
    const isEnglish = language === 'en' && isPlain(term.text);
    const key = `${isEnglish} ${word}`;
    const forms = known.get(key) ?? (await formsOf(word, isEnglish, store, context.signal));
    known.set(key, forms);
    return forms.length === 0 ? term : { ...term, forms };
  };
  return { ...query, terms: await Promise.all(query.terms.map(withItsForms)) };
}

/** Emptied with every change of the index. */
const noForms = async () => new Map<string, readonly string[]>();

async function formsOf(
  word: string,
  isEnglish: boolean,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (HANGUL.test(word)) return withoutParticles(word);
  if (NUMBERED.test(word) || hasUnspacedScript(word)) return [];
  const english = isEnglish ? [{ start: englishStart(word), isForm: sharesStem(word) }] : [];
  const found = new Map<string, number>();
  const read = createWordReader(store, signal);
  for (const { start, isForm } of [...english, ...beginningsOf(word)])
    for (const { word: other, docFrequency } of await read(start))
      if (other !== word && isForm(other)) found.set(other, docFrequency);
  return [...found]
    .sort((one, other) => other[1] - one[1])
    .slice(0, MAX_FORMS)
    .map(([form]) => form);
}

/** Words that were all read for a beginning are not read again for a longer one. */
function createWordReader(store: Store, signal: AbortSignal) {
  let known: { readonly start: string; readonly words: Awaited<ReturnType<Store['wordsFrom']>> } | undefined;
  return async (start: string) => {
    if (known !== undefined && start.startsWith(known.start))
      return known.words.filter(({ word }) => word.startsWith(start));
    const words = await store.wordsFrom(start, MAX_COMPARED_WORDS, signal);
    if (words.length < MAX_COMPARED_WORDS) known = { start, words };
    return words;
  };
}

/** `happi` is the stem of `happy`. */
const englishStart = (word: string): string => {
  const start = stem(word).replace(/i$/, '');
  return start.length < MIN_STEM ? word : start;
};

/**
 * Whether the forms are of the same word, and not only words that are spelled alike. For a word with letters beyond English the likeness
 * is enough: its endings are not known, and it is found as it is written.
 */
export function hasOwnForm({ text, forms = [] }: TextTerm): boolean {
  return isPlain(text) ? forms.some(sharesStem(foldedWords(text)[0] ?? '')) : forms.length > 0;
}

/** As English words are, without accents. */
const isPlain = (text: string): boolean => ENGLISH.test(wordsIn(text)[0]?.toLowerCase() ?? '');

function sharesStem(word: string): (other: string) => boolean {
  const stemmed = stem(word);
  return (other) => ENGLISH.test(other) && stem(other) === stemmed;
}

const HANGUL = /^\p{sc=Hangul}+$/u;
/** Syllables of a Korean ending, and of the shortest word before it. */
const PARTICLES = [1, 2, 3];
const MIN_SYLLABLES = 2;

/** A run of syllables is found inside longer ones: 학교 in 학교에서. */
function withoutParticles(word: string): string[] {
  const syllables = [...word];
  const lengths = PARTICLES.map((length) => syllables.length - length).filter((length) => length >= MIN_SYLLABLES);
  return lengths.map((length) => syllables.slice(0, length).join(''));
}

/** Where forms of a word are in the list of all words. */
interface Beginning {
  readonly start: string;
  readonly isForm: (other: string) => boolean;
}

/** The article, prepositions and conjunctions that are written together with a word, the longest first. */
const CLITICS: readonly (readonly [script: RegExp, clitics: readonly string[]])[] = [
  [/^\p{sc=Arab}+$/u, ['وال', 'بال', 'فال', 'كال', 'ال', 'لل', 'و', 'ب', 'ل', 'ف', 'ك']],
  [/^\p{sc=Hebr}+$/u, ['וה', 'ה', 'ב', 'ל', 'מ', 'ו', 'ש', 'כ']],
];
/** Without them, words of these scripts are short. */
const LEAST_LETTERS = 3;
/** In the scripts of India a vowel after a consonant is a mark: भूमि has two letters. */
const MARK = /\p{M}/u;

function beginningsOf(word: string): readonly Beginning[] {
  const [, clitics] = CLITICS.find(([script]) => script.test(word)) ?? [];
  if (clitics === undefined)
    return beginning('', [...word], SAME_LETTERS, LATIN.test(word) ? SAME_SHARE : SAME_SHARE_ELSEWHERE);
  const clitic = clitics.find((one) => word.startsWith(one) && word.length - one.length >= LEAST_LETTERS) ?? '';
  const bare = [...word.slice(clitic.length)];
  return ['', ...clitics].flatMap((one) => beginning(one, bare, LEAST_LETTERS, SAME_SHARE));
}

/** @param before what another word may have before the common letters */
function beginning(before: string, letters: readonly string[], least: number, share: number): Beginning[] {
  if (letters.length < least) return [];
  const start = letters.slice(0, Math.max(least, Math.ceil(share * letters.length)));
  const isForm = (other: string): boolean => {
    const others = [...other.slice(before.length)];
    const common = commonLetters(letters, others);
    const isLike = common >= least && common >= share * Math.max(letters.length, others.length);
    return isLike && !NUMBERED.test(other) && withoutMarks(letters.slice(0, common)).length >= LEAST_LETTERS;
  };
  return [{ start: `${before}${start.join('')}`, isForm }];
}

const withoutMarks = (letters: readonly string[]): string[] => letters.filter((letter) => !MARK.test(letter));

function commonLetters(one: readonly string[], other: readonly string[]): number {
  let common = 0;
  while (common < one.length && one[common] === other[common]) common += 1;
  return common;
}
