// Detects changes that an edit would make beyond the text it edits: to headings, blocks, links and front matter.
import { partitionPoint } from '../../base/binary-search.ts';
import type { Block, Heading, Link, NotePath, ParsedNote } from '../../base/note.ts';
import { resolveSubpath } from '../links/section.ts';
import { parseContent } from '../parse/parse-content.ts';
import { parseNote } from '../parse/parse-note.ts';
import { type EditedNote, editedNote, headingLines, isUnended } from './edited-note.ts';
import { misreading, newCode, readingOf } from './reading.ts';
import { applySplices, type MovedOffset, offsetMapper, type Splice } from './splice.ts';

/** Why the edit is refused, or undefined if everything it does not touch parses as before. */
export function unintendedChange(comparison: Comparison): string | undefined {
  return (
    frontMatterChange(comparison) ??
    headingChange(comparison) ??
    blockChange(comparison) ??
    linkChange(comparison) ??
    readingChange(comparison)
  );
}

/** Front matter must stay, or stay absent; if its text was edited it must still be valid YAML. */
function frontMatterChange({ before, after, splices }: Comparison): string | undefined {
  const { bodyOffset, propertiesFault } = before.note;
  const inside = splices.filter(({ from, to }) => from < bodyOffset && to <= bodyOffset);
  const shift = inside.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
  const ended = bodyOffset === before.text.length && isUnended(before) ? lineEndAt(after.text, bodyOffset + shift) : 0;
  if (after.note.bodyOffset !== (bodyOffset === 0 ? 0 : bodyOffset + shift + ended))
    return bodyOffset === 0 ? 'the note would begin with front matter' : 'the front matter would not end where it does';
  const fault = after.note.propertiesFault;
  if (fault === undefined || propertiesFault !== undefined) return undefined;
  return `line ${fault.line}, column ${fault.column} of the front matter would not be valid YAML: ${fault.reason}`;
}

/** The length of the line end that is added after the closing line of the front matter if it is the last line. */
function lineEndAt(text: string, offset: number): number {
  return /^(?:\r\n?|\n)?/.exec(text.slice(offset, offset + 2))?.[0].length ?? 0;
}

/** Each block that is not replaced must keep its id, and a replacement must get the id of its block. */
function blockChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  const counts = new Map<string, number>();
  for (const { id } of after.note.blocks) counts.set(id, (counts.get(id) ?? 0) + 1);
  const nameless = splices.find(({ keepsId }) => keepsId !== undefined && !counts.has(keepsId))?.keepsId;
  if (nameless !== undefined)
    return `^${nameless} would no longer name anything; add it to the text, \` ^${nameless}\` at its end`;
  const lost = before.note.blocks.find((block) => {
    if (isBlockReplaced(comparison, block)) return false;
    const count = counts.get(block.id) ?? 0;
    counts.set(block.id, count - 1);
    return count < 1;
  });
  return lost && `the block ^${lost.id} on line ${lost.line} would lose its id`;
}

/** A literal replacement removes a block's id only if the replaced text contains it. */
function isBlockReplaced({ before, touchingOld }: Comparison, { id, line, endLine }: Block): boolean {
  const from = before.lines.starts[line - 1] ?? 0;
  const to = before.lines.ends[endLine - 1] ?? 0;
  return touchingOld(from, to).some((splice) => {
    const isOver = splice.from < splice.to && splice.from < to && splice.to > from;
    return isOver && (!splice.literal || before.text.slice(splice.from, splice.to).includes(`^${id}`));
  });
}

/** Links must stay links and text must stay text; only a literal replacement may change the paragraph it is in. */
function linkChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  if (splices.some(({ literal }) => literal)) return undefined;
  const start = unchangedStart(comparison);
  const expected = new Map<number, Link>();
  for (const link of before.note.links.slice(start)) {
    const offset = isReplaced(comparison, link.offset, link.end) ? undefined : comparison.moved(link.offset);
    if (offset !== undefined && link.kind !== 'reference') expected.set(offset, link);
  }
  const rows = new Set<number>();
  for (const link of after.note.links.slice(start)) {
    rows.add(link.offset);
    if (link.kind === 'reference' || isInserted(comparison, link.offset, link.end)) continue;
    if (expected.get(link.offset)?.link !== link.link) return `line ${link.line} would become a link: ${link.link}`;
  }
  const lost = [...expected].find(([offset]) => !rows.has(offset))?.[1];
  return lost && `the link on line ${lost.line} would be lost: ${lost.link}`;
}

/** How many links before the first change stay what and where they are: most, if text is added to a note with many. */
function unchangedStart({ before, after, splices }: Comparison): number {
  const first = Math.min(...splices.map(({ from }) => from));
  const [old, now] = [before.note.links, after.note.links];
  const isSame = (at: number): boolean => {
    const [one, other] = [old[at], now[at]];
    if (one === undefined || other === undefined || one.end > first || one.end !== other.end) return false;
    return one.offset === other.offset && one.link === other.link && one.kind === other.kind;
  };
  let count = 0;
  while (isSame(count)) count += 1;
  return count;
}

/** Inserted text must be read as on its own, and no other text may become code. */
function readingChange(comparison: Comparison): string | undefined {
  const { before, after, splices, moved } = comparison;
  if (splices.some(({ literal }) => literal)) return undefined;
  const now = readingOf(after);
  for (const { text, alone = text, newFrom: from, newTo: to } of splices) {
    const fault = text === '' ? undefined : misreading(now, { from, to }, alone);
    if (fault !== undefined) return fault;
  }
  return newCode(readingOf(before), now, moved, (from, to) => !isReplaced(comparison, from, to));
}

/** Which heading would appear, disappear or change by accident. */
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
  return lost === undefined ? misreadHeadings(comparison) : `the heading on line ${lost.line} would be lost`;
}

function isSame(expected: Heading | undefined, { level, text }: Heading): boolean {
  return expected?.level === level && expected.text === text;
}

function accidentalHeading({ line, text }: Heading): string {
  return `${JSON.stringify(text)} would become a heading by accident (line ${line} of the edited note)`;
}

function spanOf(edited: EditedNote, heading: Heading): { from: number; to: number } {
  const { first, last } = headingLines(edited, heading);
  return { from: edited.lines.starts[first] ?? 0, to: edited.lines.ends[last] ?? edited.text.length };
}

/** Whether a splice changes the lines of the heading. A splice that only ends or starts a line next to it does not. */
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

/** Where the lines of an edited heading start in the new text; what remains of them may still be a heading. */
function marksOf({ before, moved }: Comparison, heading: Heading): number[] {
  const { first, last } = headingLines(before, heading);
  const starts = [...new Set([first, last])].map((line) => moved(before.lines.starts[line] ?? 0));
  return starts.filter((start) => start !== undefined);
}

/** Whether each line of a new heading was inserted, was edited literally, or belonged to an edited heading. */
function isIntended(comparison: Comparison, heading: Heading, marks: ReadonlySet<number>): boolean {
  const { lines } = comparison.after;
  const { first, last } = headingLines(comparison.after, heading);
  for (let line = first; line <= last; line += 1) {
    const [from, to] = [lines.starts[line] ?? 0, lines.ends[line] ?? 0];
    if (!marks.has(from) && !isInserted(comparison, from, to) && !isLiteralEdit(comparison, from, to)) return false;
  }
  return true;
}

/** Whether a literal replacement added characters to the line or removed some from it. */
function isLiteralEdit({ before, touchingNew }: Comparison, from: number, to: number): boolean {
  return touchingNew(from, to).some(({ literal, newFrom, newTo, from: oldFrom, to: oldTo }) => {
    if (!literal) return false;
    const removed = before.text.slice(oldFrom, oldTo);
    return newFrom === newTo ? removed.trim() !== '' : newFrom < to && newTo > from;
  });
}

/** Inserted text must have the same headings in the note as on its own. */
function misreadHeadings({ splices, after }: Comparison): string | undefined {
  for (const { literal, text, newFrom, newTo } of splices) {
    if (literal || text === '') continue;
    const headings = after.note.headings.filter(({ offset }) => offset >= newFrom && offset < newTo);
    const alone = parseNote(`\n${text}`).headings;
    if (headings.length !== alone.length || headings.some((heading, index) => !isSame(alone[index], heading)))
      return 'the text would have other headings in the note than on its own';
  }
  return undefined;
}

/** A splice, and how far it may affect the lines around it. */
export interface RequestedSplice extends Splice {
  /** A literal replacement may change the lines it is on; other splices only add or remove whole lines. */
  readonly literal: boolean;
  /** The id of the replaced block, which must name the replacement. */
  readonly keepsId?: string;
  /** The text before each of its lines got the marks and blanks that it needs in its place. */
  readonly alone?: string;
}

/** A splice with the range of its text in the new text. */
interface PlacedSplice extends RequestedSplice {
  readonly newFrom: number;
  readonly newTo: number;
}

interface Comparison {
  readonly before: EditedNote;
  readonly after: EditedNote;
  readonly splices: readonly PlacedSplice[];
  readonly moved: MovedOffset;
  /** The splices that overlap or touch a range of the old text. */
  readonly touchingOld: (from: number, to: number) => readonly PlacedSplice[];
  /** The splices whose text overlaps or touches a range of the new text. */
  readonly touchingNew: (from: number, to: number) => readonly PlacedSplice[];
}

/** @param sorted splices that do not overlap */
export function compareEdit(before: EditedNote, sorted: readonly RequestedSplice[]): Comparison {
  const splices = placed(sorted);
  return {
    before,
    after: editedNote(before.path, applySplices(before.text, sorted), before.note),
    splices,
    moved: offsetMapper(sorted),
    touchingOld: (from, to) =>
      stretch(
        splices,
        (splice) => splice.to < from,
        (splice) => splice.from <= to,
      ),
    touchingNew: (from, to) =>
      stretch(
        splices,
        (splice) => splice.newTo < from,
        (splice) => splice.newFrom <= to,
      ),
  };
}

function placed(sorted: readonly RequestedSplice[]): PlacedSplice[] {
  let shift = 0;
  return sorted.map((splice) => {
    const newFrom = splice.from + shift;
    shift += splice.text.length - (splice.to - splice.from);
    return { ...splice, newFrom, newTo: newFrom + splice.text.length };
  });
}

/** The consecutive elements after those before the range, as long as they reach into it. */
function stretch<T>(sorted: readonly T[], isBefore: (one: T) => boolean, reaches: (one: T) => boolean): T[] {
  const first = partitionPoint(sorted.length, (index) => isBefore(sorted[index] as T));
  const added: T[] = [];
  for (let at = first; at < sorted.length && reaches(sorted[at] as T); at += 1) added.push(sorted[at] as T);
  return added;
}

/** Whether any of the old text from `from` to `to` was replaced. */
function isReplaced({ touchingOld }: Comparison, from: number, to: number): boolean {
  return touchingOld(from, to).some((splice) => splice.from < to && splice.to > from);
}

/** Whether the new text from `from` to `to` was inserted, all of it by one splice. */
function isInserted({ touchingNew }: Comparison, from: number, to: number): boolean {
  return touchingNew(from, to).some((splice) => splice.newFrom <= from && to <= splice.newTo && splice.text !== '');
}

/** The places of those subpaths that lead to a part of the old text and to none of the new one. */
export function lostParts(path: NotePath, before: string, after: string, subpaths: readonly string[]): number[] {
  const [old, now] = [parseContent(path, before), parseContent(path, after)];
  const has = (note: ParsedNote, subpath: string): boolean =>
    resolveSubpath(subpath, note, Number.MAX_SAFE_INTEGER) !== null;
  return subpaths.flatMap((subpath, at) => (has(old, subpath) && !has(now, subpath) ? [at] : []));
}
