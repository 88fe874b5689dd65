// Splits a text into the numbers, words and signs of which dates are made.
import { foldText } from '../../excerpt/fold-text.ts';
import type { Language } from '../moment-language.ts';
import { CHINESE_DIGITS, chineseNumber, readerOf } from '../named-dates.ts';

export interface DateToken {
  readonly kind: 'number' | 'word' | 'sign';
  /** With plain digits. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** The value of a number; longer ones than years have none. */
  readonly value: number;
}

/** Characters of Chinese, Japanese and Korean dates are words of their own. */
const TOKENS = new RegExp(
  String.raw`\d+|[零十${CHINESE_DIGITS}]+|四半期|季度|분기|년|월|일|주|\p{sc=Han}|(?:(?!\p{sc=Han})[\p{L}\p{M}])+|[^\s]`,
  'gu',
);
const NUMBER = /^\d/;
const CHINESE_NUMBER = new RegExp(`^[零十${CHINESE_DIGITS}]{1,4}$`, 'u');
const WORD = /^\p{L}/u;
const MAX_DIGITS = 4;

/** The text of the same length with plain digits for those of its script. */
export function withPlainDigits(text: string, languages: readonly Language[]): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const { digits } = readerOf(languages);
  return text.replace(NATIVE_DIGIT, (sign) => digits.get(sign) ?? (WIDE_DIGIT.test(sign) ? foldText(sign) : sign));
}

const BEYOND_ASCII = /[^\0-\x7F]/;
/** Those that are one code unit. */
const NATIVE_DIGIT = /(?=[^0-9\u{10000}-\u{10FFFF}])\p{Nd}/gu;
const WIDE_DIGIT = /[０-９]/;

/** @param text with plain digits */
export function dateTokens(text: string): DateToken[] {
  return Array.from(text.matchAll(TOKENS), ({ 0: match, index }) => tokenOf(match, index));
}

function tokenOf(text: string, from: number): DateToken {
  const place = { text, from, to: from + text.length };
  if (NUMBER.test(text)) return { ...place, kind: 'number', value: text.length <= MAX_DIGITS ? Number(text) : -1 };
  if (CHINESE_NUMBER.test(text)) return { ...place, kind: 'number', value: chineseNumber(text) };
  return { ...place, kind: WORD.test(text) ? 'word' : 'sign', value: -1 };
}
