// Estimates how many tokens a text has for a model, erring on the high side.
import { cutBefore } from '../excerpt/whole-cuts.ts';
import { isDigit, isLatinLetter, isWhiteSpace } from '../parse/characters.ts';
import type { Lines } from '../parse/lines.ts';
import { scriptOf, type TokenRates, USUAL_RATES } from './token-rates.ts';

/** Multiples of 1/32, so that sums are exact and the size of a text is the sum of the sizes of its lines. */
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

/** About three Latin letters or blanks are a token, two letters of other alphabets, or one of any other character. */
const LATIN = 11 / 32;
const OTHER_ALPHABET = 1 / 2;
const ANY_OTHER = 1;
/** In scripts without spaces, two characters count as a word. */
const DENSE_WORD = 1 / 2;
/** A longer run is a key or packed data, in which each character may be a token. */
const MAX_WORD_LENGTH = 30;

/**
 * Adds up part of a text, code unit by code unit. A word is measured as part of the whole text: cutting a long word
 * does not make its parts cheaper.
 */
class SizeCounter {
  words = 0;
  tokens = 0;
  readonly #text: string;
  readonly #rates: TokenRates;
  #inWord = false;
  #inLongWord = false;

  constructor(text: string, rates: TokenRates) {
    this.#text = text;
    this.#rates = rates;
  }

  add(at: number): void {
    const code = this.#text.charCodeAt(at);
    if (isWordCharacter(code)) {
      if (!this.#inWord) this.#startWord(at);
      this.tokens += this.#atLeast(this.#inLongWord ? ANY_OTHER : tokensOf(code), code);
      return;
    }
    this.#inWord = false;
    const isAny = isDense(code) || !isWhiteSpace(code);
    if (isDense(code)) this.words += DENSE_WORD;
    this.tokens += isAny ? this.#atLeast(ANY_OTHER, code) : LATIN;
  }

  #atLeast(usual: number, code: number): number {
    if (this.#rates === USUAL_RATES) return usual;
    const script = scriptOf(code);
    return script === undefined ? usual : Math.max(usual, this.#rates[script] ?? 0);
  }

  #startWord(at: number): void {
    const before = wordLengthBefore(this.#text, at);
    if (before === 0) this.words += 1;
    this.#inWord = true;
    this.#inLongWord = before + wordLengthFrom(this.#text, at) > MAX_WORD_LENGTH;
  }
}

/** The number of word characters before `at`, counted up to the limit that matters. An offset outside the text would make it slow. */
function wordLengthBefore(text: string, at: number): number {
  const most = Math.min(MAX_WORD_LENGTH + 1, at);
  let count = 0;
  while (count < most && isWordCharacter(text.charCodeAt(at - 1 - count))) count += 1;
  return count;
}

function wordLengthFrom(text: string, at: number): number {
  const most = Math.min(MAX_WORD_LENGTH + 1, text.length - at);
  let count = 0;
  while (count < most && isWordCharacter(text.charCodeAt(at + count))) count += 1;
  return count;
}

const isLatin = (code: number): boolean =>
  code < 128 ? isLatinLetter(code) : (code >= 0xc0 && code < 0x250) || (code >= 0x300 && code < 0x370);

/** Whether the character joins others to a word with blanks around it. */
function isWordCharacter(code: number): boolean {
  if (code < 128) return isLatinLetter(code) || isDigit(code);
  return (code >= 0xc0 && code < 0x0e00) || (code >= 0x10a0 && code < 0x1100) || (code >= 0x1e00 && code < 0x2000);
}

function tokensOf(code: number): number {
  if (isLatin(code)) return LATIN;
  return isDigit(code) || (code >= 0x0900 && code < 0x0e00) ? ANY_OTHER : OTHER_ALPHABET;
}

/** Whether the character is Thai, Khmer, Han, Kana, Hangul or similar. */
const isDense = (code: number): boolean =>
  (code >= 0x0e00 && code < 0x1e00) || (code >= 0x3040 && code < 0xd800) || (code >= 0xf900 && code < 0xfb00);

/** @param rates of the model's tokenizer, if it was measured */
export function sizeOf(text: string, from = 0, to = text.length, rates = USUAL_RATES): Size {
  if (rates === USUAL_RATES) return usualSize(text, from, to);
  const gauge = new SizeCounter(text, rates);
  for (let at = from; at < to; at += 1) gauge.add(at);
  return { words: gauge.words, tokens: gauge.tokens };
}

/** Counts as `SizeCounter` does without rates, word by word, in half the time. */
function usualSize(text: string, from: number, to: number): Size {
  let words = 0;
  let tokens = 0;
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    if (!isWordCharacter(code)) {
      if (isDense(code)) words += DENSE_WORD;
      tokens += isDense(code) || !isWhiteSpace(code) ? ANY_OTHER : LATIN;
      at += 1;
      continue;
    }
    const start = at;
    let usual = 0;
    for (; at < to; at += 1) {
      const inside = text.charCodeAt(at);
      if (!isWordCharacter(inside)) break;
      usual += tokensOf(inside);
    }
    const before = start === from ? wordLengthBefore(text, from) : 0;
    const after = at === to ? wordLengthFrom(text, to) : 0;
    if (before === 0) words += 1;
    tokens += before + at - start + after > MAX_WORD_LENGTH ? (at - start) * ANY_OTHER : usual;
  }
  return { words, tokens };
}

/**
 * The largest offset at which the text from `from` fits, at least one character after `from`; after a blank if one
 * is near.
 */
export function fittingEnd(text: string, from: number, to: number, limit: Size, rates = USUAL_RATES): number {
  const gauge = new SizeCounter(text, rates);
  let at = from;
  let blank = from;
  while (at < to) {
    gauge.add(at);
    if (!fitsIn(gauge, limit)) break;
    if (isWhiteSpace(text.charCodeAt(at))) blank = at + 1;
    at += 1;
  }
  if (at === to) return to;
  return wholeBefore(text, from, blank - from > (at - from) / 2 ? blank : at);
}

/** Avoids cutting letters with their marks, links and the like; always takes at least one character. */
function wholeBefore(text: string, from: number, at: number): number {
  const end = cutBefore(text, Math.max(at, from + 1), from + 1);
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** The sizes of a text's lines, including line ends, as prefix sums; measured as far as they are asked for. */
export class LineSizes {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #rates: TokenRates;
  readonly #words: Float64Array;
  readonly #tokens: Float64Array;
  /** The first line that is not measured. */
  #next: number;

  constructor(text: string, lines: Lines, firstLine: number, rates: TokenRates) {
    this.#text = text;
    this.#lines = lines;
    this.#rates = rates;
    this.#words = new Float64Array(lines.starts.length + 1);
    this.#tokens = new Float64Array(lines.starts.length + 1);
    this.#next = firstLine;
  }

  /** The size of the lines from `first` to before `end`, 0-based, none before the first measured line. */
  between(first: number, end: number): Size {
    this.#measureTo(end);
    return {
      words: (this.#words[end] ?? 0) - (this.#words[first] ?? 0),
      tokens: (this.#tokens[end] ?? 0) - (this.#tokens[first] ?? 0),
    };
  }

  #measureTo(end: number): void {
    const { starts } = this.#lines;
    for (; this.#next < Math.min(end, starts.length); this.#next += 1) {
      const line = this.#next;
      const { words, tokens } = sizeOf(this.#text, starts[line], starts[line + 1], this.#rates);
      this.#words[line + 1] = (this.#words[line] ?? 0) + words;
      this.#tokens[line + 1] = (this.#tokens[line] ?? 0) + tokens;
    }
  }
}

/** Longer chunks blur their topic, and some servers truncate them silently although the model could read more. */
const MAX_TOKENS = 450;
/** The rest is reserved for a prefix, and for tokenizers that count more than the estimate. */
const SHARE_OF_CONTEXT = 0.88;
/** A smaller chunk could not hold its path and a few words. */
const MIN_TOKENS = 16;

/** The `maxTokens` of chunks for a model with a context of `contextTokens`. */
export function chunkTokensFor(contextTokens: number): number {
  return Math.max(MIN_TOKENS, Math.min(MAX_TOKENS, Math.floor(contextTokens * SHARE_OF_CONTEXT)));
}

const BLANK = 11 / 32;
const DIGITS_A_TOKEN = 3;

/**
 * The estimate of `sizeOf`, less what all current tokenizers have in common: a blank belongs to the word after it,
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
