// Which lines a heading's section, a block or a `:from-to` takes up, and their text.
import type { Block, Heading } from '../../base/note.ts';
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

export interface Outline {
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
}

/** What a link means, and further parts that the same subpath fits: a link takes the first, a note reference must choose. */
export interface SubpathMatch extends LineSpan {
  readonly others: readonly LineSpan[];
}

/** The lines that `subpath` names (its first `#` included or not), or null when the note has no such part. */
export function resolveSubpath(subpath: string, outline: Outline, lineCount: number): SubpathMatch | null {
  const parts = subpath
    .split('#')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts[parts.length - 1];
  if (last === undefined) return null;
  const [first, ...others] = last.startsWith('^')
    ? blocksNamed(last.slice(1), outline.blocks)
    : sectionsNamed(parts, outline.headings, lineCount);
  return first === undefined ? null : { ...first, others };
}

function blocksNamed(id: string, blocks: readonly Block[]): LineSpan[] {
  const wanted = id.toLowerCase();
  return blocks.filter((block) => block.id.toLowerCase() === wanted).map(({ line, endLine }) => ({ line, endLine }));
}

/** Each part narrows the search to the sections that the part before it found. */
function sectionsNamed(parts: readonly string[], headings: readonly Heading[], lineCount: number): LineSpan[] {
  const folded = headings.map(({ text }) => foldHeading(text));
  let spans: LineSpan[] = [{ line: 0, endLine: lineCount }];
  for (const part of parts) {
    const wanted = foldHeading(part);
    spans = headings.flatMap((heading, index) => {
      const inside =
        folded[index] === wanted && spans.some((span) => heading.line > span.line && heading.line <= span.endLine);
      return inside ? (sectionSpan(headings, index, lineCount) ?? []) : [];
    });
  }
  return spans;
}

/** Of the sections that a line stands in, from the outermost inwards, the headings as links compare them. */
export function sectionsAbove(headings: readonly Heading[], line: number): string[] {
  const open: Heading[] = [];
  for (const heading of headings) {
    if (heading.line >= line) break;
    while ((open[open.length - 1]?.level ?? 0) >= heading.level) open.pop();
    open.push(heading);
  }
  return open.map(({ text }) => foldHeading(text));
}

/** A heading as links compare it: without case and punctuation, blanks run together. */
export function foldHeading(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
