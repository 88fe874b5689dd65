// Decodes a file's bytes, finds its lines, and maps offsets to lines and columns.
import { isUtf8 } from 'node:buffer';
import { partitionPoint } from '../../base/binary-search.ts';
import type { Encoding, Position } from '../../base/note.ts';
import { NumberColumn } from '../../base/number-column.ts';
import { isBlank, isLineEnd, TAB } from './characters.ts';

/**
 * Offsets by line, 0-based. A line ends before its LF, CRLF or bare CR; a final line end does not start another
 * line.
 */
export interface Lines {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export function splitLines(text: string): Lines {
  return hasBareReturns(text) ? splitAtAnyEnd(text) : splitAtLineFeeds(text);
}

/** Other texts have lines that end with a line feed, before which a carriage return may be. */
const hasBareReturns = (text: string): boolean => text.includes('\r') && /\r(?!\n)/.test(text);

const RETURN = 13;

function splitAtLineFeeds(text: string): Lines {
  const [starts, ends] = [new NumberColumn(), new NumberColumn()];
  const hasReturns = text.includes('\r');
  let start = 0;
  while (start < text.length) {
    const end = lineFeedFrom(text, start);
    starts.push(start);
    ends.push(hasReturns ? withoutReturn(text, end) : end);
    start = end + 1;
  }
  return { starts: starts.view(), ends: ends.view() };
}

function lineFeedFrom(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from);
  return lineFeed === -1 ? text.length : lineFeed;
}

const withoutReturn = (text: string, end: number): number => (text.charCodeAt(end - 1) === RETURN ? end - 1 : end);

/** The number of lines of a text, without the memory that their offsets take; a final line end does not start another line. */
export function lineCountOf(text: string): number {
  if (hasBareReturns(text)) return splitAtAnyEnd(text).starts.length;
  let count = 0;
  for (let start = 0; start < text.length; start = lineFeedFrom(text, start) + 1) count += 1;
  return count;
}

/** The text of the lines from `first` to `last`, 1-based and as far as there are any, without the final line end. */
export function textBetween(text: string, first: number, last: number): string {
  if (hasBareReturns(text)) {
    const { starts, ends } = splitAtAnyEnd(text);
    return text.slice(starts[first - 1] ?? text.length, ends[Math.min(last, ends.length) - 1] ?? text.length);
  }
  let start = 0;
  for (let line = 1; line < first && start < text.length; line += 1) start = lineFeedFrom(text, start) + 1;
  let end = start - 1;
  for (let line = first; line <= last && end + 1 < text.length; line += 1) end = lineFeedFrom(text, end + 1);
  return text.slice(start, withoutReturn(text, end));
}

function splitAtAnyEnd(text: string): Lines {
  const [starts, ends] = [new NumberColumn(), new NumberColumn()];
  let start = 0;
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n?|\n/g)) {
    starts.push(start);
    ends.push(index);
    start = index + lineEnd.length;
  }
  if (start < text.length) {
    starts.push(start);
    ends.push(text.length);
  }
  return { starts: starts.view(), ends: ends.view() };
}

/** The 0-based line that `offset` is on; an offset after the last line counts as on that line. */
export function lineIndexAt(lines: Lines, offset: number): number {
  const { starts } = lines;
  return Math.max(0, partitionPoint(starts.length, (index) => (starts[index] as number) <= offset) - 1);
}

export function positionAt(lines: Lines, offset: number): Position {
  const index = lineIndexAt(lines, offset);
  return { line: index + 1, column: offset - (lines.starts[index] ?? 0) + 1, offset };
}

/** Below `BLANK`: the number of quotes and list items that a break would cut; 0 between two top-level blocks. */
export const BREAK_COST = Object.freeze({
  /** A blank line belongs to the block above it. */
  BLANK: 253,
  /** Two lines of one paragraph. */
  PARAGRAPH: 254,
  /** Two lines of one heading, table, fence, math or HTML block. */
  WHOLE: 255,
});

export interface DecodedText {
  /** Without a leading byte order mark; invalid UTF-8 is replaced by U+FFFD. */
  readonly text: string;
  readonly encoding: Encoding;
}

const utf8 = new TextDecoder('utf-8');

export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) return { text: new TextDecoder(wide).decode(bytes), encoding: 'utf-16' };
  return { text: utf8.decode(bytes), encoding: isUtf8(bytes) ? 'utf-8' : 'invalid' };
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Encodes with a byte order mark if the bytes begin with one. */
export function encoderLike(bytes: Uint8Array): (text: string) => Uint8Array {
  const mark = Buffer.from(BYTE_ORDER_MARK);
  const hasMark = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(3, bytes.byteLength)).equals(mark);
  return (text) => Buffer.from(hasMark ? BYTE_ORDER_MARK + text : text);
}

/** Enough of a file to recognize UTF-16 that has no byte order mark. */
const SAMPLE_BYTES = 1024;
const MIN_SAMPLE_BYTES = 8;
/** In UTF-16, Western text has a NUL in this share of its characters. */
const NUL_SHARE = 0.7;

function wideEncodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length < MIN_SAMPLE_BYTES || (first !== 0 && second !== 0)) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const nuls = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls.map((count) => count / (sample.length / 2));
  if (Math.max(even, odd) < NUL_SHARE || Math.min(even, odd) > 1 - NUL_SHARE) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** The start of the line that `offset` is on, or `least` if it is farther back. */
export function lineStart(text: string, offset: number, least = 0): number {
  let at = offset;
  while (at > least && !isLineEnd(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** The end of the line that `offset` is on, or `most` if it is farther on. */
export function lineEnd(text: string, offset: number, most = text.length): number {
  let at = offset;
  while (at < most && !isLineEnd(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end of the line above the one that starts at `start`. */
export function lineEndBefore(text: string, start: number): number {
  return text.startsWith('\r\n', start - 2) ? start - 2 : start - 1;
}

/** The start of the line below the one that ends at `end`. */
export function lineStartAfter(text: string, end: number): number {
  return text.startsWith('\r\n', end) ? end + 2 : end + 1;
}

/** Lines with more columns of white space are indented code. */
export const MAX_INDENT = 3;

const TAB_STOP = 4;

/** A cursor in one line that moves past quote and list marks and counts columns, with tabs expanded. */
export class LineCursor {
  readonly text: string;
  /** The offset of the end of the line. */
  end = 0;
  /** Columns of white space ahead, and the offset after them. */
  indent = 0;
  next = 0;
  #column = 0;
  /** Where the white space ahead begins; undefined once a part of it was skipped. */
  #indentFrom: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  start(start: number, end: number): void {
    this.end = end;
    this.#column = 0;
    this.#measureIndent(start);
  }

  /** Whether only white space is left. */
  get blank(): boolean {
    return this.next === this.end;
  }

  /** Whether the line can be indented code: blanks before a tab are none. */
  get isDeep(): boolean {
    if (this.indent <= MAX_INDENT) return false;
    const blanks = this.#indentFrom === undefined ? '' : this.text.slice(this.#indentFrom, this.#indentFrom + TAB_STOP);
    return !/^ +\t/.test(blanks);
  }

  /** Skips the white space ahead and the `length` characters after it. */
  skipMark(length: number): void {
    this.#column += this.indent + length;
    this.#measureIndent(this.next + length);
  }

  /** Skips a checkbox. Columns are counted as if it were not there. */
  skipCheckbox(length: number): void {
    this.#measureIndent(this.next + length);
  }

  /** Skips a quote's `>` and one blank. Columns are counted from there, so that a tab after it has its full width. */
  skipQuoteMark(): void {
    const from = this.next + 1;
    const isPadded = from < this.end && isBlank(this.text.charCodeAt(from));
    this.#column = 0;
    this.#measureIndent(isPadded ? from + 1 : from);
  }

  /**
   * Skips that many columns of the white space ahead; a tab may be consumed in part. The blanks are not read again:
   * a line in many list items would be read once for each.
   */
  skipColumns(columns: number): void {
    this.#column += columns;
    this.indent -= columns;
    if (columns > 0) this.#indentFrom = undefined;
  }

  #measureIndent(from: number): void {
    let column = this.#column;
    let at = from;
    this.#indentFrom = from;
    while (at < this.end && isBlank(this.text.charCodeAt(at))) column += this.#widthAt(at++, column);
    this.next = at;
    this.indent = column - this.#column;
  }

  #widthAt(offset: number, column: number): number {
    return this.text.charCodeAt(offset) === TAB ? TAB_STOP - (column % TAB_STOP) : 1;
  }
}
