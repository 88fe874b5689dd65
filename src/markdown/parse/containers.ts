// The quotes and list items a line stands in, from the outermost inwards.
import type { LineCursor } from './line-cursor.ts';
import { isRule, type ListMark, listMarkAt } from './line-marks.ts';

/** What a ` ^id` on a line of its own names: the quote, list or table that ended last. Lines from 1. */
export interface Structure {
  readonly line: number;
  readonly endLine: number;
  /** The sign of a list's items. */
  readonly sign?: string;
}

/** A block that is named before its last line is known. */
export interface OpenBlock {
  readonly id: string;
  readonly line: number;
  endLine: number;
}

export interface Container {
  readonly kind: 'note' | 'quote' | 'item';
  readonly line: number;
  /** Columns that a line of this item is indented by, the sign and its blanks included. */
  readonly width: number;
  readonly sign: string;
  /** Whether nothing but the mark of this item was seen yet. */
  empty: boolean;
  /** What ended last in here, as long as nothing else followed. */
  structure: Structure | undefined;
  /** The id that the item's first paragraph ended with. */
  block: OpenBlock | undefined;
}

/** Nobody writes deeper; beyond it a mark is text, so that a hostile line costs no more than its length. */
const MAX_DEPTH = 100;
const MAX_INDENT = 3;
const MAX_GAP = 4;

function container(kind: Container['kind'], line: number, width = 0, sign = ''): Container {
  return { kind, line, width, sign, empty: kind === 'item', structure: undefined, block: undefined };
}

export class Containers {
  readonly #open: Container[] = [container('note', 1)];
  readonly #cursor: LineCursor;

  constructor(cursor: LineCursor) {
    this.#cursor = cursor;
  }

  get depth(): number {
    return this.#open.length;
  }

  get innermost(): Container {
    return this.#open[this.#open.length - 1] as Container;
  }

  get insideQuote(): boolean {
    return this.#open.some(({ kind }) => kind === 'quote');
  }

  /** Moves the cursor over the marks of the containers that go on in its line; says how many do. */
  matchLine(line: number): number {
    let matched = 1;
    while (matched < this.#open.length && this.#continues(this.#open[matched] as Container, line)) matched += 1;
    return matched;
  }

  #continues(each: Container, line: number): boolean {
    const cursor = this.#cursor;
    if (each.kind === 'quote') {
      if (!quoteMarkAt(cursor)) return false;
      cursor.skipQuoteMark();
      return true;
    }
    if (cursor.blank) return !(each.empty && each.line < line);
    if (cursor.indent < each.width) return false;
    cursor.skipColumns(each.width);
    return true;
  }

  /** The mark of a further container at the cursor, if one begins there. */
  nextMark(): 'quote' | ListMark | undefined {
    const cursor = this.#cursor;
    if (cursor.blank || cursor.indent > MAX_INDENT || this.#open.length >= MAX_DEPTH) return undefined;
    if (quoteMarkAt(cursor)) return 'quote';
    const mark = listMarkAt(cursor.text, cursor.next, cursor.end);
    return mark !== undefined && isRule(cursor.text, cursor.next, cursor.end) ? undefined : mark;
  }

  enter(mark: 'quote' | ListMark, line: number): void {
    if (mark === 'quote') this.#enterQuote(line);
    else this.#enterItem(mark, line);
  }

  #enterQuote(line: number): void {
    this.innermost.empty = false;
    this.#cursor.skipQuoteMark();
    this.#open.push(container('quote', line));
  }

  #enterItem(mark: ListMark, line: number): void {
    const cursor = this.#cursor;
    const before = cursor.indent + mark.length;
    this.innermost.empty = false;
    cursor.skipMark(mark.length);
    const gap = cursor.blank || cursor.indent > MAX_GAP ? 1 : cursor.indent;
    if (!cursor.blank) cursor.skipColumns(gap);
    this.#open.push(container('item', line, before + gap, mark.sign));
  }

  /** Leaves all but the outermost `depth`; they ended with `lastLine`. */
  closeBelow(depth: number, lastLine: number): void {
    while (this.#open.length > depth) {
      const left = this.#open.pop() as Container;
      if (left.block !== undefined) left.block.endLine = lastLine;
      this.innermost.structure = structureOf(left, this.innermost.structure, lastLine);
    }
  }
}

function quoteMarkAt(cursor: LineCursor): boolean {
  return cursor.indent <= MAX_INDENT && !cursor.blank && cursor.text.charAt(cursor.next) === '>';
}

/** An item joins the list before it when both have the same sign. */
function structureOf(left: Container, before: Structure | undefined, endLine: number): Structure {
  if (left.kind === 'quote') return { line: left.line, endLine };
  const line = before?.sign === left.sign ? before.line : left.line;
  return { line, endLine, sign: left.sign };
}
