// The terms to look for instead of one that no note holds: as it is nearly spelt, or the words that a run of characters is made of.
import type { Store, TextTerm } from '../../contracts/store.ts';
import { isSpaceless } from '../../markdown/excerpt/cjk.ts';
import type { CalledNotes } from '../notes/name-index.ts';
import { foldedWords, nearWord, slips, writtenWords } from '../notes/near-names.ts';

/** Where words are looked up. */
export interface KnownWords {
  readonly called: CalledNotes;
  readonly store: Store;
  /** Whether words of texts count, too, beside those of titles and aliases. */
  readonly andTexts: boolean;
}

/** More words of one run than any title has. */
const MOST_WORDS = 16;
/** Of a word that stands in texts alone the first letters are taken to be right: only words that begin so are looked at. */
const SAME_LETTERS = 2;
const MOST_ALIKE = 10_000;
/** Characters that hold a Chinese or Japanese sentence together and begin no word. */
const BINDING = /[的了和与是在也都就吗呢吧把被はがをにのとでもへ]/u;

export const wordTerm = (text: string): TextTerm => ({ text, kind: 'word', negated: false });

export function isSame(one: string, other: string): boolean {
  return foldedWords(one).join(' ') === foldedWords(other).join(' ');
}

/** Undefined where there are none. */
export async function otherTerms(
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
  const begins = await store.wordsFrom(folded.slice(0, SAME_LETTERS), MOST_ALIKE, signal);
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
  return words.length < 2 || taken.length === 0 ? undefined : taken.slice(0, MOST_WORDS).map(wordTerm);
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
