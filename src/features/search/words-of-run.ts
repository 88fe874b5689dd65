// Splits a run of characters that is written without spaces into words.
import type { Store } from '../../contracts/store.ts';

/** More words in one run than any title has. */
const MAX_RUN_WORDS = 16;

/** Its words that occur in notes; undefined if there are none, or nothing to split. Runs of two characters are not split. */
export async function wordsOfRun(
  text: string,
  store: Store,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if ([...text].length <= 2) return undefined;
  const words = segment(text);
  const { docFrequencies } = await store.wordCounts(words, signal);
  const known = words.filter((_, at) => (docFrequencies[at] ?? 0) > 0);
  const long = known.filter((word) => [...word].length > 1);
  // A single syllable means nothing, and a character of a longer word nothing more.
  const isApart = (word: string): boolean => /\p{sc=Han}/u.test(word) && !long.some((other) => other.includes(word));
  const chosen = known.filter((word) => [...word].length > 1 || isApart(word));
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
