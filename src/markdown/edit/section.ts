// Replaces the content below a heading, which itself stays, or a named block, which keeps its id; deletes either.
import type { Block } from '../../base/note.ts';
import { blockIdAt, headingAt, listMarkAt } from '../parse/line-marks.ts';
import { type BlockLayout, blanksFor, blockLayout, boxLength } from './block.ts';
import type { RequestedSplice } from './comparison.ts';
import { belowHeading, indented, insertAt, lineAfterText, nextTextLine } from './insertion-point.ts';
import type { Splice } from './splice.ts';
import { type EditTarget, editRefusal } from './target.ts';
import { type EditView, isBlankLine, isUnended, withLineEnd, withoutBlankEdges } from './view.ts';

type HeadingTarget = Extract<EditTarget, { kind: 'heading' }>;
type BlockTarget = Extract<EditTarget, { kind: 'block' }>;

/** @throws INVALID_INPUT */
export function replaceSection(view: EditView, target: EditTarget, text: string, at: string): RequestedSplice {
  const body = withoutBlankEdges(text);
  if (target.kind === 'block') return replaceBlock(view, target, body, at);
  if (repeatsHeading(body, target))
    throw editRefusal('edit_note', at, 'it begins with the heading itself, which stays: leave that line out');
  return { ...replaceBelow(view, target, body), literal: false };
}

/**
 * Replaces everything below the heading, including subsections, up to the next heading of the same or a higher
 * level. The surrounding blank lines stay. An empty text leaves the section empty.
 */
function replaceBelow(view: EditView, target: HeadingTarget, body: string): Splice {
  const { starts, ends } = view.lines;
  const first = nextTextLine(view, target.last + 1);
  const end = lineAfterText(view, target.sectionEnd + 1, target.last + 1);
  if (first >= end) {
    if (body !== '') return insertAt(view, belowHeading(view, target), [body]);
    return { from: view.text.length, to: view.text.length, text: '' };
  }
  if (body === '') return removeLines(view, isBlankLine(view, end) ? target.last + 1 : first, end);
  return { from: starts[first] ?? 0, to: ends[end - 1] ?? 0, text: withLineEnd(body, view.lineEnd) };
}

/**
 * Removes the heading and everything below it, up to the next heading of the same or a higher level, or the block with its id. The blank
 * lines above it stay, unless it is the end of the note.
 * @throws INVALID_INPUT
 */
export function deleteSection(view: EditView, target: EditTarget, at: string): RequestedSplice {
  const layout = target.kind === 'block' ? blockLayout(view, target.block) : undefined;
  if (layout?.inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  const last = layout?.last ?? (target as HeadingTarget).sectionEnd;
  const end =
    target.kind === 'heading' || isBlankLine(view, target.first - 1) ? nextTextLine(view, last + 1) : last + 1;
  const isLast = nextTextLine(view, end) === view.lines.starts.length;
  const first = isLast ? lineAfterText(view, target.first, view.bodyLine) : target.first;
  return { ...removeLines(view, first, isLast ? view.lines.starts.length : end), literal: false };
}

/** Removes the lines from `first` to before `end`; the note keeps its final line end, or the lack of one. */
function removeLines(view: EditView, first: number, end: number): Splice {
  const { starts, ends } = view.lines;
  if (end < starts.length || !isUnended(view))
    return { from: starts[first] ?? 0, to: starts[end] ?? view.text.length, text: '' };
  return { from: ends[first - 1] ?? 0, to: view.text.length, text: '' };
}

function repeatsHeading(body: string, { heading }: HeadingTarget): boolean {
  const [line = ''] = body.split(/[\r\n]/, 1);
  const mark = line.startsWith('#') ? headingAt(line, 0, line.length) : undefined;
  return mark?.level === heading.level && line.slice(mark.from, mark.to) === heading.text;
}

/** The id names the replacement; a list item keeps its mark and checkbox unless the text has its own. */
function replaceBlock(view: EditView, { block, first }: BlockTarget, body: string, at: string): RequestedSplice {
  const layout = blockLayout(view, block);
  if (layout.inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  if (body === '') return { ...removeLines(view, first, layout.last + 1), literal: false };
  const { from, text, last } = layout.idOnOwnLine ? aboveItsId(layout, block, body) : withItsId(layout, block, body);
  const to = view.lines.ends[last] ?? view.text.length;
  return { from, to, text: withLineEnd(text, view.lineEnd), literal: false, keepsId: block.id };
}

/**
 * A list, quote or table is named by the line below it; other text gets the id at its end.
 * `last`: the last line that is replaced, 0-based.
 */
function aboveItsId({ prefix, markFrom, last }: BlockLayout, { id, endLine }: Block, body: string) {
  const isNamedBelow = /^[ \t]*[>|]/.test(body) || bringsMark(body);
  if (isNamedBelow) return { from: markFrom, text: hung(body, prefix), last: endLine - 1 };
  return { from: markFrom, text: hung(withBlockId(body, id), prefix), last };
}

function withItsId({ prefix, mark, markFrom, contentFrom }: BlockLayout, { id, endLine }: Block, body: string) {
  const text = withBlockId(body, id);
  const last = endLine - 1;
  if (mark === '' || bringsMark(body)) return { from: markFrom, text: hung(text, prefix), last };
  const from = boxLength(body) > 0 ? markFrom + mark.length : contentFrom;
  return { from, text: hung(text, prefix + blanksFor(mark)), last };
}

function bringsMark(body: string): boolean {
  const [line = ''] = body.split(/[\r\n]/, 1);
  return listMarkAt(line, 0, line.length) !== undefined;
}

/** Adds the prefix to each line but the first. */
function hung(text: string, prefix: string): string {
  return indented(text, prefix).slice(prefix.length);
}

/** Blocks whose id is put on a line of its own below them. */
const STANDS_ALONE = /^[ \t]*[>|]/;
/** What ends a paragraph besides a blank line and a list. */
const ENDS_PARAGRAPH = /^[ \t]*(?:#{1,6}[ \t]|`{3}|~{3}|[>|]|$)/;

/**
 * Adds the id to the end of the text's first paragraph or item, or below its first table or quote, unless it is
 * there.
 */
function withBlockId(text: string, id: string): string {
  const lines = text.split(/\r\n?|\n/);
  if (lines.some((line) => blockIdAt(line, 0, line.length)?.id === id)) return text;
  if (STANDS_ALONE.test(text)) return `${text}\n\n^${id}`;
  const end = lines.findIndex((line, index) => index > 0 && (ENDS_PARAGRAPH.test(line) || isItem(line)));
  const last = end === -1 ? lines.length - 1 : end - 1;
  return lines.map((line, index) => (index === last ? `${line.trimEnd()} ^${id}` : line)).join('\n');
}

function isItem(line: string): boolean {
  const from = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return listMarkAt(line, from, line.length) !== undefined;
}
