// Says what a note would read as otherwise than before beside what an edit asked for: headings, blocks, links. Makes no edit.
import type { Block, Heading, Link } from '../../base/note.ts';
import { parseNote } from '../parse/parse-note.ts';
import {
  type Comparison,
  compareEdit,
  isInserted,
  isReplaced,
  type PlacedSplice,
  type RequestedSplice,
} from './comparison.ts';
import { type EditView, headingLines, isUnended } from './view.ts';

/** Why the edit is refused, or undefined when all that it did not touch reads as before. */
export function unintendedChange(before: EditView, sorted: readonly RequestedSplice[]): string | undefined {
  const comparison = compareEdit(before, sorted);
  return (
    frontMatterChange(comparison) ?? headingChange(comparison) ?? blockChange(comparison) ?? linkChange(comparison)
  );
}

/** Front matter stays what it is, or stays away; where its text was edited it must still be YAML. */
function frontMatterChange({ before, after, splices }: Comparison): string | undefined {
  const { bodyOffset, propertiesFault } = before.note;
  const inside = splices.filter(({ from, to }) => from < bodyOffset && to <= bodyOffset);
  const shift = inside.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
  const ended = bodyOffset === before.text.length && isUnended(before) ? lineEndAt(after.text, bodyOffset + shift) : 0;
  if (after.note.bodyOffset !== (bodyOffset === 0 ? 0 : bodyOffset + shift + ended))
    return bodyOffset === 0 ? 'the note would begin with front matter' : 'the front matter would not end where it does';
  const fault = after.note.propertiesFault;
  if (fault === undefined || propertiesFault !== undefined) return undefined;
  return `line ${fault.line}, column ${fault.column} of the front matter would be no valid YAML: ${fault.reason}`;
}

/** The length of the line end that a last line, the closing one of the front matter, got. */
function lineEndAt(text: string, offset: number): number {
  return /^(?:\r\n?|\n)?/.exec(text.slice(offset, offset + 2))?.[0].length ?? 0;
}

/** Each block that is not replaced keeps its id, and what replaces one gets it. */
function blockChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  const kept = new Map<string, number>();
  for (const { id } of after.note.blocks) kept.set(id, (kept.get(id) ?? 0) + 1);
  const nameless = splices.find(({ keepsId }) => keepsId !== undefined && !kept.has(keepsId))?.keepsId;
  if (nameless !== undefined)
    return `^${nameless} would name nothing any more; put it into the text, \` ^${nameless}\` at its end`;
  const lost = before.note.blocks.find((block) => {
    if (isBlockReplaced(comparison, block)) return false;
    const count = kept.get(block.id) ?? 0;
    kept.set(block.id, count - 1);
    return count < 1;
  });
  return lost && `the block ^${lost.id} of line ${lost.line} would lose its id`;
}

/** A text replaced letter by letter takes the block's id only when it holds the id. */
function isBlockReplaced({ before, touchingOld }: Comparison, { id, line, endLine }: Block): boolean {
  const from = before.lines.starts[line - 1] ?? 0;
  const to = before.lines.ends[endLine - 1] ?? 0;
  return touchingOld(from, to).some((splice) => {
    const isOver = splice.from < splice.to && splice.from < to && splice.to > from;
    return isOver && (!splice.literal || before.text.slice(splice.from, splice.to).includes(`^${id}`));
  });
}

/** Links stay links and text stays text; only a text replaced letter by letter may change the paragraph it stands in. */
function linkChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  if (splices.some(({ literal }) => literal)) return undefined;
  const expected = new Map<number, Link>();
  for (const link of before.note.links) {
    const offset = isReplaced(comparison, link.offset, link.end) ? undefined : comparison.moved(link.offset);
    if (offset !== undefined && link.kind !== 'reference') expected.set(offset, link);
  }
  const found = new Set<number>();
  for (const link of after.note.links) {
    found.add(link.offset);
    if (link.kind === 'reference' || isInserted(comparison, link.offset, link.end)) continue;
    if (expected.get(link.offset)?.link !== link.link) return `line ${link.line} would become a link: ${link.link}`;
  }
  const lost = [...expected].find(([offset]) => !found.has(offset))?.[1];
  return lost && `the link of line ${lost.line} would be none any more: ${lost.link}`;
}

/** Which heading would come, go or change by accident. */
function headingChange(comparison: Comparison): string | undefined {
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
    else if (!isIntended(comparison, heading, marks)) return accidentalHeading(heading);
  }
  const [lost] = expected.values();
  return lost === undefined ? misreadHeadings(comparison) : `the heading of line ${lost.line} would be none any more`;
}

function isSame(expected: Heading | undefined, { level, text }: Heading): boolean {
  return expected?.level === level && expected.text === text;
}

function accidentalHeading({ line, text }: Heading): string {
  return `${JSON.stringify(text)} would become a heading by accident (line ${line} of the edited note)`;
}

function spanOf(view: EditView, heading: Heading): { from: number; to: number } {
  const { first, last } = headingLines(view, heading);
  return { from: view.lines.starts[first] ?? 0, to: view.lines.ends[last] ?? view.text.length };
}

/** Whether a splice changes the lines of the heading; one that ends or begins a line beside it does not. */
function isEdited({ before, touchingOld }: Comparison, heading: Heading): boolean {
  const { from, to } = spanOf(before, heading);
  return touchingOld(from, to).some((splice) => {
    if (splice.from < to && splice.to > from) return true;
    return splice.to === from ? !endsLine(before.text, splice) : !beginsLine(before.text, splice);
  });
}

function endsLine(text: string, { from, text: inserted }: PlacedSplice): boolean {
  return inserted === '' ? from === 0 || /[\r\n]/.test(text.charAt(from - 1)) : /[\r\n]$/.test(inserted);
}

function beginsLine(text: string, { to, text: inserted }: PlacedSplice): boolean {
  return inserted === '' ? to === text.length || /[\r\n]/.test(text.charAt(to)) : /^[\r\n]/.test(inserted);
}

/** Where the lines of an edited heading begin in the new text: what is left of them may go on making a heading. */
function marksOf({ before, moved }: Comparison, heading: Heading): number[] {
  const { first, last } = headingLines(before, heading);
  const starts = [...new Set([first, last])].map((line) => moved(before.lines.starts[line] ?? 0));
  return starts.filter((start) => start !== undefined);
}

/** Whether each line of a new heading was put in, was edited letter by letter, or belonged to a heading before. */
function isIntended(comparison: Comparison, heading: Heading, marks: ReadonlySet<number>): boolean {
  const { lines } = comparison.after;
  const { first, last } = headingLines(comparison.after, heading);
  for (let line = first; line <= last; line += 1) {
    const [from, to] = [lines.starts[line] ?? 0, lines.ends[line] ?? 0];
    if (!marks.has(from) && !isInserted(comparison, from, to) && !isLiteralEdit(comparison, from, to)) return false;
  }
  return true;
}

/** Whether a text replaced letter by letter left letters on the line, or took some from it. */
function isLiteralEdit({ before, touchingNew }: Comparison, from: number, to: number): boolean {
  return touchingNew(from, to).some(({ literal, newFrom, newTo, from: oldFrom, to: oldTo }) => {
    if (!literal) return false;
    const removed = before.text.slice(oldFrom, oldTo);
    return newFrom === newTo ? removed.trim() !== '' : newFrom < to && newTo > from;
  });
}

/** A text that is put in by itself has the headings there that it has alone. */
function misreadHeadings({ splices, after }: Comparison): string | undefined {
  for (const { literal, text, newFrom, newTo } of splices) {
    if (literal || text === '') continue;
    const found = after.note.headings.filter(({ offset }) => offset >= newFrom && offset < newTo);
    const alone = parseNote(`\n${text}`).headings;
    if (found.length !== alone.length || found.some((heading, index) => !isSame(alone[index], heading)))
      return 'the text would have other headings where it is put than it has by itself';
  }
  return undefined;
}
