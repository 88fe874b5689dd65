// Extracts the terms by which texts are compared: folded words without plural endings, and pairs of characters.
import { FNV_START, fnvOf, fnvWith } from '../../base/fnv.ts';
import { NumberColumn } from '../../base/number-column.ts';
import { foldText, WORD_CHARACTERS } from './fold-text.ts';
import { hasUnspacedScript, UNSPACED_CLUSTERS, UNSPACED_SCRIPTS } from './term-matches.ts';

/** How often each term occurs in a text. */
export type Counts = ReadonlyMap<string, number>;

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');
const RUNS = new RegExp(`${UNSPACED_SCRIPTS}+|${UNSPACED_SCRIPTS.replace('[', '[^')}+`, 'gu');
/** A quick check: letters below these belong to scripts that are written with spaces. */
export const MAYBE_UNSPACED = /[\u0E00-\u1FFF\u2E80-\uFFFF]/;
/** Single letters and overlong runs are not words. */
export const MIN_FORM_LENGTH = 2;
export const MAX_FORM_LENGTH = 60;

/** The word forms as in full-text search; in scripts without spaces every pair of adjacent characters. */
export function formsOf(text: string): Counts {
  const counts = new Map<string, number>();
  eachForm(text, (form) => counts.set(form, (counts.get(form) ?? 0) + 1));
  return counts;
}

/** Calls `add` with every word form, in the order of the text. */
export function eachForm(text: string, add: (form: string) => void): void {
  const folded = foldText(text);
  const mayBeUnspaced = MAYBE_UNSPACED.test(folded);
  for (const word of folded.match(WORDS) ?? []) {
    if (mayBeUnspaced && MAYBE_UNSPACED.test(word)) for (const run of word.match(RUNS) ?? []) addRun(run, add);
    else addWord(word, add);
  }
}

export interface FormHashes {
  /** The hash of every word form, in the order of the text. */
  readonly words: Uint32Array;
  /** Two numbers for each line that is not blank: its hash, without the blanks around it, and how many words there are up to its end. */
  readonly lines: Uint32Array;
}

/** Hashes the text from an offset on. Most words need no string of their own, and each character is read once. */
export function formHashes(text: string, from = 0): FormHashes {
  const folds = unitFolds();
  const end = text.length;
  words.length = 0;
  lines.length = 0;
  const addForm = (form: string): void => words.push(fnvOf(form));
  // `lineToWord` is the hash of the line up to its last character that is not blank.
  let [line, lineToWord] = [FNV_START, FNV_START];
  for (let at = from; at <= end; at += 1) {
    let unit = at < end ? text.charCodeAt(at) : LINE_FEED;
    let folded = folds[unit] as number;
    if (folded !== BETWEEN) {
      const start = at;
      let hash = FNV_START;
      let isPlain = true;
      do {
        line = fnvWith(line, unit);
        if (folded === OTHER) isPlain = false;
        else hash = fnvWith(hash, folded);
        at += 1;
        unit = at < end ? text.charCodeAt(at) : LINE_FEED;
        folded = folds[unit] as number;
      } while (folded !== BETWEEN);
      lineToWord = line;
      if (!isPlain) eachForm(text.slice(start, at), addForm);
      else if (at - start >= MIN_FORM_LENGTH && at - start <= MAX_FORM_LENGTH) words.push(hash);
    }
    if (unit > SPACE) {
      line = fnvWith(line, unit);
      lineToWord = line;
    } else if (unit !== LINE_FEED && line !== FNV_START) line = fnvWith(line, unit);
    else if (line !== FNV_START) {
      lines.push(lineToWord);
      lines.push(words.length);
      line = FNV_START;
    }
  }
  return { words: words.view().slice(), lines: lines.view().slice() };
}

/** Used again for each text. */
const words = new NumberColumn();
const lines = new NumberColumn();
const LINE_FEED = 10;
const SPACE = 32;
const [BETWEEN, OTHER] = [0, 0xffff];
/** Latin, Greek and Cyrillic; punctuation. */
const PLAIN_UNITS = [
  [0, 0x52f],
  [0x2010, 0x2027],
  [0x2030, 0x2043],
] as const;
const IS_MARK = /\p{M}/u;
let knownFolds: Uint16Array | undefined;

/** By UTF-16 unit: between words, the letter to which it is folded, or what needs a look at its neighbors. */
function unitFolds(): Uint16Array {
  if (knownFolds !== undefined) return knownFolds;
  const isOfWord = new RegExp(`[${WORD_CHARACTERS}]`, 'u');
  knownFolds = new Uint16Array(0x10000).fill(OTHER);
  for (const [first, last] of PLAIN_UNITS) {
    for (let unit = first; unit <= last; unit += 1) {
      const character = String.fromCharCode(unit);
      const folded = foldText(character);
      if (folded !== '' && !isOfWord.test(character + folded)) knownFolds[unit] = BETWEEN;
      else if (folded.length === 1 && isOfWord.test(folded) && !IS_MARK.test(character))
        knownFolds[unit] = folded.charCodeAt(0);
    }
  }
  return knownFolds;
}

function addRun(run: string, add: (form: string) => void): void {
  const characters = hasUnspacedScript(run) ? (run.match(UNSPACED_CLUSTERS) ?? []) : [];
  if (characters.length === 0) addWord(run, add);
  for (const [at, character] of characters.entries()) {
    const next = characters[at + 1];
    if (next !== undefined) add(character + next);
    else if (at === 0) add(character);
  }
}

function addWord(word: string, add: (form: string) => void): void {
  if (word.length >= MIN_FORM_LENGTH && word.length <= MAX_FORM_LENGTH) add(word);
}

/** Merges forms that differ only in a plural ending, over all texts. */
export function termsOf(...texts: readonly Counts[]): Counts {
  return countTerms(texts, termOf);
}

/** Forms for which `toTerm` returns undefined are left out. */
export function countTerms(texts: readonly Counts[], toTerm: (form: string) => string | undefined): Counts {
  const counts = new Map<string, number>();
  for (const forms of texts) {
    for (const [form, count] of forms) {
      const term = toTerm(form);
      if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + count);
    }
  }
  return counts;
}

const PLURAL = /^[a-z]{2,}s$/;
const NO_PLURAL = /(?:ss|us|is)$/;
const LONG_PLURAL = /(?:ch|sh|x|ss|zz)es$/;

/** Removes an English plural ending. Stronger stemming would merge unrelated words. */
export function termOf(form: string): string {
  if (!form.endsWith('s') || form.length <= 3 || !PLURAL.test(form) || NO_PLURAL.test(form)) return form;
  if (form.endsWith('ies') && form.length > 4) return `${form.slice(0, -3)}y`;
  return form.slice(0, LONG_PLURAL.test(form) ? -2 : -1);
}

const ENGLISH = /^[a-z]{3,}$/;
const HISSING = /(?:ch|sh|x|s|z)$/;

/** The other spellings of a term, for searches in an index of word forms. */
export function spellingsOf(term: string): readonly string[] {
  if (!ENGLISH.test(term)) return [term];
  if (/[^aeiou]y$/.test(term)) return [term, `${term.slice(0, -1)}ies`];
  return [term, HISSING.test(term) ? `${term}es` : `${term}s`];
}

/** Definitions of links, then links and URLs. The limits are longer than any real link; they bound the cost of a line of brackets. */
const LINKS =
  /^ {0,3}\[[^[\]\r\n]{1,500}\]:[ \t][^\r\n]*$|!?\[\[[^[\]\r\n]{1,500}\]\]|!?\[[^[\]\r\n]{0,500}\]\([^()\r\n]{0,1000}\)|!?\[[^[\]\r\n]{1,500}\]\[[^[\]\r\n]{0,500}\]|\bhttps?:\/\/[^\s<>)\]]{1,2000}/gm;

/** Where wikilinks, embeds, Markdown links, link definitions and URLs are, in their order. Texts are compared by what they say. */
export function linkSpans(text: string): (readonly [from: number, to: number])[] {
  if (!mayLink(text)) return [];
  return Array.from(text.matchAll(LINKS), ({ 0: link, index }) => [index, index + link.length] as const);
}

/** Replaces each of them by a blank. */
export function withoutLinks(text: string): string {
  return mayLink(text) ? text.replace(LINKS, ' ') : text;
}

const mayLink = (text: string): boolean => text.includes('[') || text.includes('://');
