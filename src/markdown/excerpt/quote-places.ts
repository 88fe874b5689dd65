// Finds the places of quotes in a text: exactly except for white space, and as whole words.
import { type Lines, positionAt, splitLines } from '../parse/lines.ts';
import { hasUnspacedScript } from './term-matches.ts';

interface VerbatimPlace {
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly [number, number];
  /** The column of the first character, from 1. */
  readonly column: number;
}

const MEANINGFUL = /[\p{L}\p{N}]/u;

/** The places of a quote as whole words, in order; none for a quote without a letter or digit. */
export function verbatimPlaces(text: string, quote: string): VerbatimPlace[] {
  const lines = splitLines(text);
  return Array.from(verbatimMatches(text, quote), ({ index, 0: match }) => placeAt(lines, index, match));
}

/** Returns the places of the first spelling of the quote that occurs. */
function* verbatimMatches(text: string, quote: string): Generator<RegExpExecArray> {
  if (!MEANINGFUL.test(quote)) return;
  for (const spelling of new Set([quote, quote.normalize('NFC'), quote.normalize('NFD')])) {
    let hasMatch = false;
    for (const match of text.matchAll(patternOf(spelling))) {
      hasMatch = true;
      yield match;
    }
    if (hasMatch) return;
  }
}

function patternOf(quote: string): RegExp {
  const words = quote.trim().split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const characters = [...quote.trim()];
  return new RegExp(`${edge(characters[0], '?<!')}${escaped}${edge(characters.at(-1), '?!')}`, 'gu');
}

/** The lookaround for the edge of a word; empty for a character that needs none. */
function edge(character = '', look: '?<!' | '?!'): string {
  return MEANINGFUL.test(character) && !hasUnspacedScript(character) ? `(${look}[\\p{L}\\p{M}\\p{N}])` : '';
}

function placeAt(lines: Lines, from: number, quoted: string): VerbatimPlace {
  const to = from + quoted.length;
  const { line, column } = positionAt(lines, from);
  return { from, to, lines: [line, positionAt(lines, Math.max(from, to - 1)).line], column };
}

export interface QuotesToFind {
  readonly text: string;
  /** Offsets; places outside do not count. */
  readonly from: number;
  readonly to: number;
  readonly quotes: readonly string[];
}

/** For each quote its first place and the number of its places; undefined for a quote that the text does not contain. */
export function quotePlaces({ text, from, to, quotes }: QuotesToFind) {
  const lines = splitLines(text);
  const placeOf = (quote: string) => {
    let first: RegExpExecArray | undefined;
    let count = 0;
    for (const match of verbatimMatches(text, quote)) {
      if (match.index < from || match.index + match[0].length > to) continue;
      first ??= match;
      count += 1;
    }
    return first && { ...placeAt(lines, first.index, first[0]), text: first[0], count };
  };
  const places = new Map([...new Set(quotes)].map((quote) => [quote, placeOf(quote)]));
  return quotes.map((quote) => places.get(quote));
}
