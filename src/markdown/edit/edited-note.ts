// A parsed note as edits use it: its lines, its structure, its line ends.
import type { Heading, ParsedNote } from '../../base/note.ts';
import { skipBlanks } from '../parse/characters.ts';
import { headingAt } from '../parse/line-marks.ts';
import { type Lines, lineIndexAt, splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { drawingStart } from '../parse/plugin-data.ts';
import { bodyStart } from '../properties/front-matter.ts';

export interface EditedNote {
  readonly path: string;
  readonly text: string;
  readonly lines: Lines;
  readonly lineEnd: LineEnd;
  readonly note: ParsedNote;
  /** The first line after the front matter, 0-based. */
  readonly bodyLine: number;
}

/** @param earlier the note before the edit */
export function editedNote(path: string, text: string, earlier?: ParsedNote): EditedNote {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  return { path, text, lines, lineEnd: dominantLineEnd(text), note: parseNote(text, earlier), bodyLine };
}

/** The line at `index`, 0-based, without its line end; empty beyond the text. */
export function lineAt({ text, lines }: EditedNote, index: number): string {
  return text.slice(lines.starts[index] ?? text.length, lines.ends[index] ?? text.length);
}

export function isBlankLine({ text, lines }: EditedNote, index: number): boolean {
  const end = lines.ends[index] ?? text.length;
  return skipBlanks(text, lines.starts[index] ?? text.length, end) === end;
}

/** The lines of the heading itself, 0-based: one, or two if it is underlined. */
export function headingLines({ text, lines }: EditedNote, heading: Heading): { first: number; last: number } {
  const first = heading.line - 1;
  const marked = headingAt(text, heading.offset, lines.ends[first] ?? text.length) !== undefined;
  return { first, last: marked && text.charAt(heading.offset) === '#' ? first : first + 1 };
}

/** Whether the last line has no line end. */
export function isUnended({ text }: EditedNote): boolean {
  return text !== '' && !/[\r\n]$/.test(text);
}

type LineEnd = '\n' | '\r\n' | '\r';

const ANY_END = /\r\n?|\n/g;

/** The most frequent line end, with ties in the order CRLF, LF, CR; LF for a text of one line. */
export function dominantLineEnd(text: string): LineEnd {
  if (!text.includes('\r')) return '\n';
  const counts = { '\r\n': 0, '\n': 0, '\r': 0 };
  for (const [end] of text.matchAll(ANY_END)) counts[end as LineEnd] += 1;
  const most = Math.max(counts['\r\n'], counts['\n'], counts['\r']);
  if (counts['\r\n'] === most) return '\r\n';
  return counts['\n'] === most ? '\n' : '\r';
}

/** `text` with only the given line ends. */
export function withLineEnd(text: string, lineEnd: LineEnd): string {
  return text.replace(ANY_END, lineEnd);
}

/** `text` with the line ends of `model` in order, and with `lineEnd` for further lines. */
export function withLineEndsOf(text: string, model: string, lineEnd: LineEnd): string {
  const ends = model.match(ANY_END) ?? [];
  let at = 0;
  return text.replace(ANY_END, () => ends[at++] ?? lineEnd);
}

/** The text without leading and trailing blank lines; the indentation of its first line stays. */
export function withoutBlankEdges(text: string): string {
  const { starts, ends } = splitLines(text);
  const isText = (start: number, line: number): boolean => skipBlanks(text, start, ends[line] ?? 0) < (ends[line] ?? 0);
  const first = starts.findIndex(isText);
  return first === -1 ? '' : text.slice(starts[first], ends[starts.findLastIndex(isText)]);
}

/** The number of lines above what a plugin keeps at the end: the settings of a board, or a drawing, which each save replaces. */
export function contentEnd({ text, lines }: Pick<EditedNote, 'text' | 'lines'>): number {
  const at = drawingStart(text) ?? settingsStart(text);
  return at === undefined ? lines.starts.length : lineIndexAt(lines, text.slice(0, at).trimEnd().length) + 1;
}

function settingsStart(text: string): number | undefined {
  const at = text.lastIndexOf('\n%% kanban:settings');
  return at !== -1 && text.trimEnd().endsWith('%%') ? at : undefined;
}

/** Whether the line at `index` is one of those that each save of Excalidraw replaces. */
export function isInDrawing({ text, lines }: EditedNote, index: number): boolean {
  const at = drawingStart(text);
  return at !== undefined && index >= lineIndexAt(lines, at);
}

/** Whether it is a board of the Kanban plugin. */
export function isBoard({ text, lines }: Pick<EditedNote, 'text' | 'lines'>): boolean {
  return /^kanban-plugin:/m.test(text.slice(0, bodyStart(text, lines).bodyOffset));
}

/** The last line of a section that ends with the line at `end`, both 0-based: the rule above the archive of a board is no part of a lane. */
export function laneEnd(edited: Pick<EditedNote, 'text' | 'lines'>, end: number): number {
  const { starts, ends } = edited.lines;
  const lineOf = (index: number): string => edited.text.slice(starts[index], ends[index]).trim();
  let rule = end;
  while (rule > 0 && lineOf(rule) === '') rule -= 1;
  const isRule = lineOf(rule) === '***' && /^#{1,6}\s/.test(lineOf(end + 1)) && isBoard(edited);
  return isRule ? rule - 1 : end;
}
