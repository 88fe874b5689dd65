// Marks the words of a query in a sentence.
import { element } from '../elements.ts';

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without blanks between words, of which a run is no word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** A word is another form of a word that begins with as much of the longer one. */
const [SHARED, MIN_SHARED] = [0.65, 4];

/** A text begins so many characters before its first word of the query. */
const MAX_BEFORE = 50;

/** The text in parts, those of the query as `mark` elements; from a little before the first of them. */
export function markedWords(text: string, query: string): (Node | string)[] {
  const words = wordsIn(text, query);
  let at = beginOf(text, words[0]?.index ?? 0);
  const parts: (Node | string)[] = at > 0 ? ['…'] : [];
  for (const { word, index } of words) {
    if (index < at) continue;
    parts.push(text.slice(at, index), element('mark', {}, word));
    at = index + word.length;
  }
  return [...parts, text.slice(at)].filter((one) => one !== '');
}

interface Found {
  readonly word: string;
  readonly index: number;
}

/** In their order; one may begin within another. */
function wordsIn(text: string, query: string): Found[] {
  const queried = query.match(WORDS) ?? [];
  const sought = queried.filter((word) => !UNSPACED.test(word)).map(folded);
  const words: Found[] = [];
  for (const { 0: word, index } of text.matchAll(WORDS))
    if (sought.some((one) => isFormOf(folded(word), one))) words.push({ word, index });
  for (const word of queried.filter((one) => UNSPACED.test(one)))
    for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + word.length))
      words.push({ word, index });
  return words.sort((one, other) => one.index - other.index);
}

/** At a word, where there are blanks between words; not at the mark of an item. */
function beginOf(text: string, first: number): number {
  if (first <= MAX_BEFORE) return 0;
  const from = first - MAX_BEFORE;
  const blank = text.indexOf(' ', from);
  if (blank === -1 || blank >= first) return /[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from;
  return /^[-*+>] /.test(text.slice(blank + 1, blank + 3)) ? blank + 3 : blank + 1;
}

const folded = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The reader may not have finished the word. */
function isFormOf(word: string, prefix: string): boolean {
  if (word.startsWith(prefix)) return true;
  const needed = Math.max(MIN_SHARED, Math.ceil(Math.max(word.length, prefix.length) * SHARED));
  return prefix.length >= needed && word.startsWith(prefix.slice(0, needed));
}
