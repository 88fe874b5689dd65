// Compares how inserted text is read in its note with how it is read on its own, and what is code around it.
import { scanBlocks } from '../parse/blocks.ts';
import { BREAK_COST, lineIndexAt } from '../parse/lines.ts';
import { type EditedNote, editedNote, isBlankLine } from './edited-note.ts';
import type { MovedOffset } from './splice.ts';

/** Which lines of a note are code, and in how many quotes and items each begins. */
export interface Reading {
  readonly edited: EditedNote;
  /** 0-based. */
  readonly code: ReadonlySet<number>;
  /** Before the marks of the line itself; more than 250 for a line that begins no block. */
  readonly depths: Uint8Array;
}

export function readingOf(edited: EditedNote): Reading {
  const { codeLines, breakCosts } = scanBlocks(edited.text, edited.lines, edited.bodyLine);
  return { edited, code: new Set(codeLines.map((line) => line - 1)), depths: breakCosts };
}

/** Where a text is in a note. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

const ONLY_MARKS = /^[ \t>]*$/;

/** The first line that begins with text of the span after the marks of quotes, 0-based. A span may begin with the end of a line. */
function firstLineOf({ lines, text }: EditedNote, { from, to }: TextSpan): number {
  const isLineEnd = /[\r\n]/.test(text.charAt(from));
  let index = lineIndexAt(lines, from) + (isLineEnd ? 1 : 0);
  while ((lines.ends[index] ?? to) < to && ONLY_MARKS.test(text.slice(lines.starts[index], lines.ends[index])))
    index += 1;
  return index;
}

/** What the text would lose in the span: it would be code or part of the text above it, or have fewer links or tasks than alone. */
export function misreading({ edited, code, depths }: Reading, span: TextSpan, text: string): string | undefined {
  const alone = readingOf(editedNote('', `\n${text}`));
  const [first, last] = [firstLineOf(edited, span), lineIndexAt(edited.lines, span.to - 1)];
  const isWithin = (index: number): boolean => index >= first && index <= last;
  if ([...code].filter(isWithin).length > alone.code.size) return 'the text would be read as code';
  if (depths[first] === BREAK_COST.PARAGRAPH) return 'the text would continue the paragraph above it';
  if (linksIn(edited, span) < linksIn(alone.edited, { from: 0, to: alone.edited.text.length }))
    return 'a link of the text would not be read as a link';
  const tasks = edited.note.tasks.filter(({ line }) => isWithin(line - 1)).length;
  return tasks < alone.edited.note.tasks.length ? 'a task of the text would not be read as a task' : undefined;
}

function linksIn({ note }: EditedNote, { from, to }: TextSpan): number {
  return note.links.filter(({ kind, offset, end }) => kind !== 'reference' && offset >= from && end <= to).length;
}

/** The first line, kept as it is, that would become code. */
export function newCode(
  before: Reading,
  after: Reading,
  moved: MovedOffset,
  isKept: (from: number, to: number) => boolean,
): string | undefined {
  const { starts, ends } = before.edited.lines;
  for (let index = before.edited.bodyLine; index < starts.length; index += 1) {
    const from = starts[index] ?? 0;
    const to = moved(from);
    if (to === undefined || before.code.has(index) || isBlankLine(before.edited, index)) continue;
    if (after.code.has(lineIndexAt(after.edited.lines, to)) && isKept(from, ends[index] ?? from))
      return `line ${index + 1} would be read as code`;
  }
  return undefined;
}
