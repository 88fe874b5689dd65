// A cursor in one line that moves past quote and list marks and counts columns, with tabs expanded.
import { isBlank, TAB } from './characters.ts';

const TAB_STOP = 4;

export class LineCursor {
  readonly text: string;
  /** Offsets of the cursor and of the end of the line. */
  at = 0;
  end = 0;
  /** Columns of white space after the cursor, and the offset after them. */
  indent = 0;
  next = 0;
  #column = 0;
  /** Columns of the tab before `at` that are not consumed yet. */
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

  /** Skips the white space ahead and the `length` characters after it. */
  skipMark(length: number): void {
    this.#column += this.indent + length;
    this.#pendingColumns = 0;
    this.at = this.next + length;
    this.#measureIndent();
  }

  /** Skips a quote's `>` and one blank. Columns are counted from there, so that a tab after it has its full width. */
  skipQuoteMark(): void {
    this.at = this.next + 1;
    if (this.at < this.end && isBlank(this.text.charCodeAt(this.at))) this.at += 1;
    this.#column = 0;
    this.#pendingColumns = 0;
    this.#measureIndent();
  }

  /** Skips that many columns of white space; a tab may be consumed in part. */
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
