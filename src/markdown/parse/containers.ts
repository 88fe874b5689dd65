// Tracks the quotes and list items that are open on a line, outermost first.

import { blockIdAt, fenceAt, headingAt, isRule, type ListMark, listMarkAt } from './line-marks.ts';
import { type LineCursor, lineStart } from './lines.ts';
import { type Definition, definitionIn } from './markdown-link.ts';
import { rawBlockAt } from './raw-block.ts';
import { contentMarkAt } from './site-syntax.ts';

/** What a ` ^id` on its own line names: the quote, list or table that ended last. Lines are 1-based. */
interface Structure {
  readonly line: number;
  readonly endLine: number;
  /** The bullet or delimiter of a list's items. */
  readonly sign?: string;
}

/** A named block whose last line is not known yet. */
interface OpenBlock {
  readonly id: string;
  readonly line: number;
  endLine: number;
}

interface Container {
  readonly kind: 'note' | 'quote' | 'item';
  readonly line: number;
  /** The columns by which lines of this item are indented, including the mark and the blanks after it. */
  readonly width: number;
  readonly sign: string;
  /** How many of these columns its lines lose: fewer once a line of it is indented less. */
  stripped: number;
  /** Whether the item has no content yet. */
  empty: boolean;
  /** What ended last inside this container, while nothing else followed. */
  structure: Structure | undefined;
  /** The block named by the id at the end of the item's first paragraph. */
  block: OpenBlock | undefined;
}

/** Deeper marks are text, so that the cost of a malicious line stays proportional to its length. */
const MAX_DEPTH = 100;
const MAX_GAP = 4;

function container(kind: Container['kind'], line: number, width = 0, sign = ''): Container {
  return { kind, line, width, stripped: width, sign, empty: kind === 'item', structure: undefined, block: undefined };
}

export class Containers {
  readonly #open: Container[] = [container('note', 1)];
  readonly #cursor: LineCursor;
  /** The offset of the last line that a quote was asked to take in, and the answer. */
  #asked = -1;
  #stays = false;

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

  /** Moves the cursor past the marks of the containers that its line continues, and returns how many it continues. */
  matchLine(): number {
    let matched = 1;
    for (let each = this.#open[matched]; each !== undefined && this.#continues(each); each = this.#open[matched]) {
      matched += 1;
      // What is deeper was text of a paragraph, not a container.
      if (each.stripped < each.width) break;
    }
    return matched;
  }

  #continues(each: Container): boolean {
    const cursor = this.#cursor;
    if (each.kind === 'quote') {
      if (cursor.blank) return false;
      if (cursor.text.charAt(cursor.next) !== '>') return this.#staysInQuote();
      cursor.skipQuoteMark();
      return true;
    }
    if (cursor.blank) return true;
    if (cursor.indent < each.width) return false;
    cursor.skipColumns(each.stripped);
    return true;
  }

  /** A quote takes in each line below it up to a blank one or the start of another block, whatever was above. */
  #staysInQuote(): boolean {
    const { next, end } = this.#cursor;
    if (this.#cursor.isDeep) return false;
    // Each of many nested quotes asks the same of the line.
    if (this.#asked !== next) {
      this.#asked = next;
      this.#stays = !this.#startsBlock() && !isNoteOf(this.#cursor.text, next, end);
    }
    return this.#stays;
  }

  /** Whether the line starts a block that ends a quote or an item. */
  #startsBlock(): boolean {
    const { text, next, end } = this.#cursor;
    if (listMarkAt(text, next, end)?.starts || endsItem(text, next, end)) return true;
    return rawBlockAt(this.#cursor, false) !== undefined || isUnderlined(text, next, end);
  }

  /** Whether the line starts a block, or another item of the one that `matched` is the index of. */
  startsOther(matched: number): boolean {
    const { text, next, end } = this.#cursor;
    return this.#startsBlock() || (this.#isItem(matched) && listMarkAt(text, next, end) !== undefined);
  }

  /** Whether the line can be indented code after the containers from `matched` on: such a line ends a quote, and an item if it begins as a block that ends one. */
  areEndedByCode(matched: number): boolean {
    if (!this.#cursor.isDeep) return false;
    const ended = this.#open[matched]?.kind;
    const { text, next, end } = this.#cursor;
    if (ended !== 'item') return ended === 'quote';
    return listMarkAt(text, next, end) !== undefined || endsItem(text, next, end);
  }

  #isItem(at: number): boolean {
    return this.#open[at]?.kind === 'item';
  }

  /** A line continues the text of an item from outside it: all lines of the item lose no more of their indentation than this one has. */
  continueLazily(matched: number): void {
    const item = this.#open.slice(matched).find(({ kind }) => kind === 'item');
    if (item !== undefined) item.stripped = Math.min(item.stripped, this.#cursor.indent);
  }

  /** The mark of a new container at the cursor, if there is one. The mark of the next item of a list can have any indentation. */
  nextMark(matched: number): 'quote' | ListMark | undefined {
    const cursor = this.#cursor;
    if (cursor.blank || this.#open.length >= MAX_DEPTH) return undefined;
    if (quoteMarkAt(cursor)) return 'quote';
    const mark = contentMarkAt(cursor.text, cursor.next) ?? listMarkAt(cursor.text, cursor.next, cursor.end);
    if (cursor.isDeep && (mark === undefined || mark.sign !== this.#open[matched]?.sign)) return undefined;
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
    const { indent } = cursor;
    this.innermost.empty = false;
    cursor.skipMark(mark.length);
    const gap = cursor.indent === 0 || cursor.indent > MAX_GAP ? 1 : cursor.indent;
    if (!cursor.blank) cursor.skipColumns(gap);
    this.#open.push(container('item', line, indent + (mark.width ?? mark.length + gap), mark.sign));
  }

  /** Closes all containers but the outermost `depth`; they end on `lastLine`. */
  closeBelow(depth: number, lastLine: number): void {
    while (this.#open.length > depth) {
      const left = this.#open.pop() as Container;
      if (left.block !== undefined) left.block.endLine = lastLine;
      this.innermost.structure = structureOf(left, this.innermost.structure, lastLine);
    }
  }
}

/** Marks that Obsidian adds to CommonMark, which end a quote: a comment, and the name of the block above. */
function isNoteOf(text: string, from: number, to: number): boolean {
  return text.startsWith('%%', from) || blockIdAt(text, from, to)?.alone === true;
}

/** Whether the line ends a list, however far it is indented. */
function endsItem(text: string, from: number, to: number): boolean {
  if (text.charAt(from) === '#' && headingAt(text, from, to) !== undefined) return true;
  return isRule(text, from, to) || fenceAt(text, from, to) !== undefined;
}

const UNDERLINE = /(?:\r\n?|\n)([ \t]*)(?:=+|-+)(?=[\r\n]|$)/y;

/** Whether the line below the one with the text from `from` to `to` is one of `=` or `-` that is not indented farther. */
function isUnderlined(text: string, from: number, to: number): boolean {
  UNDERLINE.lastIndex = to;
  const blanks = UNDERLINE.exec(text)?.[1]?.length;
  return blanks !== undefined && blanks <= from - lineStart(text, from, from - blanks - 1);
}

function quoteMarkAt(cursor: LineCursor): boolean {
  return !cursor.isDeep && !cursor.blank && cursor.text.charAt(cursor.next) === '>';
}

/** An item belongs to the list before it if both have the same mark. */
function structureOf(left: Container, before: Structure | undefined, endLine: number): Structure {
  if (left.kind === 'quote') return { line: left.line, endLine };
  const line = before?.sign === left.sign ? before.line : left.line;
  return { line, endLine, sign: left.sign };
}

/** One line of a paragraph, without its indentation; the line is 1-based, the offsets are in the file. */
export interface Span {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly spans: Span[];
  /** The block that ended just before the paragraph. */
  readonly previous: Structure | undefined;
  /** Whether it is the first block in its list item. */
  readonly first: boolean;
}

/** Starts a paragraph in `container`, and marks the container as not empty. */
export function startParagraph(container: Container, span: Span): Paragraph {
  const { structure: previous, empty: first } = container;
  container.structure = undefined;
  container.empty = false;
  return { kind: 'paragraph', spans: [span], previous, first };
}

/** With the offset of its `[`. */
export type PlacedDefinition = Definition & { readonly offset: number };

/** The definitions that the paragraph starts with, and the lines after them. */
export function takeDefinitions(
  text: string,
  spans: readonly Span[],
): { definitions: PlacedDefinition[]; rest: readonly Span[] } {
  const definitions: PlacedDefinition[] = [];
  let taken = 0;
  for (let span = spans[0]; span !== undefined && text.charAt(span.from) === '['; span = spans[taken]) {
    const line = text.slice(span.from, span.to);
    const next = spans[taken + 1];
    // The target may be on the line below the label.
    const isSplit = next !== undefined && /\]:[ \t]*$/.test(line);
    const definition = definitionIn(isSplit ? `${line}\n${text.slice(next.from, next.to)}` : line);
    if (definition === undefined) break;
    definitions.push({ ...definition, offset: span.from });
    taken += isSplit ? 2 : 1;
  }
  return { definitions, rest: taken === 0 ? spans : spans.slice(taken) };
}

/**
 * The block that a ` ^id` at the end of the paragraph names: its list item, the paragraph itself or, if the id is
 * alone, the block before it.
 */
export function namedBlock(text: string, paragraph: Paragraph, container: Container): OpenBlock | undefined {
  const first = paragraph.spans[0];
  const last = paragraph.spans[paragraph.spans.length - 1];
  const named = last === undefined ? undefined : blockIdAt(text, last.from, last.to);
  if (first === undefined || last === undefined || named === undefined) return undefined;
  const { id } = named;
  if (named.alone && first === last) {
    return paragraph.previous && { id, line: paragraph.previous.line, endLine: paragraph.previous.endLine };
  }
  if (!paragraph.first) return { id, line: first.line, endLine: last.line };
  container.block = { id, line: container.line, endLine: last.line };
  return container.block;
}
