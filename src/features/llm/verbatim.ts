// Where words that somebody quotes stand in a text, letter by letter but for white space.
import { type Lines, positionAt, splitLines } from '../../markdown/parse/lines.ts';

export interface VerbatimPlace {
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly [number, number];
  /** Of its first sign, from 1. */
  readonly column: number;
}

const MEANINGFUL = /[\p{L}\p{N}]/u;
/** Scripts that write words without blanks have no word's end to hold to. */
const DENSE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** The places of a quote as whole words, in order; none for a quote without a letter or digit. */
export function verbatimPlaces(text: string, quote: string): VerbatimPlace[] {
  if (!MEANINGFUL.test(quote)) return [];
  const lines = splitLines(text);
  for (const spelled of new Set([quote, quote.normalize('NFC'), quote.normalize('NFD')])) {
    const places = [...text.matchAll(patternOf(spelled))].map(({ index, 0: found }) => placeAt(lines, index, found));
    if (places.length > 0) return places;
  }
  return [];
}

function patternOf(quote: string): RegExp {
  const words = quote.trim().split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const signs = [...quote.trim()];
  return new RegExp(`${edge(signs[0], '?<!')}${escaped}${edge(signs.at(-1), '?!')}`, 'gu');
}

/** Nothing where the quote begins or ends with a sign that is no part of a word. */
function edge(sign = '', look: '?<!' | '?!'): string {
  return MEANINGFUL.test(sign) && !DENSE.test(sign) ? `(${look}[\\p{L}\\p{N}])` : '';
}

function placeAt(lines: Lines, from: number, found: string): VerbatimPlace {
  const to = from + found.length;
  const { line, column } = positionAt(lines, from);
  return { from, to, lines: [line, positionAt(lines, Math.max(from, to - 1)).line], column };
}
