// Estimates the number of tokens of a text, to compare answers with each other.

const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+|\n+/gu;
const LETTERS_A_TOKEN = 8;
const SIGNS_A_TOKEN = 3;

/**
 * Splits the text like byte-pair tokenizers do before the lookup, then counts one token per CJK character,
 * per three digits, per eight letters or part of it, and per three symbols or part of it. English and JSON come out close to
 * o200k; rare and invented words come out too low.
 */
export function countRoughTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (/^\p{L}/u.test(piece)) tokens += Math.ceil(piece.length / LETTERS_A_TOKEN);
    else if (/^[\p{N}\n]/u.test(piece)) tokens += 1;
    else tokens += Math.ceil(piece.length / SIGNS_A_TOKEN);
  }
  return tokens;
}
