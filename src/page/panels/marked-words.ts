// Marks the words of a query in a sentence.
import { element } from '../elements.ts';

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/** A word is another form of a word that begins with as much of the longer one. */
const [SHARED, MIN_SHARED] = [0.65, 4];

/** A text begins so many characters before its first word of the query. */
const MAX_BEFORE = 50;

/** The text in parts, those of the query as `mark` elements; from a little before the first of them. */
export function markedWords(text: string, query: string): (Node | string)[] {
  const wanted = (query.match(WORDS) ?? []).map(folded);
  const found = [...text.matchAll(WORDS)].filter(({ 0: word }) => wanted.some((one) => isFormOf(folded(word), one)));
  const first = found[0]?.index ?? 0;
  let at = first > MAX_BEFORE ? text.indexOf(' ', first - MAX_BEFORE) + 1 : 0;
  const parts: (Node | string)[] = at > 0 ? ['…'] : [];
  for (const { 0: word, index } of found) {
    parts.push(text.slice(at, index), element('mark', {}, word));
    at = index + word.length;
  }
  return [...parts, text.slice(at)].filter((one) => one !== '');
}

const folded = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The reader may not have finished the word. */
function isFormOf(word: string, wanted: string): boolean {
  if (word.startsWith(wanted)) return true;
  const needed = Math.max(MIN_SHARED, Math.ceil(Math.max(word.length, wanted.length) * SHARED));
  return wanted.length >= needed && word.startsWith(wanted.slice(0, needed));
}
