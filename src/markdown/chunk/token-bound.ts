// How many tokens a text takes at most, for answers that promise to stay below a number.
import { sizeOf } from './text-size.ts';

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
