// How much of a text a model has to read, estimated without its tokenizer: rather too much than too little.
import { isDigit, isLatinLetter, isWhiteSpace } from '../parse/characters.ts';
import type { Lines } from '../parse/lines.ts';

/** Multiples of 1/32, so that sums are exact and the size of a text is the sum of its lines'. */
export interface Size {
  readonly words: number;
  readonly tokens: number;
}

export const NO_SIZE: Size = Object.freeze({ words: 0, tokens: 0 });

export const addSizes = (one: Size, other: Size): Size => ({
  words: one.words + other.words,
  tokens: one.tokens + other.tokens,
});

export const fitsIn = (size: Size, limit: Size): boolean => size.words <= limit.words && size.tokens <= limit.tokens;

/** About three Latin letters or blanks make a token, two letters of other alphabets, and one of any other sign. */
const LATIN = 11 / 32;
const OTHER_ALPHABET = 1 / 2;
const ANY_OTHER = 1;
/** Scripts without blanks: two characters make a word. */
const DENSE_WORD = 1 / 2;
/** Longer than any word: a key or packed data, of which each character may be a token. */
const MAX_WORD_LENGTH = 30;

/**
 * Adds up part of a text, unit by unit in a row. A word counts as it stands in the whole text: what is cut inside a long one is
 * not cheaper for it.
 */
class SizeCounter {
  words = 0;
  tokens = 0;
  readonly #text: string;
  #inWord = false;
  #inLongWord = false;

  constructor(text: string) {
    this.#text = text;
  }

  add(at: number): void {
    const code = this.#text.charCodeAt(at);
    if (isWordCharacter(code)) {
      if (!this.#inWord) this.#startWord(at);
      this.tokens += this.#inLongWord ? ANY_OTHER : tokensOf(code);
      return;
    }
    this.#inWord = false;
    const isAny = isDense(code) || !isWhiteSpace(code);
    if (isDense(code)) this.words += DENSE_WORD;
    this.tokens += isAny ? ANY_OTHER : LATIN;
  }

  #startWord(at: number): void {
    const before = wordLengthBefore(this.#text, at);
    if (before === 0) this.words += 1;
    this.#inWord = true;
    this.#inLongWord = before + wordLengthFrom(this.#text, at) > MAX_WORD_LENGTH;
  }
}

/** How many signs of its word stand before and from `at` on, as far as it matters. */
function wordLengthBefore(text: string, at: number): number {
  let count = 0;
  while (count <= MAX_WORD_LENGTH && isWordCharacter(text.charCodeAt(at - 1 - count))) count += 1;
  return count;
}

function wordLengthFrom(text: string, at: number): number {
  let count = 0;
  while (count <= MAX_WORD_LENGTH && isWordCharacter(text.charCodeAt(at + count))) count += 1;
  return count;
}

const isLatin = (code: number): boolean =>
  code < 128 ? isLatinLetter(code) : (code >= 0xc0 && code < 0x250) || (code >= 0x300 && code < 0x370);

/** Whether it is written with others as one word, with blanks round it. */
function isWordCharacter(code: number): boolean {
  if (code < 128) return isLatinLetter(code) || isDigit(code);
  return (code >= 0xc0 && code < 0x0e00) || (code >= 0x10a0 && code < 0x1100) || (code >= 0x1e00 && code < 0x2000);
}

function tokensOf(code: number): number {
  if (isLatin(code)) return LATIN;
  return isDigit(code) || (code >= 0x0900 && code < 0x0e00) ? ANY_OTHER : OTHER_ALPHABET;
}

/** Thai, Khmer, Han, Kana, Hangul and their like. */
const isDense = (code: number): boolean =>
  (code >= 0x0e00 && code < 0x1e00) || (code >= 0x3040 && code < 0xd800) || (code >= 0xf900 && code < 0xfb00);

export function sizeOf(text: string, from = 0, to = text.length): Size {
  const gauge = new SizeCounter(text);
  for (let at = from; at < to; at += 1) gauge.add(at);
  return { words: gauge.words, tokens: gauge.tokens };
}

/** The farthest offset so that what lies between fits, at least one character behind `from`; behind a blank where one is near. */
export function fittingEnd(text: string, from: number, to: number, limit: Size): number {
  const gauge = new SizeCounter(text);
  let at = from;
  let blank = from;
  while (at < to) {
    gauge.add(at);
    if (!fitsIn(gauge, limit)) break;
    if (isWhiteSpace(text.charCodeAt(at))) blank = at + 1;
    at += 1;
  }
  if (at === to) return to;
  if (blank - from > (at - from) / 2) return blank;
  return wholeCharacter(text, from, at);
}

/** No half of a pair is left behind, and something is always taken. */
function wholeCharacter(text: string, from: number, at: number): number {
  const isSplit = (offset: number): boolean => (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  const end = at > from && isSplit(at) ? at - 1 : at;
  if (end > from) return end;
  return isSplit(from + 1) ? from + 2 : from + 1;
}

/** The sizes of a text's lines, each with its line end, from which those of any lines in a row follow at once. */
export class LineSizes {
  readonly #words: Float64Array;
  readonly #tokens: Float64Array;

  constructor(text: string, lines: Lines, firstLine: number) {
    const count = lines.starts.length;
    this.#words = new Float64Array(count + 1);
    this.#tokens = new Float64Array(count + 1);
    for (let line = firstLine; line < count; line += 1) {
      const { words, tokens } = sizeOf(text, lines.starts[line], lines.starts[line + 1]);
      this.#words[line + 1] = (this.#words[line] ?? 0) + words;
      this.#tokens[line + 1] = (this.#tokens[line] ?? 0) + tokens;
    }
  }

  /** Of the lines from `first` to the one before `end`, both from 0 and not before the first that was measured. */
  between(first: number, end: number): Size {
    return {
      words: (this.#words[end] ?? 0) - (this.#words[first] ?? 0),
      tokens: (this.#tokens[end] ?? 0) - (this.#tokens[first] ?? 0),
    };
  }
}

/** Longer chunks blur what they are about, and several servers cut them unseen although their models could read more. */
const MAX_TOKENS = 450;
/** The rest is left to a prefix, and to a tokenizer that counts more than the estimate. */
const SHARE_OF_CONTEXT = 0.88;
/** Below it a chunk could not hold its path and a few words. */
const MIN_TOKENS = 16;

/** The `maxTokens` of chunks for a model that reads `contextTokens` of a text. */
export function chunkTokensFor(contextTokens: number): number {
  return Math.max(MIN_TOKENS, Math.min(MAX_TOKENS, Math.floor(contextTokens * SHARE_OF_CONTEXT)));
}

const BLANK = 11 / 32;
const DIGITS_A_TOKEN = 3;

/**
 * The estimate of `sizeOf`, less what every tokenizer of today's models does the same way: a blank belongs to the word behind it,
 * and three digits are one token.
 */
export function tokenBound(text: string): number {
  const blanks = text.match(/(?<=\S) (?=\p{L})/gu)?.length ?? 0;
  const saved = (text.match(/\d{2,}/g) ?? []).reduce(
    (sum, { length }) => sum + length - Math.ceil(length / DIGITS_A_TOKEN),
    0,
  );
  return Math.ceil(sizeOf(text).tokens - blanks * BLANK - saved);
}
