// Cuts notes into passages and ranks them by the terms they contain.
import type { NotePath } from '../../base/note.ts';
import { chunkNote } from '../../markdown/chunk/chunks.ts';
import { findTerms, type Term } from '../../markdown/excerpt/term-matches.ts';
import { withoutLinks } from '../../markdown/excerpt/terms.ts';
import { type Lines, lineIndexAt, splitLines } from '../../markdown/parse/lines.ts';

export interface WeighedTerm extends Term {
  /** How much a passage gains if it contains the term. */
  readonly weight: number;
}

/** Requested lines of a note, from 1; undefined for the whole note. */
export type LineRange = readonly [number, number] | undefined;

/** Passages of about `tokens` each, those with the most distinctive terms first; without terms in the note's order. */
export function passagesIn(
  note: ContextNote,
  meant: LineRange,
  terms: readonly WeighedTerm[],
  tokens: number,
  why: string,
): readonly Piece[] {
  const spans = chunkNote(note.title, note.text, tokens).map(({ lines }) => lines);
  const within = spans.filter(([first, last]) => meant === undefined || (last >= meant[0] && first <= meant[1]));
  const pieces = within.flatMap((lines) => {
    const piece = pieceOf(note, offsetsOf(note, clipped(lines, meant)), 'passage', why);
    return piece === undefined || !hasOwnWords(textOf(piece))
      ? []
      : [{ piece, weight: weightOf(textOf(piece), terms) }];
  });
  return pieces.sort((one, other) => other.weight - one.weight).map(({ piece }) => piece);
}

function clipped([first, last]: readonly [number, number], meant: LineRange): readonly [number, number] {
  return meant === undefined ? [first, last] : [Math.max(first, meant[0]), Math.min(last, meant[1])];
}

function offsetsOf({ text, lines }: ContextNote, [first, last]: readonly [number, number]): [number, number] {
  return [lines.starts[first - 1] ?? 0, lines.ends[last - 1] ?? text.length];
}

/** Whether the text has words outside its links. */
export function hasOwnWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(withoutLinks(text));
}

/** Words inside links count half. */
function weightOf(text: string, terms: readonly WeighedTerm[]): number {
  const passage = text.normalize('NFC');
  return (weightIn(passage, terms) + weightIn(withoutLinks(passage), terms)) / 2;
}

function weightIn(text: string, terms: readonly WeighedTerm[]): number {
  const held = new Set(findTerms(text, terms).map(({ term }) => term));
  return [...held].reduce((sum, at) => sum + (terms[at]?.weight ?? 0), 0);
}

export interface ContextNote {
  readonly path: NotePath;
  readonly title: string;
  readonly text: string;
  readonly lines: Lines;
}

export interface Piece {
  readonly note: ContextNote;
  /** Offsets in the note's text, without surrounding whitespace. */
  readonly from: number;
  readonly to: number;
  readonly why: string;
  readonly kind: 'passage' | 'link' | 'opening';
}

export function contextNote(path: NotePath, title: string, text: string): ContextNote {
  return { path, title, text, lines: splitLines(text) };
}

/** Undefined if the span is blank. */
export function pieceOf(
  note: ContextNote,
  [from, to]: readonly [number, number],
  kind: Piece['kind'],
  why: string,
): Piece | undefined {
  const shown = note.text.slice(from, to);
  const begin = from + shown.length - shown.trimStart().length;
  const end = from + shown.trimEnd().length;
  return begin >= end ? undefined : { note, from: begin, to: end, kind, why };
}

export function textOf({ note, from, to }: Piece): string {
  return note.text.slice(from, to);
}

/** First and last line, from 1. */
export function linesOf({ note, from, to }: Piece): readonly [number, number] {
  return [lineIndexAt(note.lines, from) + 1, lineIndexAt(note.lines, to - 1) + 1];
}
