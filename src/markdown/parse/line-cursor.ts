// A place in one line, moved over the marks of quotes and lists, with columns as tabs make them.
import { isBlank, TAB } from './characters.ts';

const TAB_STOP = 4;

export class LineCursor {
  readonly text: string;
  /** Offsets of the place and of the line's end. */
  at = 0;
  end = 0;
  /** Columns of white space ahead, and the offset of what comes behind it. */
  indent = 0;
  next = 0;
  #column = 0;
  /** Columns of a tab before `at` that a mark has not used up. */
  #pendingColumns = 0;

  constructor(text: string) {
    this.text = text;
  }

  start(start: number, end: number): void {
    this.at = start;
    this.end = end;
    this.#column = 0;
    this.#pendingColumns = 0;
    this.#measureIndent();
  }

  /** Whether only white space is left. */
  get blank(): boolean {
    return this.next === this.end;
  }

  /** Moves over the white space ahead and `length` characters behind it. */
  skipMark(length: number): void {
    this.#column += this.indent + length;
    this.#pendingColumns = 0;
    this.at = this.next + length;
    this.#measureIndent();
  }

  /** Moves over a quote's `>` and one blank; columns count afresh behind it, so that a tab there is a whole one. */
  skipQuoteMark(): void {
    this.at = this.next + 1;
    if (this.at < this.end && isBlank(this.text.charCodeAt(this.at))) this.at += 1;
    this.#column = 0;
    this.#pendingColumns = 0;
    this.#measureIndent();
  }

  /** Moves over as many columns of white space; a tab may be used in part. */
  skipColumns(columns: number): void {
    let left = columns;
    while (left > 0) {
      if (this.#pendingColumns === 0) this.#pendingColumns = this.#widthAt(this.at++, this.#column);
      const used = Math.min(left, this.#pendingColumns);
      this.#pendingColumns -= used;
      this.#column += used;
      left -= used;
    }
    this.#measureIndent();
  }

  #measureIndent(): void {
    let column = this.#column + this.#pendingColumns;
    let at = this.at;
    while (at < this.end && isBlank(this.text.charCodeAt(at))) column += this.#widthAt(at++, column);
    this.next = at;
    this.indent = column - this.#column;
  }

  #widthAt(offset: number, column: number): number {
    return this.text.charCodeAt(offset) === TAB ? TAB_STOP - (column % TAB_STOP) : 1;
  }
}
