// Cuts lines into pieces that fit into a chunk, where a break costs least.
import { endsSentence } from '../excerpt/sentence.ts';
import { skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { BREAK_COST, type Lines } from '../parse/lines.ts';
import { fitsIn, fittingEnd, type LineSizes, type Size, sizeOf } from './text-size.ts';
import type { TokenRates } from './token-rates.ts';

/** A stretch of text that is kept together, including the line ends after it. */
export interface Piece extends Size {
  readonly from: number;
  readonly to: number;
}

/** 0-based lines: the first one, and the one after the last. */
export type LineRange = readonly [first: number, end: number];

export interface MeasuredText {
  readonly text: string;
  readonly lines: Lines;
  readonly breakCosts: Uint8Array;
  readonly sizes: LineSizes;
  readonly rates: TokenRates;
}

/** Ends a piece that was cut inside a line, where the white space after it is dropped. */
export const LINE_END = '\n';
const LINE_END_TOKENS = sizeOf(LINE_END).tokens;

/**
 * Cuts the lines of all ranges into pieces no larger than `limit`: whole blocks if they fit, else their parts, else
 * sentences (lines in tables, code and the like), else as many words or characters as fit. Pieces of white space
 * alone are dropped.
 */
export function cutLines(outline: MeasuredText, ranges: readonly LineRange[], limit: Size): Piece[] {
  const room = { words: limit.words, tokens: limit.tokens - LINE_END_TOKENS };
  const pieces: Piece[] = [];
  for (const [first, end] of ranges) cutRange(outline, first, end, room, pieces);
  return pieces.filter(({ from, to }) => skipWhiteSpace(outline.text, from, to) < to);
}

function cutRange(outline: MeasuredText, first: number, end: number, limit: Size, pieces: Piece[]): void {
  const { text, lines, breakCosts, sizes, rates } = outline;
  if (first >= end) return;
  const from = lines.starts[first] ?? text.length;
  const to = lines.starts[end] ?? text.length;
  const size = sizes.between(first, end);
  if (fitsIn(size, limit)) {
    pieces.push({ from, to, ...size });
    return;
  }
  const { weakest, strongest } = breakCostsWithin(breakCosts, first, end);
  if (end - first === 1 || (weakest === BREAK_COST.PARAGRAPH && strongest === BREAK_COST.PARAGRAPH)) {
    cutSentences({ text, rates }, from, to, limit, pieces);
    return;
  }
  let start = first;
  for (let line = first + 1; line <= end; line += 1) {
    if (line < end && breakCosts[line] !== weakest) continue;
    cutRange(outline, start, line, limit, pieces);
    start = line;
  }
}

function breakCostsWithin(ties: Uint8Array, first: number, end: number): { weakest: number; strongest: number } {
  let weakest: number = BREAK_COST.WHOLE;
  let strongest = 0;
  for (let line = first + 1; line < end; line += 1) {
    const tie = ties[line] as number;
    if (tie < weakest) weakest = tie;
    if (tie > strongest) strongest = tie;
  }
  return { weakest, strongest };
}

type RatedText = Pick<MeasuredText, 'text' | 'rates'>;

function cutSentences(rated: RatedText, from: number, to: number, limit: Size, pieces: Piece[]): void {
  const { text } = rated;
  const last = trimWhiteSpace(text, from, to);
  let start = from;
  for (let at = from + 1; at <= to; at += 1) {
    if (at < to && (at >= last || !endsSentence(text, at))) continue;
    cutWords(rated, start, at, limit, pieces);
    start = at;
  }
}

function cutWords({ text, rates }: RatedText, from: number, to: number, limit: Size, pieces: Piece[]): void {
  let start = from;
  while (start < to) {
    const end = fittingEnd(text, start, to, limit, rates);
    const { words, tokens } = sizeOf(text, start, end, rates);
    const next = skipWhiteSpace(text, end, to);
    pieces.push({ from: start, to: end, words, tokens: next > end ? tokens + LINE_END_TOKENS : tokens });
    start = next;
  }
}
