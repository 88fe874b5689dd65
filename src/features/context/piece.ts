// A stretch of a note that a dossier may show: where it stands, its text to the letter, and why.
import type { NotePath } from '../../base/note.ts';
import { type Lines, lineIndexAt, splitLines } from '../../markdown/parse/lines.ts';

export interface ContextNote {
  readonly path: NotePath;
  readonly title: string;
  readonly text: string;
  readonly lines: Lines;
}

export interface Piece {
  readonly note: ContextNote;
  /** Offsets in the note's text; nothing blank at its ends. */
  readonly from: number;
  readonly to: number;
  readonly why: string;
  readonly kind: 'passage' | 'link' | 'opening';
}

export function contextNote(path: NotePath, title: string, text: string): ContextNote {
  return { path, title, text, lines: splitLines(text) };
}

/** Undefined where there is nothing but blanks. */
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

/** First and last line it stands on, from 1. */
export function linesOf({ note, from, to }: Piece): readonly [number, number] {
  return [lineIndexAt(note.lines, from) + 1, lineIndexAt(note.lines, to - 1) + 1];
}
