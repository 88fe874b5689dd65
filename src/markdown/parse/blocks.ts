// Splits a note's body into text runs, headings, named blocks and tasks, line by line.
import type { Block, Heading, Task } from '../../base/note.ts';
import { skipWhiteSpace, trimWhiteSpace } from './characters.ts';
import {
  Containers,
  namedBlock,
  type Paragraph,
  type PlacedDefinition,
  type Span,
  startParagraph,
  takeDefinitions,
} from './containers.ts';
import {
  blockIdAt,
  cellsOf,
  type Fence,
  headingAt,
  headingEnd,
  isDashRow,
  isRule,
  type ListMark,
  underlineLevel,
} from './line-marks.ts';
import { BREAK_COST, LineCursor, type Lines, MAX_INDENT, positionAt } from './lines.ts';
import { definitionIn } from './markdown-link.ts';
import { type RawBlock, rawBlockAt, rawBlockEnd } from './raw-block.ts';
import { checkboxAt, taskDays } from './task.ts';
import { type TextRun, TextRuns } from './text-run.ts';

export interface BlockFindings {
  readonly runs: TextRuns;
  readonly headings: Heading[];
  readonly blocks: Block[];
  readonly tasks: Task[];
  readonly definitions: PlacedDefinition[];
  /** Each closed `%%` comment that starts a line; the lines are 1-based and inclusive. */
  readonly comments: { readonly line: number; readonly endLine: number }[];
  /** The lines of code blocks with their fences, 1-based. */
  readonly codeLines: number[];
  /** Each block between fences, with the lines of the fences, 1-based, and what is written after the first. */
  readonly fences: { readonly line: number; endLine: number; readonly info: string }[];
  /** For each line, 0-based: the cost of a chunk break between it and the line above. */
  readonly breakCosts: Uint8Array;
}

type Leaf = Paragraph | RawBlock | { readonly kind: 'table'; readonly line: number };

const COMMENT = '%%';
/** Two brackets and a blank. */
const CHECKBOX_SIGNS = 3;
const NOTE_DEPTH = 1;

/** Scans the lines from `firstLine`, 0-based, to the end of the text. */
export function scanBlocks(text: string, lines: Lines, firstLine: number): BlockFindings {
  const scanner = new BlockScanner(text, lines);
  for (let index = firstLine; index < lines.starts.length; index += 1) scanner.read(index);
  scanner.finish();
  return scanner.findings;
}

class BlockScanner {
  readonly findings: BlockFindings;
  readonly #text: string;
  readonly #lines: Lines;
  readonly #cursor: LineCursor;
  readonly #containers: Containers;
  #leaf: Leaf | undefined;
  #line = 0;
  /** How many of the open containers this line continues. */
  #matched = NOTE_DEPTH;
  /** The last line that was not blank. */
  #lastLine = 0;
  /** The container depth at which a `%%` comment is open, or 0, and the line on which it starts. */
  #commentDepth = 0;
  #commentLine = 0;
  #checkbox: { readonly from: number; readonly to: number } | undefined;

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
    this.#cursor = new LineCursor(text);
    this.#containers = new Containers(this.#cursor);
    const breakCosts = new Uint8Array(lines.starts.length);
    this.findings = {
      runs: new TextRuns(text),
      headings: [],
      blocks: [],
      tasks: [],
      definitions: [],
      comments: [],
      codeLines: [],
      fences: [],
      breakCosts,
    };
  }

  read(index: number): void {
    this.#line = index + 1;
    this.#cursor.start(this.#lines.starts[index] ?? 0, this.#lines.ends[index] ?? 0);
    this.#matched = this.#containers.matchLine();
    const { blank } = this.#cursor;
    this.#setBreakCost(blank ? BREAK_COST.BLANK : this.#matched - NOTE_DEPTH);
    if (!((this.#continuesAll || this.#continuesFence()) && this.#readRawBlock())) {
      if (blank) this.#closeEnded();
      else this.#readRest();
    }
    if (!blank) this.#lastLine = this.#line;
  }

  #readRest(): void {
    this.#enterContainers();
    if (!this.#cursor.blank) this.#readText();
  }

  finish(): void {
    this.#matched = NOTE_DEPTH;
    this.#closeEnded();
  }

  #setBreakCost(tie: number): void {
    this.findings.breakCosts[this.#line - 1] = tie;
  }

  /** Whether the line continues every open container. */
  get #continuesAll(): boolean {
    return this.#matched === this.#containers.depth;
  }

  /** The paragraph that this line may continue. */
  get #paragraph(): Paragraph | undefined {
    return this.#leaf?.kind === 'paragraph' ? this.#leaf : undefined;
  }

  /** Closes the open leaf block and the containers that this line does not continue. */
  #closeEnded(): void {
    this.#closeLeaf();
    this.#containers.closeBelow(this.#matched, this.#lastLine);
    if (this.#commentDepth > this.#matched) this.#commentDepth = 0;
  }

  /** Closes what is open and starts a block that is not a paragraph. */
  #startBlock(): void {
    this.#closeEnded();
    this.#containers.innermost.empty = false;
    this.#containers.innermost.structure = undefined;
  }

  /** The text of a task begins with its checkbox. */
  #startParagraph(start: number): void {
    this.#closeEnded();
    const from = this.#checkbox?.to === start ? this.#checkbox.from : start;
    this.#leaf = startParagraph(this.#containers.innermost, { line: this.#line, from, to: this.#cursor.end });
  }

  /** Whether the line is part of a code block in a quote or an item that it does not continue: as text of a paragraph would be. */
  #continuesFence(): boolean {
    const cursor = this.#cursor;
    if (this.#leaf?.kind !== 'fence' || cursor.blank || this.#lastLine < this.#line - 1) return false;
    if (this.#containers.areEndedByCode(this.#matched) || this.#containers.startsOther(this.#matched)) return false;
    this.#containers.continueLazily(this.#matched);
    return true;
  }

  #readRawBlock(): boolean {
    const leaf = this.#leaf;
    if (leaf === undefined || leaf.kind === 'paragraph' || leaf.kind === 'table') return false;
    this.#setBreakCost(BREAK_COST.WHOLE);
    if (leaf.kind === 'fence') this.#addFenced();
    const end = rawBlockEnd(leaf, this.#cursor);
    if (end === -1) return true;
    this.#leaf = undefined;
    if (end < this.#cursor.end) this.#startParagraph(end);
    return true;
  }

  #enterContainers(): void {
    for (let mark = this.#nextMark(); mark !== undefined; mark = this.#nextMark()) {
      if (!this.#canEnter(mark)) break;
      this.#closeEnded();
      this.#containers.enter(mark, this.#line);
      this.#matched = this.#containers.depth;
      if (mark !== 'quote') this.#readCheckbox();
    }
  }

  #nextMark(): 'quote' | ListMark | undefined {
    return this.#containers.nextMark(this.#matched);
  }

  /** Reads the checkbox of the list item that starts here; after it the item's first block begins. Items inside a comment are ignored. */
  #readCheckbox(): void {
    const { next, end, isDeep } = this.#cursor;
    const box = this.#commentDepth > 0 || isDeep ? undefined : checkboxAt(this.#text, next, end);
    if (box === undefined) return;
    if (this.findings.tasks.at(-1)?.line !== this.#line) this.#addTask(box);
    if (this.#text.charAt(next) !== '[') return;
    this.#cursor.skipCheckbox(box.mark.length + CHECKBOX_SIGNS);
    this.#checkbox = { from: next, to: this.#cursor.next };
  }

  /** A line is one task, also where the task begins with an item that has a checkbox. */
  #addTask(box: { readonly mark: string; readonly text: string }): void {
    const { due, scheduled, start } = taskDays(box.text);
    const days = { ...(due && { due }), ...(scheduled && { scheduled }), ...(start && { start }) };
    this.findings.tasks.push({ line: this.#line, ...box, ...days });
  }

  #canEnter(mark: 'quote' | ListMark): boolean {
    if (this.#isDeepInText) return false;
    return mark === 'quote' || mark.endsParagraph || !this.#continuesAll || this.#paragraph === undefined;
  }

  /** Whether the line only continues a text because of its indentation, in which a tab counts after blanks, too. */
  get #isDeepInText(): boolean {
    return this.#paragraph !== undefined && this.#continuesAll && this.#cursor.indent > MAX_INDENT;
  }

  #readText(): void {
    if (this.#cursor.isDeep || this.#isDeepInText) {
      const isCode = this.#paragraph === undefined || this.#containers.areEndedByCode(this.#matched);
      if (isCode) this.#readIndentedCode();
      else this.#addLine(this.#paragraph as Paragraph);
    } else if (!this.#readRawStart() && !this.#readComment() && !this.#readHeading() && !this.#readTable()) {
      this.#readPlain();
    }
  }

  #readIndentedCode(): void {
    this.#startBlock();
    this.findings.codeLines.push(this.#line);
  }

  #readPlain(): void {
    const { next, end } = this.#cursor;
    const paragraph = this.#paragraph;
    if (paragraph !== undefined && this.#continuesAll && this.#readUnderline(paragraph)) return;
    const names = !this.#continuesAll && blockIdAt(this.#text, next, end)?.alone === true;
    if (isRule(this.#text, next, end)) this.#startBlock();
    else if (paragraph === undefined || names || this.#isWhite || this.#definesBelow(paragraph))
      this.#startParagraph(next);
    else this.#addLine(paragraph);
  }

  /** Whether the line has nothing but U+00A0 and the like, which ends a paragraph. */
  get #isWhite(): boolean {
    const { next, end } = this.#cursor;
    return skipWhiteSpace(this.#text, next, end) === end;
  }

  /** Whether this line is the definition of a link directly below a footnote, in the list of both that many notes end with. */
  #definesBelow({ spans }: Paragraph): boolean {
    const { next, end } = this.#cursor;
    const lines = [spans[0], spans[spans.length - 1]].map((span) => this.#text.slice(span?.from, span?.to));
    const isBelow = lines.some((line) => /^\[\^[^[\]]+\]:/.test(line));
    return isBelow && definitionIn(this.#text.slice(next, end)) !== undefined;
  }

  #addLine(paragraph: Paragraph): void {
    this.#setBreakCost(BREAK_COST.PARAGRAPH);
    if (!this.#continuesAll) this.#containers.continueLazily(this.#matched);
    paragraph.spans.push({ line: this.#line, from: this.#cursor.next, to: this.#cursor.end });
  }

  #readRawStart(): boolean {
    const opening = rawBlockAt(this.#cursor, this.#paragraph !== undefined);
    if (opening === undefined) return false;
    this.#startBlock();
    this.#leaf = opening === 'one line' ? undefined : opening;
    if (this.#leaf?.kind === 'fence') this.#openFence(this.#leaf.fence);
    return true;
  }

  #openFence({ length }: Fence): void {
    const { next, end } = this.#cursor;
    const info = this.#text.slice(next + length, end).trim();
    this.findings.fences.push({ line: this.#line, endLine: this.#line, info });
    this.findings.codeLines.push(this.#line);
  }

  #addFenced(): void {
    const open = this.findings.fences.at(-1);
    if (open !== undefined) open.endLine = this.#line;
    this.findings.codeLines.push(this.#line);
  }

  /** Reads a line that opens or closes a `%%` comment. The line is text of its own. */
  #readComment(): boolean {
    const { next, end } = this.#cursor;
    const line = this.#text.slice(next, end);
    const inside = this.#commentDepth > 0 && this.#commentDepth <= this.#matched;
    if (inside ? !line.includes(COMMENT) : !line.startsWith(COMMENT)) return false;
    const close = inside ? 0 : line.indexOf(COMMENT, COMMENT.length);
    if (!inside && close !== -1 && line.slice(close + COMMENT.length).trim() !== '') return false;
    this.#startParagraph(next);
    this.#closeLeaf();
    if (!inside) this.#commentLine = this.#line;
    this.#commentDepth = close === -1 ? this.#containers.depth : 0;
    if (close !== -1) this.#addComment(inside ? line.slice(line.indexOf(COMMENT) + COMMENT.length) : '');
    return true;
  }

  /** Text after the closing `%%` is visible, so its line does not belong to the comment. */
  #addComment(rest: string): void {
    const endLine = rest.trim() === '' ? this.#line : this.#line - 1;
    this.findings.comments.push({ line: this.#commentLine, endLine });
  }

  #readHeading(): boolean {
    const { next, end } = this.#cursor;
    const mark = this.#text.charAt(next) === '#' ? headingAt(this.#text, next, end) : undefined;
    if (mark === undefined) return false;
    this.#startBlock();
    this.#addHeading(mark.level, next, mark.from, mark.to);
    return true;
  }

  #readUnderline(paragraph: Paragraph): boolean {
    const level = this.#cursor.indent > 0 ? 0 : underlineLevel(this.#text, this.#cursor.next, this.#cursor.end);
    const [only, further] = paragraph.spans;
    if (level === 0 || only === undefined || further !== undefined) return false;
    if (takeDefinitions(this.#text, paragraph.spans).rest.length === 0) return false;
    this.#leaf = undefined;
    this.#setBreakCost(BREAK_COST.WHOLE);
    this.#addHeading(level, only.from, only.from, only.to);
    return true;
  }

  /**
   * Only headings outside quotes, lists and comments count; the text of others is read as plain text. U+00A0 and other
   * Unicode blanks around the text do not belong to it.
   */
  #addHeading(level: number, offset: number, start: number, end: number): void {
    const isHeading = this.#containers.depth === NOTE_DEPTH && this.#commentDepth === 0;
    const from = skipWhiteSpace(this.#text, start, end);
    const { to, id } = headingEnd(this.#text, from, trimWhiteSpace(this.#text, from, end));
    const text = this.#text.slice(from, to);
    if (isHeading) this.findings.headings.push({ text, level, ...positionAt(this.#lines, offset) });
    const line = positionAt(this.#lines, offset).line;
    if (isHeading && id !== undefined) this.findings.blocks.push({ id, line, endLine: line });
    this.#addRun(from, to);
  }

  #readTable(): boolean {
    const { next, end } = this.#cursor;
    const leaf = this.#leaf;
    if (!this.#continuesAll || leaf === undefined) return false;
    if (leaf.kind === 'paragraph') return isDashRow(this.#text, next, end) && this.#openTable(leaf);
    if (leaf.kind !== 'table' || !this.#text.slice(next, end).includes('|')) return false;
    this.#setBreakCost(BREAK_COST.WHOLE);
    this.#addRow(next, end);
    return true;
  }

  /** The paragraph's last line is the table header if it contains a bar. */
  #openTable(paragraph: Paragraph): boolean {
    const header = paragraph.spans[paragraph.spans.length - 1];
    if (header === undefined || !this.#text.slice(header.from, header.to).includes('|')) return false;
    paragraph.spans.pop();
    if (paragraph.spans.length > 0) this.findings.breakCosts[header.line - 1] = this.#matched - NOTE_DEPTH;
    this.#startBlock();
    this.#leaf = { kind: 'table', line: header.line };
    this.#setBreakCost(BREAK_COST.WHOLE);
    this.#addRow(header.from, header.to);
    return true;
  }

  #addRow(from: number, to: number): void {
    for (const cell of cellsOf(this.#text, from, to)) this.#addRun(cell.from, cell.to, 'cell');
  }

  #addRun(from: number, to: number, of?: TextRun['of']): void {
    this.findings.runs.add(from, to, this.#commentDepth > 0 ? 'comment' : of);
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (leaf?.kind === 'paragraph') this.#closeParagraph(leaf);
    if (leaf?.kind === 'table') this.#containers.innermost.structure = { line: leaf.line, endLine: this.#lastLine };
  }

  #closeParagraph(paragraph: Paragraph): void {
    const { definitions, rest } = takeDefinitions(this.#text, paragraph.spans);
    for (const definition of definitions) this.findings.definitions.push(definition);
    const block = namedBlock(this.#text, paragraph, this.#containers.innermost);
    if (block !== undefined) this.findings.blocks.push(block);
    if (rest.length > 0) this.#addRunOf(rest);
  }

  /** Only quotes have marks between the lines of a text; other text is contiguous in the file. */
  #addRunOf(spans: readonly Span[]): void {
    const from = spans[0]?.from ?? 0;
    const to = spans[spans.length - 1]?.to ?? from;
    if (spans.length === 1 || !this.#containers.insideQuote) this.#addRun(from, to);
    else this.findings.runs.addLines(spans, this.#commentDepth > 0 ? 'comment' : undefined);
  }
}
