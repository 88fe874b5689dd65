// Finds how notes write a word as a part of a longer one, and a long word as the words that it is made of.
import type { Store } from '../../contracts/store.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import { foldedWords } from '../notes/name-words.ts';
import { isFunctionWord } from './function-words.ts';

const MAX_COMPOUNDS = 40;
/** Words of this length are a last part only if they are found in no other way: many end in `ship`. */
const SHORT_LAST = 4;
export const MIN_FIRST = 3;
/** A shorter first part has to be a word of the vault: it may be a prefix. */
const MIN_UNKNOWN = 7;
/** What joins the parts of a compound, and what its first part may lack. */
const JOINTS = ['', 's', 'es', 'n', 'en', 'e', 'er'];
const LACKING = ['e', 'en', 'a', 's'];

type Compounds = Awaited<ReturnType<Store['compoundsOf']>>;

/** The words of which the given one is the last part: `Haftpflichtversicherung` of `Versicherung`. @param isShort whether the query is */
export async function possibleCompounds(
  word: string,
  isShort: boolean,
  store: Store,
  signal: AbortSignal,
): Promise<Compounds> {
  if (word.length <= SHORT_LAST && !isShort) return [];
  const compounds = await store.compoundsOf(word, MAX_COMPOUNDS, signal);
  return compounds.filter(({ first }) => !isFunctionWord(first));
}

/**
 * Those of them that are compounds.
 * @param isOnly whether no note has the word of a short query, or a form of it: then any first part will do
 */
export async function likelyCompounds(
  word: string,
  possible: Compounds,
  isOnly: boolean,
  store: Store,
  signal: AbortSignal,
): Promise<Compounds> {
  if (isOnly) return possible;
  if (word.length <= SHORT_LAST) return [];
  const unsure = possible.flatMap(({ first }) => (first.length < MIN_UNKNOWN ? wordsForFirst(first) : []));
  const known = await knownAmong(unsure, store, signal);
  return possible.filter(
    ({ first }) => first.length >= MIN_UNKNOWN || wordsForFirst(first).some((each) => known.has(each)),
  );
}

/** What the first part of a compound can be as a word. */
function wordsForFirst(first: string): string[] {
  const joints = JOINTS.filter((joint) => first.endsWith(joint) && first.length - joint.length >= MIN_FIRST);
  return [
    ...joints.map((joint) => first.slice(0, first.length - joint.length)),
    ...LACKING.map((ending) => first + ending),
  ];
}

async function knownAmong(words: readonly string[], store: Store, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const distinct = [...new Set(words)];
  if (distinct.length === 0) return new Set();
  const { docFrequencies } = await store.wordCounts(distinct, signal);
  return new Set(distinct.filter((_, at) => docFrequencies[at] !== 0));
}

/** The texts whose words all occur in notes. */
export async function occurring(
  texts: readonly string[],
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const known = await knownAmong(texts.flatMap(foldedWords), store, signal);
  return texts.filter((text) => foldedWords(text).every((word) => known.has(word)));
}

const MAX_PARTINGS = 4;

/** The two words that notes have in sequence for one. @param isKnown whether notes have it as one word too: then only likely ones */
export async function writtenApart(
  word: string,
  isKnown: boolean,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const possible = isKnown ? partings(word).filter(isLikely) : partings(word);
  const known = await knownAmong(possible.flat(), store, signal);
  const likely = possible.filter((parts) => parts.every((part) => known.has(part))).slice(0, MAX_PARTINGS);
  if (likely.length === 0) return [];
  const texts = likely.map((parts) => parts.join(' '));
  const { docFrequencies } = await store.wordCounts(texts, signal);
  return texts.filter((_, at) => docFrequencies[at] !== 0);
}

const MIN_PART = 3;
const MIN_PARTED = 7;
const MIN_AFTER_LETTER = 4;
const MAX_PARTED = 40;
/** Many are articles and conjunctions. */
const VOWEL = /^[aiouy]$/;

/** `data base`, `web site` and `e mail`, and not `car pet`. */
function isLikely([one = '', other = '', another]: readonly string[]): boolean {
  const length = one.length + other.length;
  if (another !== undefined || length > MAX_PARTED) return false;
  if (one.length === 1) return other.length >= MIN_AFTER_LETTER && !VOWEL.test(one);
  return length >= MIN_PARTED && one.length >= MIN_PART && other.length >= MIN_PART;
}

const LETTERS = /^\p{L}+$/u;

/** A word of a query and the next one as one: `database` of `data base`. Undefined where that is not likely. */
export function writtenAsOne(one: TextTerm | undefined, next: TextTerm | undefined): string | undefined {
  if (one?.kind !== 'word' || next?.kind !== 'word' || one.negated || next.negated) return undefined;
  const parts = [one, next].flatMap(({ text }) => foldedWords(text));
  const isContent = parts.every((word) => LETTERS.test(word) && (word.length === 1 || !isFunctionWord(word)));
  return isContent && isLikely(parts) ? parts.join('') : undefined;
}

const MAX_INITIALS = 5;

/** `e mail` for `email`, `u s a` for `usa`; the most even one first. */
function partings(word: string): (readonly string[])[] {
  const letters = [...word];
  const middle = letters.length / 2;
  const inTwo = [...letters.keys()]
    .slice(1)
    .sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))
    .map((at) => [letters.slice(0, at).join(''), letters.slice(at).join('')]);
  return letters.length > MAX_INITIALS ? inTwo : [...inTwo, letters];
}

/** Shorter last parts are found by chance in words with a typo. */
const [MIN_LONG_FIRST, MIN_LONG_LAST] = [4, 5];

/** The words of a compound that no note has: `Ofen` and `Reinigung` of `Ofenreinigung`. Undefined if notes have no such two. */
export async function partsOfCompound(
  text: string,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const [word = '', another] = foldedWords(text);
  if (another !== undefined) return undefined;
  const pairs = partings(word)
    .filter(([first = '', last = '']) => first.length >= MIN_LONG_FIRST && last.length >= MIN_LONG_LAST)
    .map(([first = '', last = '']) => ({ firsts: wordsForFirst(first), last }));
  const known = await knownAmong(
    pairs.flatMap(({ firsts, last }) => [...firsts, last]),
    store,
    signal,
  );
  const found = pairs.flatMap(({ firsts, last }) => {
    const first = firsts.find((each) => known.has(each));
    return first === undefined || !known.has(last) ? [] : [[first, last]];
  });
  return found[0];
}
