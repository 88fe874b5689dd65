// Finds the lines between which text is inserted, and the blank lines it needs there.

import type { Block } from '../../base/note.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { isBlank, skipBlanks } from '../parse/characters.ts';
import { blockIdAt, isDashRow, isRule, listMarkAt } from '../parse/line-marks.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { misreading, readingOf } from './reading.ts';
import { applySplices, type Splice } from './splice.ts';
import { type EditTarget, editRefusal } from './target.ts';
import {
  contentEnd,
  type EditView,
  headingLines,
  isBlankLine,
  isBoard,
  isUnended,
  lineAt,
  viewForEdits,
  withLineEnd,
  withoutBlankEdges,
} from './view.ts';

type HeadingTarget = Extract<EditTarget, { kind: 'heading' }>;

/** The first line with text at or after `index`, or the number of lines. */
export function nextTextLine(view: EditView, index: number): number {
  let next = index;
  while (next < view.lines.starts.length && isBlankLine(view, next)) next += 1;
  return next;
}

/** The line after the last one with text before `index`; not before `least`. */
export function lineAfterText(view: EditView, index: number, least: number): number {
  let end = index;
  while (end > least && isBlankLine(view, end - 1)) end -= 1;
  return end;
}

export function atStart(view: EditView): Place {
  return { index: nextTextLine(view, view.bodyLine), prefix: '' };
}

/** @throws INVALID_INPUT if the note ends inside an unclosed block */
export function atEnd(view: EditView, at: string): Place {
  refuseUnclosedEnd(view, at);
  return { index: contentEnd(view), prefix: '' };
}

export function belowHeading(view: EditView, { last }: HeadingTarget): Place {
  return { index: nextTextLine(view, last + 1), prefix: '' };
}

/** After the heading's own text, before its first subsection or the next section. */
export function endOfOwnText(view: EditView, { heading, last }: HeadingTarget, at: string): Place {
  const next = view.note.headings.find(({ line }) => line > heading.line);
  if (next === undefined) refuseUnclosedEnd(view, at);
  const end = lineAfterText(view, next === undefined ? contentEnd(view) : next.line - 1, last + 1);
  // A board has a rule above its archive.
  const isAboveArchive =
    next !== undefined && isBoard(view) && end > last + 1 && /^\*{3}\s*$/.test(lineAt(view, end - 1));
  return { index: isAboveArchive ? lineAfterText(view, end - 1, last + 1) : end, prefix: '' };
}

/** @throws INVALID_INPUT if no line can be inserted there */
export function besideTarget(view: EditView, target: EditTarget, side: 'before' | 'after', at: string): Place {
  if (target.kind === 'heading')
    return side === 'before' ? { index: target.first, prefix: '' } : belowHeading(view, target);
  const { prefix, inMark, last } = blockLayout(view, target.block);
  if (inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  return { index: side === 'before' ? target.first : last + 1, prefix };
}

const MAX_SHORTER = 7;

/**
 * The place with as much of its prefix as the text can have there, and a blank line above it if it needs one: after a line that continues
 * an item from outside it, text that is indented as the item would be code.
 */
export function readablePlace(view: EditView, place: Place, text: string): Place {
  const { prefix } = place;
  const marks = prefix.trimEnd().length;
  const shorter = Array.from({ length: Math.min(MAX_SHORTER, prefix.length - marks) + 1 }, (_, at) => marks + at);
  const lengths = [prefix.length, ...shorter.toReversed()];
  const places = lengths.flatMap((length): Place[] => {
    const shortened = { ...place, prefix: prefix.slice(0, length) };
    return [shortened, { ...shortened, isApart: true }];
  });
  return places.find((each) => isReadable(view, insertAt(view, each, [text]), text)) ?? place;
}

/** The replacement of a block, with a blank line above it if it would not be read as it is. */
export function readableBlock<T extends Splice>(view: EditView, splice: T, text: string): T {
  if (isReadable(view, splice, text)) return splice;
  const from = view.lines.starts[lineIndexAt(view.lines, splice.from)] ?? 0;
  const prefix = view.text.slice(from, splice.from);
  return { ...splice, from, text: `${prefix.trimEnd()}${view.lineEnd}${prefix}${splice.text}` };
}

function isReadable(view: EditView, splice: Splice, text: string): boolean {
  const after = readingOf(viewForEdits(view.path, applySplices(view.text, [splice])));
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

function refuseUnclosedEnd({ text }: EditView, at: string): void {
  if (isClosed(text)) return;
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
export function insertAt(view: EditView, place: Place, texts: readonly string[]): Splice {
  const parts = texts.map((text) => indented(withoutBlankEdges(text), place.prefix));
  const blank = `${place.prefix.trimEnd()}\n`;
  const inner = parts.reduce((above, below) => `${above}\n${isOneList(above, below) ? '' : blank}${below}`);
  const neighbours = { above: neighbourAbove(view, place.index), below: neighbourBelow(view, place.index) };
  const head = needsBlankAbove(view, place, neighbours, inner) ? blank : '';
  const tail = needsBlankBelow(view, neighbours, inner) ? blank : '';
  const at = view.lines.starts[place.index] ?? view.text.length;
  const unended = at === view.text.length && isUnended(view);
  const text = unended ? `\n${head}${inner}` : `${head}${inner}\n${tail}`;
  return { from: at, to: at, text: withLineEnd(text, view.lineEnd) };
}

/** Adds the prefix to each line; blank lines get it without trailing blanks. */
export function indented(text: string, prefix: string): string {
  if (prefix === '') return text;
  const lines = text.split(/\r\n?|\n/);
  return lines.map((line) => (line === '' ? prefix.trimEnd() : prefix + line)).join('\n');
}

function neighbourAbove(view: EditView, index: number): Neighbour | undefined {
  const above = lineAfterText(view, index, view.bodyLine) - 1;
  return above < view.bodyLine ? undefined : { index: above, gap: index - 1 - above };
}

function neighbourBelow(view: EditView, index: number): Neighbour | undefined {
  const below = nextTextLine(view, index);
  return below === view.lines.starts.length ? undefined : { index: below, gap: below - index };
}

function needsBlankAbove(
  view: EditView,
  { index, isApart = false }: Place,
  { above, below }: Neighbours,
  text: string,
): boolean {
  // A line of dashes at the start of the note would open front matter.
  if (above === undefined) return index === 0 && text.startsWith('---');
  if (above.gap > 0 || isApart) return isApart;
  if (isHeading(view, above.index)) return below === undefined ? leavesBlankBelowHeadings(view) : false;
  if (isFurtherRow(text) && isTableRow(above.index, (row) => lineAt(view, row))) return false;
  return !isOneList(itemAbove(view, above.index), text);
}

function needsBlankBelow(view: EditView, { above, below }: Neighbours, text: string): boolean {
  if (below === undefined || below.gap > 0) return false;
  const heading = view.note.headings.find(({ line }) => line === below.index + 1);
  if (heading === undefined) return !isOneList(text, lineAt(view, below.index));
  const { first, last } = headingLines(view, heading);
  return first !== last || above === undefined || above.gap > 0;
}

function isOneList(above: string, below: string): boolean {
  const [first = ''] = below.split(/[\r\n]/, 1);
  return continuesList(above.slice(Math.max(above.lastIndexOf('\n'), above.lastIndexOf('\r')) + 1), first);
}

/** The line, or the list item above it that it is indented below. */
function itemAbove(view: EditView, index: number): string {
  let above = index;
  while (above > view.bodyLine && /^[ \t]+(?![ \t\-+*\d])/.test(lineAt(view, above)) && !isBlankLine(view, above))
    above -= 1;
  return lineAt(view, above);
}

function isHeading(view: EditView, index: number): boolean {
  return view.note.headings.some((heading) => headingLines(view, heading).last === index);
}

/** Whether most headings of the note have a blank line below them; true if no heading has content. */
export function leavesBlankBelowHeadings(view: EditView): boolean {
  let close = 0;
  let apart = 0;
  for (const heading of view.note.headings) {
    const below = headingLines(view, heading).last + 1;
    if (below >= view.lines.starts.length) continue;
    if (isBlankLine(view, below)) apart += 1;
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

export function blockLayout(view: EditView, block: Block): BlockLayout {
  const idLine = lineOfId(view, block);
  const opening = openingOf(view, block.line - 1);
  if (idLine === undefined) return { ...opening, last: block.endLine - 1, idOnOwnLine: false };
  const { prefix } = openingOf(view, idLine);
  const from = (view.lines.starts[block.line - 1] ?? 0) + prefix.length;
  const inMark = !startsWithPrefix(view, block, prefix);
  return { prefix, mark: '', markFrom: from, contentFrom: from, inMark, last: idLine, idOnOwnLine: true };
}

/** Whether the block's first line starts with the prefix of the line with its id. */
function startsWithPrefix({ text, lines }: EditView, block: Block, prefix: string): boolean {
  return text.startsWith(prefix, lines.starts[block.line - 1]);
}

/** The line below a quote, list or table that contains only its id. */
function lineOfId(view: EditView, { id, endLine }: Block): number | undefined {
  let index = endLine;
  while (index < view.lines.starts.length && isBlankLine(view, index)) index += 1;
  if (idIn(view, endLine - 1)?.id === id) return undefined;
  const below = idIn(view, index);
  return below?.alone === true && below.id === id ? index : undefined;
}

function idIn(view: EditView, index: number): { id: string; alone: boolean } | undefined {
  const { text, lines } = view;
  const from = lines.starts[index];
  const to = lines.ends[index];
  if (from === undefined || to === undefined) return undefined;
  const quoted = /^[ \t>]*/.exec(text.slice(from, to))?.[0].length ?? 0;
  return blockIdAt(text, from + quoted, to);
}

type Opening = Omit<BlockLayout, 'last' | 'idOnOwnLine'>;

/** Reads the marks of quotes and items at the start of the line. */
function openingOf({ text, lines }: EditView, index: number): Opening {
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
