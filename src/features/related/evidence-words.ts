// Names the words of the language that two texts share, for terms that are only pairs of letters.
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';

/** Letters before and after a pair that show where its word begins and ends. */
const AROUND = 16;
/** Made when needed, because that takes milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The word of a note that contains a term of a script without spaces; undefined if the term is the end of one word and the
 * start of another. Remembers what it found: each related note asks for much the same terms.
 */
export function wordAround(text: string): (term: string) => string | undefined {
  const folded = foldText(text);
  const found = new Map<string, string | undefined>();
  return (term) => {
    if (!found.has(term)) found.set(term, wordWith(folded, term));
    return found.get(term);
  };
}

function wordWith(folded: string, term: string): string | undefined {
  const at = folded.indexOf(term);
  if (at === -1) return undefined;
  const from = Math.max(0, at - AROUND);
  const window = folded.slice(from, at + term.length + AROUND);
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const { segment, index, isWordLike } = segmenter.segment(window).containing(at - from) ?? {};
  if (segment === undefined || index === undefined || isWordLike !== true) return undefined;
  return from + index + segment.length >= at + term.length ? segment : undefined;
}

/** The words for the terms that both texts share, in their order, each once. */
export function sharedWords(
  terms: Iterable<string>,
  spelled: (term: string) => string,
  wordOf: (term: string) => string | undefined,
  other: string,
): string[] {
  const words = new Set<string>();
  for (const term of terms) {
    const word = hasUnspacedScript(term) ? inBoth(term, wordOf(term), other) : spelled(term);
    if (word !== undefined) words.add(word);
    if (words.size === MAX_WORDS) break;
  }
  return [...words];
}

const MAX_WORDS = 8;
const HANGUL = /\p{sc=Hangul}/u;

/** Korean words end in particles, so their common beginning counts. */
function inBoth(term: string, word: string | undefined, other: string): string | undefined {
  if (word === undefined || other.includes(word)) return word;
  if (!word.startsWith(term) || !HANGUL.test(term)) return undefined;
  const beginnings = Array.from({ length: word.length - term.length }, (_, cut) => word.slice(0, -1 - cut));
  return beginnings.find((beginning) => other.includes(beginning));
}
