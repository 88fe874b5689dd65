// Holds the headings behind an edit to those before it and those put in on purpose. Knows nothing of links or blocks.
import type { Heading } from '../../base/note.ts';
import { parseNote } from '../parse/parse-note.ts';
import { type Comparison, isPutIn, type PlacedSplice } from './comparison.ts';
import { type EditView, headingLines } from './view.ts';

/** Which heading would come, go or change by accident. */
export function headingChange(comparison: Comparison): string | undefined {
  const { before, after, moved } = comparison;
  const expected = new Map<number, Heading>();
  const marks = new Set<number>();
  for (const heading of before.note.headings) {
    const offset = moved(heading.offset);
    if (isEdited(comparison, heading)) for (const mark of marksOf(comparison, heading)) marks.add(mark);
    else if (offset !== undefined) expected.set(offset, heading);
  }
  for (const heading of after.note.headings) {
    if (isSame(expected.get(heading.offset), heading)) expected.delete(heading.offset);
    else if (!isMeant(comparison, heading, marks)) return accidentAt(heading);
  }
  const [lost] = expected.values();
  return lost === undefined ? misread(comparison) : `the heading of line ${lost.line} would be none any more`;
}

function isSame(expected: Heading | undefined, { level, text }: Heading): boolean {
  return expected?.level === level && expected.text === text;
}

function accidentAt({ line, text }: Heading): string {
  return `${JSON.stringify(text)} would become a heading by accident (line ${line} of the edited note)`;
}

function spanOf(view: EditView, heading: Heading): { from: number; to: number } {
  const { first, last } = headingLines(view, heading);
  return { from: view.lines.starts[first] ?? 0, to: view.lines.ends[last] ?? view.text.length };
}

/** Whether a splice changes the lines of the heading; one that ends or begins a line beside it does not. */
function isEdited({ before, meeting }: Comparison, heading: Heading): boolean {
  const { from, to } = spanOf(before, heading);
  return meeting(from, to).some((splice) => {
    if (splice.from < to && splice.to > from) return true;
    return splice.to === from ? !endsLine(before.text, splice) : !beginsLine(before.text, splice);
  });
}

function endsLine(text: string, { from, text: put }: PlacedSplice): boolean {
  return put === '' ? from === 0 || /[\r\n]/.test(text.charAt(from - 1)) : /[\r\n]$/.test(put);
}

function beginsLine(text: string, { to, text: put }: PlacedSplice): boolean {
  return put === '' ? to === text.length || /[\r\n]/.test(text.charAt(to)) : /^[\r\n]/.test(put);
}

/** Where the lines of an edited heading begin in the new text: what is left of them may go on making a heading. */
function marksOf({ before, moved }: Comparison, heading: Heading): number[] {
  const { first, last } = headingLines(before, heading);
  const starts = [...new Set([first, last])].map((line) => moved(before.lines.starts[line] ?? 0));
  return starts.filter((start) => start !== undefined);
}

/** Whether each line of a new heading was put in, was edited letter by letter, or belonged to a heading before. */
function isMeant(comparison: Comparison, heading: Heading, marks: ReadonlySet<number>): boolean {
  const { lines } = comparison.after;
  const { first, last } = headingLines(comparison.after, heading);
  for (let line = first; line <= last; line += 1) {
    const [from, to] = [lines.starts[line] ?? 0, lines.ends[line] ?? 0];
    if (!marks.has(from) && !isPutIn(comparison, from, to) && !isWritten(comparison, from, to)) return false;
  }
  return true;
}

/** Whether a text replaced letter by letter left letters on the line, or took some from it. */
function isWritten({ before, behind }: Comparison, from: number, to: number): boolean {
  return behind(from, to).some(({ literal, newFrom, newTo, from: oldFrom, to: oldTo }) => {
    if (!literal) return false;
    const removed = before.text.slice(oldFrom, oldTo);
    return newFrom === newTo ? removed.trim() !== '' : newFrom < to && newTo > from;
  });
}

/** A text that is put in by itself has the headings there that it has alone. */
function misread({ splices, after }: Comparison): string | undefined {
  for (const { literal, text, newFrom, newTo } of splices) {
    if (literal || text === '') continue;
    const found = after.note.headings.filter(({ offset }) => offset >= newFrom && offset < newTo);
    const alone = parseNote(`\n${text}`).headings;
    if (found.length !== alone.length || found.some((heading, index) => !isSame(alone[index], heading)))
      return 'the text would have other headings where it is put than it has by itself';
  }
  return undefined;
}
