// A note's text as edits look at it: its lines, what it reads as, what ends its lines.
import type { Heading, ParsedNote } from '../../base/note.ts';
import { bodyStart } from '../frontmatter/front-matter.ts';
import { skipBlanks } from '../parse/characters.ts';
import { headingAt } from '../parse/line-marks.ts';
import { type Lines, splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { dominantLineEnd, type LineEnd } from './line-ends.ts';

export interface EditView {
  readonly path: string;
  readonly text: string;
  readonly lines: Lines;
  readonly lineEnd: LineEnd;
  readonly note: ParsedNote;
  /** The first line, from 0, behind the front matter. */
  readonly bodyLine: number;
}

export function viewForEdits(path: string, text: string): EditView {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  return { path, text, lines, lineEnd: dominantLineEnd(text), note: parseNote(text), bodyLine };
}

/** The line at `index`, from 0, without its end; empty beyond the text. */
export function lineAt({ text, lines }: EditView, index: number): string {
  return text.slice(lines.starts[index] ?? text.length, lines.ends[index] ?? text.length);
}

export function isBlankLine({ text, lines }: EditView, index: number): boolean {
  const end = lines.ends[index] ?? text.length;
  return skipBlanks(text, lines.starts[index] ?? text.length, end) === end;
}

/** The lines, from 0, that the heading itself takes up: one, or two when it is underlined. */
export function headingLines({ text, lines }: EditView, heading: Heading): { first: number; last: number } {
  const first = heading.line - 1;
  const marked = headingAt(text, heading.offset, lines.ends[first] ?? text.length) !== undefined;
  return { first, last: marked && text.charAt(heading.offset) === '#' ? first : first + 1 };
}

/** Whether the text ends in the middle of a line. */
export function isUnended({ text }: EditView): boolean {
  return text !== '' && !/[\r\n]$/.test(text);
}
