// Cuts lines into pieces small enough for a chunk, at the weakest ties first.

import { endsSentence } from '../excerpt/sentence.ts';
import { skipWhite, trimWhite } from '../parse/characters.ts';
import { type Lines, TIE } from '../parse/lines.ts';
import { fitsIn, type LineSizes, reachOf, type Size, sizeOf } from './text-size.ts';

/** A stretch of the text that is kept together, line ends behind it included. */
export interface Piece extends Size {
  readonly from: number;
  readonly to: number;
}

/** Lines from 0: the first, and the one behind the last. */
export type LineRange = readonly [first: number, end: number];

export interface MeasuredText {
  readonly text: string;
  readonly lines: Lines;
  readonly ties: Uint8Array;
  readonly sizes: LineSizes;
}

/** Ends what was cut within a line, where white space behind it is left out. */
export const LINE_END = '\n';
const LINE_END_TOKENS = sizeOf(LINE_END).tokens;

/**
 * The lines of all ranges in pieces of at most `most`: whole blocks if they fit, else their parts, else sentences or, of tables,
 * code and the like, lines; else as many words or characters as fit. What is white alone is left out.
 */
export function cutLines(given: MeasuredText, ranges: readonly LineRange[], most: Size): Piece[] {
  const room = { words: most.words, tokens: most.tokens - LINE_END_TOKENS };
  const pieces: Piece[] = [];
  for (const [first, end] of ranges) cutFurther(given, first, end, room, pieces);
  return pieces.filter(({ from, to }) => skipWhite(given.text, from, to) < to);
}

function cutFurther(given: MeasuredText, first: number, end: number, most: Size, pieces: Piece[]): void {
  const { text, lines, ties, sizes } = given;
  if (first >= end) return;
  const from = lines.starts[first] ?? text.length;
  const to = lines.starts[end] ?? text.length;
  const size = sizes.between(first, end);
  if (fitsIn(size, most)) {
    pieces.push({ from, to, ...size });
    return;
  }
  const { weakest, strongest } = tiesWithin(ties, first, end);
  if (end - first === 1 || (weakest === TIE.PARAGRAPH && strongest === TIE.PARAGRAPH)) {
    cutSentences(text, from, to, most, pieces);
    return;
  }
  let start = first;
  for (let line = first + 1; line <= end; line += 1) {
    if (line < end && ties[line] !== weakest) continue;
    cutFurther(given, start, line, most, pieces);
    start = line;
  }
}

function tiesWithin(ties: Uint8Array, first: number, end: number): { weakest: number; strongest: number } {
  let weakest: number = TIE.WHOLE;
  let strongest = 0;
  for (let line = first + 1; line < end; line += 1) {
    const tie = ties[line] as number;
    if (tie < weakest) weakest = tie;
    if (tie > strongest) strongest = tie;
  }
  return { weakest, strongest };
}

function cutSentences(text: string, from: number, to: number, most: Size, pieces: Piece[]): void {
  const last = trimWhite(text, from, to);
  let start = from;
  for (let at = from + 1; at <= to; at += 1) {
    if (at < to && (at >= last || !endsSentence(text, at))) continue;
    cutWords(text, start, at, most, pieces);
    start = at;
  }
}

function cutWords(text: string, from: number, to: number, most: Size, pieces: Piece[]): void {
  let start = from;
  while (start < to) {
    const end = reachOf(text, start, to, most);
    const { words, tokens } = sizeOf(text, start, end);
    const next = skipWhite(text, end, to);
    pieces.push({ from: start, to: end, words, tokens: next > end ? tokens + LINE_END_TOKENS : tokens });
    start = next;
  }
}
