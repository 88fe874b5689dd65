// Which lines a heading's section, a block or a `:from-to` takes up, and their text.
import type { Heading } from '../../base/note.ts';
import { splitLines } from '../parse/lines.ts';

/** Lines from 1, both included. */
export interface LineSpan {
  readonly line: number;
  readonly endLine: number;
}

/** How many lines a text has; a final line end opens no further one. */
export function lineCountOf(text: string): number {
  return splitLines(text).starts.length;
}

/** From the heading at `index` to the line before the next one of its level or above, or to the note's last line. */
export function sectionSpan(headings: readonly Heading[], index: number, lineCount: number): LineSpan | null {
  const heading = headings[index];
  if (heading === undefined) return null;
  let next = index + 1;
  while ((headings[next]?.level ?? 0) > heading.level) next += 1;
  const below = headings[next];
  return { line: heading.line, endLine: below === undefined ? Math.max(lineCount, heading.line) : below.line - 1 };
}

/** The lines `from` to `to` as far as the note has them; null when it ends before `from`. */
export function lineRange(from: number, to: number, lineCount: number): LineSpan | null {
  return from > lineCount ? null : { line: from, endLine: Math.min(to, lineCount) };
}

/** The text of the lines, line ends inside it as written, the last one left out. */
export function textOfLines(text: string, { line, endLine }: LineSpan): string {
  const { starts, ends } = splitLines(text);
  const last = Math.min(endLine, ends.length);
  return text.slice(starts[line - 1] ?? text.length, ends[last - 1] ?? text.length);
}
