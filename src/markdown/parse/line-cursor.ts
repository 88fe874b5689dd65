// A cursor in one line that moves past quote and list marks and counts columns, with tabs expanded.
import { isBlank, TAB } from './characters.ts';

const TAB_STOP = 4;

export class LineCursor {
  readonly text: string;
  /** The offset of the end of the line. */
  end = 0;
  /** Columns of white space ahead, and the offset after them. */
  indent = 0;
  next = 0;
  #column = 0;

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

  /** Skips the white space ahead and the `length` characters after it. */
  skipMark(length: number): void {
    this.#column += this.indent + length;
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
  }

  #measureIndent(from: number): void {
    let column = this.#column;
    let at = from;
    while (at < this.end && isBlank(this.text.charCodeAt(at))) column += this.#widthAt(at++, column);
    this.next = at;
    this.indent = column - this.#column;
  }

  #widthAt(offset: number, column: number): number {
    return this.text.charCodeAt(offset) === TAB ? TAB_STOP - (column % TAB_STOP) : 1;
  }
}
