// Replaces and removes the lines of a named block.
import type { Block } from '../../base/note.ts';
import { blockIdAt, listMarkAt } from '../parse/line-marks.ts';
import type { RequestedSplice } from './check.ts';
import { type EditedNote, isUnended, withLineEnd } from './edited-note.ts';
import { type BlockLayout, blanksFor, blockLayout, boxLength, indented } from './insertion-point.ts';
import type { Splice } from './splice.ts';
import { type EditTarget, editRefusal } from './target.ts';

type BlockTarget = Extract<EditTarget, { kind: 'block' }>;

/** The id names the replacement; a list item keeps its mark and checkbox unless the text has its own. */
export function replaceBlock(
  edited: EditedNote,
  { block, first }: BlockTarget,
  body: string,
  at: string,
): RequestedSplice {
  const layout = blockLayout(edited, block);
  if (layout.inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  if (body === '') return { ...removeLines(edited, first, layout.last + 1), literal: false };
  const { from, text, last } = layout.idOnOwnLine ? aboveItsId(layout, block, body) : withItsId(layout, block, body);
  const to = edited.lines.ends[last] ?? edited.text.length;
  return { from, to, text: withLineEnd(text, edited.lineEnd), literal: false, keepsId: block.id, alone: body };
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

/** Removes the lines from `first` to before `end`; the note keeps its final line end, or the lack of one. */
export function removeLines(edited: EditedNote, first: number, end: number): Splice {
  const { starts, ends } = edited.lines;
  if (end < starts.length || !isUnended(edited))
    return { from: starts[first] ?? 0, to: starts[end] ?? edited.text.length, text: '' };
  return { from: ends[first - 1] ?? 0, to: edited.text.length, text: '' };
}
