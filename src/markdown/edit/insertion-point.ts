// Finds the lines between which text is inserted, and the blank lines it needs there.

import type { Block } from '../../base/note.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { isBlank, skipBlanks } from '../parse/characters.ts';
import { blockIdAt, isDashRow, isRule, listMarkAt } from '../parse/line-marks.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { drawingStart } from '../parse/plugin-data.ts';
import { bodyStart } from '../properties/front-matter.ts';
import {
  contentEnd,
  type EditedNote,
  editedNote,
  headingLines,
  isBlankLine,
  isBoard,
  isUnended,
  laneEnd,
  lineAt,
  withLineEnd,
  withoutBlankEdges,
} from './edited-note.ts';
import { misreading, readingOf } from './reading.ts';
import { applySplices, type Splice } from './splice.ts';
import { type EditTarget, editRefusal } from './target.ts';

type HeadingTarget = Extract<EditTarget, { kind: 'heading' }>;

/** The first line with text at or after `index`, or the number of lines. */
export function nextTextLine(edited: EditedNote, index: number): number {
  let next = index;
  while (next < edited.lines.starts.length && isBlankLine(edited, next)) next += 1;
  return next;
}

/** The line after the last one with text before `index`; not before `least`. */
export function lineAfterText(edited: EditedNote, index: number, least: number): number {
  let end = index;
  while (end > least && isBlankLine(edited, end - 1)) end -= 1;
  return end;
}

export function atStart(edited: EditedNote): Place {
  return { index: nextTextLine(edited, edited.bodyLine), prefix: '' };
}

/** @throws INVALID_INPUT if the note ends inside an unclosed block */
export function atEnd(edited: EditedNote, at: string): Place {
  refuseUnclosedEnd(edited, at);
  const end = aboveArchive(edited);
  return { index: end === undefined ? contentEnd(edited) : lineAfterText(edited, end, edited.bodyLine), prefix: '' };
}

/** The line after the last lane of a board with an archive. */
function aboveArchive(edited: EditedNote): number | undefined {
  if (!isBoard(edited)) return undefined;
  const ends = edited.note.headings.map(({ line }) => [line - 2, laneEnd(edited, line - 2)] as const);
  const [, last] = ends.find(([before, end]) => end < before) ?? [];
  return last === undefined ? undefined : last + 1;
}

/** What a lane for done cards begins with, in the language of its user; above it the Kanban plugin would see another list, and lose this one. */
const LANE_MARK = /^\*\*[^*]+\*\*\s*$/;

export function belowHeading(edited: EditedNote, { last }: HeadingTarget): Place {
  const first = nextTextLine(edited, last + 1);
  const isMark = LANE_MARK.test(lineAt(edited, first)) && isBoard(edited);
  return { index: isMark ? first + 1 : first, prefix: '' };
}

/** After the heading's own text, before its first subsection or the next section. */
export function endOfOwnText(edited: EditedNote, { heading, last }: HeadingTarget, at: string): Place {
  const next = edited.note.headings.find(({ line }) => line > heading.line);
  if (next === undefined) refuseUnclosedEnd(edited, at);
  const end = next === undefined ? contentEnd(edited) : laneEnd(edited, next.line - 2) + 1;
  return { index: lineAfterText(edited, end, last + 1), prefix: '' };
}

/** @throws INVALID_INPUT if no line can be inserted there */
export function besideTarget(edited: EditedNote, target: EditTarget, side: 'before' | 'after', at: string): Place {
  if (target.kind === 'heading')
    return side === 'before' ? { index: target.first, prefix: '' } : belowHeading(edited, target);
  const { prefix, inMark, last } = blockLayout(edited, target.block);
  if (inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  return { index: side === 'before' ? target.first : last + 1, prefix };
}

const MAX_SHORTER = 7;

/**
 * The place with as much of its prefix as the text can have there, and a blank line above it if it needs one: after a line that continues
 * an item from outside it, text that is indented as the item would be code.
 */
export function readablePlace(edited: EditedNote, place: Place, text: string): Place {
  const { prefix } = place;
  const marks = prefix.trimEnd().length;
  const shorter = Array.from({ length: Math.min(MAX_SHORTER, prefix.length - marks) + 1 }, (_, at) => marks + at);
  const lengths = [prefix.length, ...shorter.toReversed()];
  const places = lengths.flatMap((length): Place[] => {
    const shortened = { ...place, prefix: prefix.slice(0, length) };
    return [shortened, { ...shortened, isApart: true }];
  });
  return places.find((each) => isReadable(edited, insertAt(edited, each, [text]), text)) ?? place;
}

/** The replacement of a block, with a blank line above it if it would not be read as it is. */
export function readableBlock<T extends Splice>(edited: EditedNote, splice: T, text: string): T {
  if (isReadable(edited, splice, text)) return splice;
  const from = edited.lines.starts[lineIndexAt(edited.lines, splice.from)] ?? 0;
  const prefix = edited.text.slice(from, splice.from);
  return { ...splice, from, text: `${prefix.trimEnd()}${edited.lineEnd}${prefix}${splice.text}` };
}

function isReadable(edited: EditedNote, splice: Splice, text: string): boolean {
  const after = readingOf(editedNote(edited.path, applySplices(edited.text, [splice])));
  return misreading(after, { from: splice.from, to: splice.from + splice.text.length }, text) === undefined;
}

const PROBE = '\n\n# end';

/** Whether text after this text would be parsed as text, which a heading at its end shows. */
function isClosed(text: string): boolean {
  const probed = text + PROBE;
  const lines = splitLines(probed);
  const last = scanBlocks(probed, lines, bodyStart(probed, lines).bodyLine).headings.at(-1);
  return last?.offset === text.length + PROBE.lastIndexOf('#');
}

function refuseUnclosedEnd({ text }: EditedNote, at: string): void {
  if (isClosed(text.slice(0, drawingStart(text)))) return;
  const rule =
    'the note ends inside code, math, HTML or a comment that is not closed; close it first with replace_text';
  throw editRefusal('edit_note', at, rule);
}

/** Inserted text must not swallow what follows it. */
export function refuseUnclosedText(text: string, at: string): void {
  if (isClosed(`\n${text}`)) return;
  throw editRefusal('edit_note', at, 'it opens code, math, HTML or a comment and does not close it');
}

/** Before line `index`, 0-based, or after the last line. Each new line starts with `prefix`. */
export interface Place {
  readonly index: number;
  readonly prefix: string;
  /** A blank line is above the text, whatever is above it. */
  readonly isApart?: boolean;
}

/** The nearest line that is not blank, and the number of blank lines before it. */
interface Neighbour {
  readonly index: number;
  readonly gap: number;
}

interface Neighbours {
  readonly above: Neighbour | undefined;
  readonly below: Neighbour | undefined;
}

/**
 * Inserts the texts one after the other, each as blocks of its own. A blank line separates them from their
 * neighbours, except for items that continue a list, rows that continue a table, and headings that have no blank
 * lines in this note. The text gets a final line end if the note has one or is empty.
 */
export function insertAt(edited: EditedNote, place: Place, texts: readonly string[]): Splice {
  const parts = texts.map((text) => indented(withoutBlankEdges(text), place.prefix));
  const blank = `${place.prefix.trimEnd()}\n`;
  const inner = parts.reduce((above, below) => `${above}\n${isOneList(above, below) ? '' : blank}${below}`);
  const neighbours = { above: neighbourAbove(edited, place.index), below: neighbourBelow(edited, place.index) };
  const head = needsBlankAbove(edited, place, neighbours, inner) ? blank : '';
  const tail = needsBlankBelow(edited, neighbours, inner) ? blank : '';
  const at = edited.lines.starts[place.index] ?? edited.text.length;
  const unended = at === edited.text.length && isUnended(edited);
  const text = unended ? `\n${head}${inner}` : `${head}${inner}\n${tail}`;
  return { from: at, to: at, text: withLineEnd(text, edited.lineEnd) };
}

/** Adds the prefix to each line; blank lines get it without trailing blanks. */
export function indented(text: string, prefix: string): string {
  if (prefix === '') return text;
  const lines = text.split(/\r\n?|\n/);
  return lines.map((line) => (line === '' ? prefix.trimEnd() : prefix + line)).join('\n');
}

function neighbourAbove(edited: EditedNote, index: number): Neighbour | undefined {
  const above = lineAfterText(edited, index, edited.bodyLine) - 1;
  return above < edited.bodyLine ? undefined : { index: above, gap: index - 1 - above };
}

function neighbourBelow(edited: EditedNote, index: number): Neighbour | undefined {
  const below = nextTextLine(edited, index);
  return below === edited.lines.starts.length ? undefined : { index: below, gap: below - index };
}

function needsBlankAbove(
  edited: EditedNote,
  { index, isApart = false }: Place,
  { above, below }: Neighbours,
  text: string,
): boolean {
  // A line of dashes at the start of the note would open front matter.
  if (above === undefined) return index === 0 && text.startsWith('---');
  if (above.gap > 0 || isApart) return isApart;
  if (isHeading(edited, above.index)) return below === undefined ? leavesBlankBelowHeadings(edited) : false;
  if (isFurtherRow(text) && isTableRow(above.index, (row) => lineAt(edited, row))) return false;
  return !isOneList(itemAbove(edited, above.index), text);
}

function needsBlankBelow(edited: EditedNote, { above, below }: Neighbours, text: string): boolean {
  if (below === undefined || below.gap > 0) return false;
  const heading = edited.note.headings.find(({ line }) => line === below.index + 1);
  if (heading === undefined) return !isOneList(text, lineAt(edited, below.index));
  const { first, last } = headingLines(edited, heading);
  return first !== last || above === undefined || above.gap > 0;
}

function isOneList(above: string, below: string): boolean {
  const [first = ''] = below.split(/[\r\n]/, 1);
  return continuesList(above.slice(Math.max(above.lastIndexOf('\n'), above.lastIndexOf('\r')) + 1), first);
}

/** The line, or the list item above it that it is indented below. */
function itemAbove(edited: EditedNote, index: number): string {
  let above = index;
  while (above > edited.bodyLine && /^[ \t]+(?![ \t\-+*\d])/.test(lineAt(edited, above)) && !isBlankLine(edited, above))
    above -= 1;
  return lineAt(edited, above);
}

function isHeading(edited: EditedNote, index: number): boolean {
  return edited.note.headings.some((heading) => headingLines(edited, heading).last === index);
}

/** Whether most headings of the note have a blank line below them; true if no heading has content. */
export function leavesBlankBelowHeadings(edited: EditedNote): boolean {
  let close = 0;
  let apart = 0;
  for (const heading of edited.note.headings) {
    const below = headingLines(edited, heading).last + 1;
    if (below >= edited.lines.starts.length) continue;
    if (isBlankLine(edited, below)) apart += 1;
    else close += 1;
  }
  return apart >= close;
}

const QUOTES = /^[ \t]*(?:>[ \t]*)*/;

type Line = ReturnType<typeof readLine>;

function readLine(line: string) {
  const marks = QUOTES.exec(line)?.[0] ?? '';
  return { quotes: marks.split('>').length, text: line.slice(marks.length) };
}

function signOf({ text }: Line): string | undefined {
  return isRule(text, 0, text.length) ? undefined : listMarkAt(text, 0, text.length)?.sign;
}

/** Whether both are items of one list. */
function continuesList(above: string, below: string): boolean {
  const [upper, lower] = [readLine(above), readLine(below)];
  const sign = signOf(lower);
  return sign !== undefined && sign === signOf(upper) && upper.quotes === lower.quotes;
}

const ROW = /^[ \t]*\|/;

/** Whether `below` is one more table row and not a table of its own. */
function isFurtherRow(below: string): boolean {
  const [first = '', second = ''] = below.split(/\r\n?|\n/, 2).map((line) => line.trim());
  return ROW.test(first) && !isDashRow(second, 0, second.length);
}

/** Whether the line at `index`, read by `lineAt`, is a row below a table's delimiter row. */
function isTableRow(index: number, lineAt: (index: number) => string): boolean {
  let above = index;
  while (above >= 0 && ROW.test(lineAt(above))) {
    const line = lineAt(above).trim();
    if (isDashRow(line, 0, line.length)) return above > 0 && ROW.test(lineAt(above - 1));
    above -= 1;
  }
  return false;
}

// Finds the lines, the line prefix, the list mark and the id of a named block.

export interface BlockLayout {
  /**
   * The prefix of lines next to the block: the marks of surrounding quotes and the indentation of surrounding items.
   */
  readonly prefix: string;
  /** The block's own list mark with the blanks after it; empty if it is not a list item. */
  readonly mark: string;
  readonly markFrom: number;
  /** The offset after the mark and the item's checkbox. */
  readonly contentFrom: number;
  /** Whether another item's mark comes before it on its line. */
  readonly inMark: boolean;
  /** The last line of the block, 0-based, including a line that contains only its id. */
  readonly last: number;
  /** Whether the id is on a line of its own. */
  readonly idOnOwnLine: boolean;
}

const MAX_GAP = 4;
const BOX = /^\[.\][ \t]+/;

export function blockLayout(edited: EditedNote, block: Block): BlockLayout {
  const idLine = lineOfId(edited, block);
  const opening = openingOf(edited, block.line - 1);
  if (idLine === undefined) return { ...opening, last: block.endLine - 1, idOnOwnLine: false };
  const { prefix } = openingOf(edited, idLine);
  const from = (edited.lines.starts[block.line - 1] ?? 0) + prefix.length;
  const inMark = !startsWithPrefix(edited, block, prefix);
  return { prefix, mark: '', markFrom: from, contentFrom: from, inMark, last: idLine, idOnOwnLine: true };
}

/** Whether the block's first line starts with the prefix of the line with its id. */
function startsWithPrefix({ text, lines }: EditedNote, block: Block, prefix: string): boolean {
  return text.startsWith(prefix, lines.starts[block.line - 1]);
}

/** The line below a quote, list or table that contains only its id. */
function lineOfId(edited: EditedNote, { id, endLine }: Block): number | undefined {
  let index = endLine;
  while (index < edited.lines.starts.length && isBlankLine(edited, index)) index += 1;
  if (idIn(edited, endLine - 1)?.id === id) return undefined;
  const below = idIn(edited, index);
  return below?.alone === true && below.id === id ? index : undefined;
}

function idIn(edited: EditedNote, index: number): { id: string; alone: boolean } | undefined {
  const { text, lines } = edited;
  const from = lines.starts[index];
  const to = lines.ends[index];
  if (from === undefined || to === undefined) return undefined;
  const quoted = /^[ \t>]*/.exec(text.slice(from, to))?.[0].length ?? 0;
  return blockIdAt(text, from + quoted, to);
}

type Opening = Omit<BlockLayout, 'last' | 'idOnOwnLine'>;

/** Reads the marks of quotes and items at the start of the line. */
function openingOf({ text, lines }: EditedNote, index: number): Opening {
  const to = lines.ends[index] ?? text.length;
  let at = lines.starts[index] ?? text.length;
  let prefix = '';
  let mark = '';
  let inMark = false;
  for (;;) {
    const next = skipBlanks(text, at, to);
    const item = isRule(text, next, to) ? undefined : listMarkAt(text, next, to);
    if (item === undefined && text.charAt(next) !== '>') return lastOpening(text, at, to, { prefix, mark, inMark });
    inMark ||= mark !== '';
    prefix += blanksFor(mark) + text.slice(at, next);
    mark = item === undefined ? '' : text.slice(next, gapEnd(text, next + item.length, to));
    at = next + (item === undefined ? 1 : mark.length);
    if (item === undefined) prefix += '>';
  }
}

/** Handles the text after the last mark: blanks belong to the prefix only if no item starts. */
function lastOpening(text: string, at: number, to: number, read: Pick<Opening, 'prefix' | 'mark' | 'inMark'>): Opening {
  if (read.mark === '') {
    const from = skipBlanks(text, at, to);
    return { ...read, prefix: read.prefix + text.slice(at, from), markFrom: from, contentFrom: from };
  }
  return { ...read, markFrom: at - read.mark.length, contentFrom: at + boxLength(text.slice(at, to)) };
}

/** The length of the checkbox at the start of the text, including the blanks after it. */
export function boxLength(text: string): number {
  return BOX.exec(text)?.[0].length ?? 0;
}

function gapEnd(text: string, from: number, to: number): number {
  const end = skipBlanks(text, from, to);
  return end - from > MAX_GAP ? from + 1 : end;
}

/** Blanks as wide as the mark. */
export function blanksFor(mark: string): string {
  return Array.from(mark, (sign) => (isBlank(sign.charCodeAt(0)) ? sign : ' ')).join('');
}
