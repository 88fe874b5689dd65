// Adds to the words of a query their other forms that occur in notes, so that `directed` also finds `directs`, and книга книгами.
import { stem } from 'porter2';
import type { Store } from '../../contracts/store.ts';
import type { TextQuery, TextTerm } from '../../contracts/text-query.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { foldedWords, wordsIn } from '../notes/name-words.ts';
import { likelyCompounds, MIN_FIRST, occurring, possibleCompounds, writtenApart, writtenAsOne } from './compounds.ts';
import { inDigitGroups } from './digit-groups.ts';
import type { Language } from './function-words.ts';
import { brokenPlurals, irregularForms, otherClasses } from './irregular-forms.ts';
import { withOkurigana, withSingleLetters } from './other-spellings.ts';

/** Words are forms of each other if their common beginning has at least this share of the longer word, and this many letters. */
const SAME_SHARE = 0.65;
/** In Cyrillic, Greek and the scripts of India, endings are longer beside the stem. */
const SAME_SHARE_ELSEWHERE = 0.55;
/** For a plural with a root of three letters: ילדים of ילד. */
const SAME_SHARE_IN_HEBREW = 0.6;
const SAME_LETTERS = 4;
/** Too many unrelated English words begin with a shorter stem. */
const MIN_STEM = 3;
const MAX_COMPARED_WORDS = 1_000;
/** The most frequent forms; few words have more. */
const MAX_FORMS = 24;
const ENGLISH = /^[a-z]{2,}$/;
const NUMBERED = /\p{N}/u;
const LATIN = /^\p{sc=Latin}/u;

/** What decides which words are forms. */
interface FormRules {
  readonly isEnglish: boolean;
  /** A word of a short query that is not found as it is says more than one of a sentence. */
  readonly isShort: boolean;
}

/** Only words of an `any` query have forms. Quoted words stay exact. Of the spellings that the query has as forms those that occur are left. */
export async function withForms(
  query: TextQuery,
  { language, isShort }: { readonly language: Language } & Pick<FormRules, 'isShort'>,
  store: Store,
  context: ReadContext,
): Promise<TextQuery> {
  if (query.match === 'all') return { ...query, terms: query.terms.map(({ forms, ...term }) => term) };
  const cachedForms = await context.storeCache.get(noForms, store, context.signal);
  const withItsForms = async (term: TextTerm, at: number): Promise<TextTerm> => {
    const { forms: others, ...written } = term;
    const [word = '', another] = foldedWords(term.text);
    if (term.kind !== 'word' || term.negated) return term;
    const isEnglish = language === 'en' && isPlain(term.text);
    const spellings = [...(others ?? []), ...(isShort ? withNeighbours(query.terms, at) : [])];
    const key = [isEnglish, isShort, another === undefined ? word : '', ...spellings].join(' ');
    // All at once: what is read of the index at the same time is checked once.
    const find = () =>
      Promise.all([
        spellings.length === 0 ? [] : occurring(spellings, store, context.signal),
        inGroups(spellings, store, context.signal),
        another === undefined ? formsOf(word, { isEnglish, isShort }, store, context.signal) : [],
      ]);
    const forms = cachedForms.get(key) ?? (await find()).flat();
    cachedForms.set(key, forms);
    return forms.length === 0 ? written : { ...written, forms };
  };
  return { ...query, terms: await Promise.all(query.terms.map(withItsForms)) };
}

function withNeighbours(terms: readonly TextTerm[], at: number): string[] {
  const pairs = [writtenAsOne(terms[at - 1], terms[at]), writtenAsOne(terms[at], terms[at + 1])];
  return pairs.filter((text) => text !== undefined);
}

async function inGroups(spellings: readonly string[], store: Store, signal: AbortSignal): Promise<readonly string[]> {
  return (await Promise.all(spellings.map((text) => inDigitGroups(text, store, signal)))).flat();
}

/** Emptied with every change of the index. */
const noForms = async () => new Map<string, readonly string[]>();

async function formsOf(word: string, rules: FormRules, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  if (HANGUL.test(word)) return withoutParticles(word);
  if (NUMBERED.test(word)) return inDigitGroups(word, store, signal);
  if (hasUnspacedScript(word))
    return (await isKnown(word, store, signal)) ? [] : occurring(withOkurigana(word), store, signal);
  const read = createWordReader(store, signal);
  const [countByForm, possible] = await Promise.all([
    formsAlike(word, rules, read),
    possibleCompounds(word, rules.isShort, store, signal),
  ]);
  if (ARABIC.test(word)) await addBrokenPlurals(word, countByForm, store, signal);
  const isFound = countByForm.has(word) || (await isKnown(word, store, signal));
  const isOnly = rules.isShort && !isFound && countByForm.size === 0;
  const compounds = await likelyCompounds(word, possible, isOnly, store, signal);
  for (const { word: other, docFrequency } of compounds) countByForm.set(other, docFrequency);
  const apart = isFound && !rules.isShort ? [] : await writtenApart(word, isFound, store, signal);
  if (countByForm.size + apart.length === 0 && !isFound) return instead(word, rules, read, store, signal);
  countByForm.delete(word);
  return [...mostFrequent(countByForm), ...apart];
}

/** The words that are spelled alike, with the number of notes that have each. */
async function formsAlike(word: string, { isEnglish }: FormRules, read: WordReader): Promise<Map<string, number>> {
  const beginnings = [...(isEnglish ? englishBeginnings(word) : []), ...beginningsOf(word)];
  const starts = new Set(beginnings.map(({ start }) => start));
  const isLonger = (start: string): boolean => [...starts].some((other) => other !== start && start.startsWith(other));
  await Promise.all([...starts].filter((start) => !isLonger(start)).map(read));
  const countByForm = new Map<string, number>();
  for (const { start, isForm } of beginnings)
    for (const { word: other, docFrequency } of await read(start))
      if (isForm(other)) countByForm.set(other, docFrequency);
  return countByForm;
}

async function addBrokenPlurals(word: string, countByForm: Map<string, number>, store: Store, signal: AbortSignal) {
  const possible = withoutClitic(word, CLITICS_OF_ARABIC).flatMap(brokenPlurals);
  const { docFrequencies } = await store.wordCounts(possible, signal);
  for (const [at, form] of possible.entries()) {
    const count = docFrequencies[at] ?? 0;
    if (count > 0) countByForm.set(form, count);
  }
}

const mostFrequent = (countByForm: ReadonlyMap<string, number>): string[] =>
  [...countByForm]
    .sort((one, other) => other[1] - one[1])
    .slice(0, MAX_FORMS)
    .map(([form]) => form);

const isKnown = async (word: string, store: Store, signal: AbortSignal): Promise<boolean> =>
  (await store.wordCounts([word], signal)).docFrequencies[0] !== 0;

/**
 * For a word that no note has, nor one like it: what it is written as otherwise, two words for one, all words that begin with it, or
 * in a short query those that begin most like it.
 */
async function instead(
  word: string,
  rules: FormRules,
  read: WordReader,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (const single of withSingleLetters(word)) {
    const forms = await formsOf(single, { ...rules, isEnglish: false }, store, signal);
    if (forms.length > 0 || (await isKnown(single, store, signal))) return [single, ...forms];
  }
  const others = LATIN.test(word) ? await occurring(otherClasses(word), store, signal) : [];
  if (others.length > 0) return others;
  if ([...word].length < (LATIN.test(word) ? SAME_LETTERS : LEAST_LETTERS)) return [];
  const longer = await read(word);
  const some = longer.length > 0 || !rules.isShort ? longer : await mostAlike(word, rules, read);
  return mostFrequent(new Map(some.map(({ word: other, docFrequency }) => [other, docFrequency])));
}

/** The words with the longest common beginning, at least half of the longer word; an English word only has a shorter one in it. */
async function mostAlike(word: string, { isEnglish }: FormRules, read: WordReader): ReturnType<WordReader> {
  const letters = [...word];
  const start = letters.slice(0, Math.max(SAME_LETTERS, Math.ceil(letters.length / 2))).join('');
  const alike = (await read(start)).flatMap((other) => {
    const others = [...other.word];
    const common = commonLetters(letters, others);
    const isAlike = isEnglish ? common === others.length : 2 * common >= others.length;
    return isAlike && !NUMBERED.test(other.word) ? [{ other, common }] : [];
  });
  const most = Math.max(...alike.map(({ common }) => common));
  return alike.filter(({ common }) => common === most).map(({ other }) => other);
}

type WordReader = ReturnType<typeof createWordReader>;

/** Words that were all read for a beginning are not read again for a longer one, nor those of the same one. */
function createWordReader(store: Store, signal: AbortSignal) {
  const known = new Map<string, Awaited<ReturnType<Store['wordsFrom']>>>();
  return async (start: string) => {
    const same = known.get(start);
    if (same !== undefined) return same;
    for (const [shorter, words] of known)
      if (start.startsWith(shorter) && words.length < MAX_COMPARED_WORDS)
        return words.filter(({ word }) => word.startsWith(start));
    const words = await store.wordsFrom(start, MAX_COMPARED_WORDS, signal);
    known.set(start, words);
    return words;
  };
}

function englishBeginnings(word: string): readonly Beginning[] {
  const forms = irregularForms(word);
  return forms.map((form) => {
    const isSame = sharesStem(form);
    return { start: englishStart(form), isForm: (other) => other === form || isSame(other) };
  });
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
  const [word = ''] = foldedWords(text);
  if (!isPlain(text)) return forms.length > 0;
  const starts = [word, ...withSingleLetters(word)];
  const irregular = new Set(irregularForms(word));
  return (
    forms.some(sharesStem(word)) ||
    forms.some((form) => irregular.has(form)) ||
    forms.some(
      (form) => form.includes(' ') || starts.some((start) => form.startsWith(start) || isLastPart(start, form)),
    )
  );
}

/** Whether the form has a word in it that is spelled alike, and not only its beginning. */
const isLastPart = (word: string, form: string): boolean =>
  form.indexOf(word.slice(0, Math.ceil(SAME_SHARE * word.length)), MIN_FIRST) !== -1;

/** Whether it is written as English words are, without accents. */
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

const ARABIC = /^\p{sc=Arab}+$/u;
/** The article, prepositions and conjunctions that are written together with a word, the longest first. */
const CLITICS_OF_ARABIC = ['وال', 'بال', 'فال', 'كال', 'ال', 'لل', 'و', 'ب', 'ل', 'ف', 'ك'];
const CLITICS_OF_HEBREW = ['וה', 'וב', 'ול', 'ומ', 'שה', 'מה', 'ה', 'ב', 'ל', 'מ', 'ו', 'ש', 'כ'];
const CLITICS: readonly (readonly [script: RegExp, share: number, clitics: readonly string[]])[] = [
  [ARABIC, SAME_SHARE, CLITICS_OF_ARABIC],
  [/^\p{sc=Hebr}+$/u, SAME_SHARE_IN_HEBREW, CLITICS_OF_HEBREW],
];
/** Without them, words of these scripts are short. */
const LEAST_LETTERS = 3;
/** The letters that Hebrew writes in another way at the end of a word. */
const INSIDE = new Map<string | undefined, string>(Object.entries({ ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' }));
const WRITTEN_IN_TWO_WAYS: ReadonlySet<string | undefined> = new Set([...INSIDE].flat());
/** In the scripts of India a vowel after a consonant is a mark: भूमि has two letters. */
const MARK = /\p{M}/u;

function beginningsOf(word: string): readonly Beginning[] {
  const joined = CLITICS.find(([script]) => script.test(word));
  if (joined === undefined) {
    const least = MARK.test(word) ? LEAST_LETTERS : SAME_LETTERS;
    return beginning('', [...word], least, LATIN.test(word) ? SAME_SHARE : SAME_SHARE_ELSEWHERE);
  }
  const [, share, clitics] = joined;
  return withoutClitic(word, clitics).flatMap((stem) =>
    ['', ...clitics].flatMap((one) => beginning(one, [...stem], LEAST_LETTERS, share)),
  );
}

/** The word, and what is left without what can be a clitic: the first letter of שלום is none. */
function withoutClitic(word: string, clitics: readonly string[]): readonly string[] {
  const clitic = clitics.find((one) => word.startsWith(one) && word.length - one.length >= LEAST_LETTERS);
  return clitic === undefined ? [word] : [word, word.slice(clitic.length)];
}

/** @param before what another word may have before the common letters */
function beginning(before: string, letters: readonly string[], least: number, share: number): Beginning[] {
  if (letters.length < least) return [];
  const same = letters.slice(0, Math.max(least, Math.ceil(share * letters.length)));
  const start = WRITTEN_IN_TWO_WAYS.has(same.at(-1)) ? same.slice(0, -1) : same;
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
  while (common < one.length && isSameLetter(one[common], other[common])) common += 1;
  return common;
}

const isSameLetter = (one = '', other = ''): boolean =>
  one === other || (INSIDE.get(one) ?? one) === (INSIDE.get(other) ?? other);
