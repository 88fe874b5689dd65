// Keeps the long words of a segment by their last letters, so that a word is also found as the last part of compounds.
import { ListWriter, type PostingList } from './posting-list.ts';

/** Begins the key of a list of words with the same last letters. It is in no word, and sorts after all of them. */
export const END_MARK = 0xff;
/** Endings of nouns in languages with compounds, without which last letters are compared; the longest first. */
const ENDINGS = [
  ...['arna', 'erna', 'erne', 'orna', 'ene', 'ar', 'en', 'er', 'es', 'et', 'or', 'e', 'k', 'n', 's'],
  '',
] as const;
const KEY_LETTERS = 3;
const MIN_LAST = 4;
const MIN_FIRST = 3;
const MIN_COMPOUND = 9;
const MAX_COMPOUND = 60;
/** A last part is a form of the sought word if they have so much in common of the longer one. */
const SAME_SHARE = 0.7;
const SOUGHT = new RegExp(`^[a-z]{${MIN_LAST},${MAX_COMPOUND}}$`);
const [FIRST_LETTER, LAST_LETTER] = ['a'.charCodeAt(0), 'z'.charCodeAt(0)];

/** The letters of a word before its ending, the last one first, and the place of the ending. */
function backwards(word: string) {
  const isEnding = (end: string): boolean => word.endsWith(end) && word.length - end.length >= KEY_LETTERS;
  const ending = ENDINGS.findIndex(isEnding);
  let letters = '';
  for (let at = word.length - (ENDINGS[ending] as string).length - 1; at >= 0; at--) letters += word[at];
  return { key: letters.slice(0, KEY_LETTERS), letters: letters.slice(KEY_LETTERS), ending };
}

/** Collects the words of a segment that can be compounds. */
export class WordEnds {
  /** By the last letters before the ending: those before them, backwards, and the place of the ending. */
  readonly #byKey = new Map<string, string[]>();

  /** @param word folded, in UTF-8; Latin letters are those of English then */
  add(word: Uint8Array, length: number): void {
    if (length < MIN_COMPOUND || length > MAX_COMPOUND) return;
    for (let at = 0; at < length; at++)
      if ((word[at] as number) < FIRST_LETTER || (word[at] as number) > LAST_LETTER) return;
    const { key, letters, ending } = backwards(Buffer.from(word.buffer, word.byteOffset, length).toString('latin1'));
    const rest = letters + String.fromCharCode(ending);
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [rest]);
    else known.push(rest);
  }

  /** @param take takes the lists in the order of their keys */
  write(take: (key: Uint8Array, list: ListWriter) => void): void {
    const list = new ListWriter();
    for (const key of [...this.#byKey.keys()].sort()) {
      list.clear();
      writeWords(this.#byKey.get(key)?.sort() ?? [], list);
      take(keyOf(key), list);
    }
    this.#byKey.clear();
  }
}

const keyOf = (letters: string): Uint8Array => Uint8Array.of(END_MARK, ...Buffer.from(letters, 'latin1'));

/** In the last byte of a word, above all letters, are the number of letters that it shares with the one before, and its ending. */
const LAST_BYTE = 128;
const MAX_SHARED = 7;

function writeWords(words: readonly string[], { notes }: ListWriter): void {
  let last = '';
  for (const word of words) {
    const letters = word.slice(0, -1);
    let shared = 0;
    while (shared < MAX_SHARED && shared < letters.length && letters[shared] === last[shared]) shared += 1;
    const ending = word.charCodeAt(word.length - 1);
    const bytes = Buffer.from(`${letters.slice(shared)} `, 'latin1');
    bytes[bytes.length - 1] = LAST_BYTE + shared * ENDINGS.length + ending;
    notes.copy(bytes, 0, bytes.length);
    last = letters;
  }
}

interface FoundCompound {
  readonly compound: string;
  readonly first: string;
}

/** What is looked for in a segment. */
export interface LastPart {
  readonly key: Uint8Array;
  /** The compounds in the list of the key. */
  readonly compoundsIn: (list: PostingList) => readonly FoundCompound[];
}

/** Undefined of a word that is too short, or of other letters. @param word folded */
export function lastPart(word: string): LastPart | undefined {
  if (!SOUGHT.test(word)) return undefined;
  const { key, letters } = backwards(word);
  const end = reversed(key + letters);
  const compoundsIn = (list: PostingList): FoundCompound[] =>
    wordsBefore(letters, list).flatMap(({ first, ending }) =>
      isForm(word, end + ending) ? { compound: first + end + ending, first } : [],
    );
  return { key: keyOf(key), compoundsIn };
}

const reversed = (text: string): string => Array.from(text).reverse().join('');

function isForm(word: string, other: string): boolean {
  const longer = Math.max(word.length, other.length);
  let common = 0;
  while (common < longer && word[common] === other[common]) common += 1;
  return common >= SAME_SHARE * longer;
}

/**
 * What is before the sought letters of each word that has them, and its ending. The words are sorted, so those with the letters follow
 * each other, and a word that shares more with the one before than that had of the letters has no more of them.
 */
function wordsBefore(sought: string, { data, from, to }: PostingList) {
  const found: { readonly first: string; readonly ending: string }[] = [];
  const wanted = Buffer.from(sought, 'latin1');
  const word = Buffer.alloc(MAX_COMPOUND);
  let same = 0;
  for (let start = from, end = from; start < to; start = end + 1) {
    end = start;
    while ((data[end] as number) < LAST_BYTE) end += 1;
    const last = (data[end] as number) - LAST_BYTE;
    const shared = Math.floor(last / ENDINGS.length);
    if (shared > same && same < wanted.length) continue;
    same = Math.min(same, shared);
    const rest = end - start;
    while (same < wanted.length && same - shared < rest && data[start + same - shared] === wanted[same]) same += 1;
    if (same < wanted.length) {
      if (same - shared < rest && (data[start + same - shared] as number) > (wanted[same] as number)) break;
      continue;
    }
    for (let letter = 0; letter < rest; letter++) word[shared + letter] = data[start + letter] as number;
    if (shared + rest < same + MIN_FIRST) continue;
    const first = reversed(word.toString('latin1', same, shared + rest));
    found.push({ first, ending: ENDINGS[last % ENDINGS.length] ?? '' });
  }
  return found;
}
