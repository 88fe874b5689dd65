// Finds the lines, the line prefix, the list mark and the id of a named block.
import type { Block } from '../../base/note.ts';
import { isBlank, skipBlanks } from '../parse/characters.ts';
import { blockIdAt, isRule, listMarkAt } from '../parse/line-marks.ts';
import { type EditView, isBlankLine } from './view.ts';

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
