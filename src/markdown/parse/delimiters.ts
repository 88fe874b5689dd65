// Finds closing delimiters in linear time, even in text made of opening ones only.
import { isBlankOrLineEnd, isDigit, runLength } from './characters.ts';
import { wikilinkClose } from './wikilink.ts';

const BACKTICK = '`';
const DOLLAR = '$';

export class Delimiters {
  readonly #text: string;
  #lastOffsets: Map<string, number> | undefined;
  #lastBackticks: Map<number, number> | undefined;
  #dollarAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of the first `mark` at or after `from`, or -1. */
  next(mark: string, from: number): number {
    this.#lastOffsets ??= new Map();
    const last = this.#lastOffsets.get(mark) ?? this.#text.lastIndexOf(mark);
    this.#lastOffsets.set(mark, last);
    return last < from ? -1 : this.#text.indexOf(mark, from);
  }

  /** The offset of the first run of exactly `length` backticks at or after `from`, or -1. */
  closingBackticks(length: number, from: number): number {
    this.#lastBackticks ??= lastBacktickRuns(this.#text);
    if ((this.#lastBackticks.get(length) ?? -1) < from) return -1;
    let at = this.#text.indexOf(BACKTICK, from);
    for (;;) {
      const found = runLength(this.#text, at, this.#text.length);
      if (found === length) return at;
      at = this.#text.indexOf(BACKTICK, at + found);
    }
  }

  /**
   * The offset of the first `$` after `from` that can close inline math, or -1. Offsets must not decrease between
   * calls.
   */
  closingDollar(from: number): number {
    if (this.#dollarAt > from || this.#dollarAt === -1) return this.#dollarAt;
    let at = from + 1;
    while (at < this.#text.length && !this.#closesMath(at)) at = this.#skip(at);
    this.#dollarAt = at < this.#text.length ? at : -1;
    return this.#dollarAt;
  }

  #closesMath(at: number): boolean {
    if (this.#text.charAt(at) !== DOLLAR) return false;
    return !isBlankOrLineEnd(this.#text.charCodeAt(at - 1)) && !isDigit(this.#text.charCodeAt(at + 1));
  }

  /** Skips one character, one escape or one wikilink: a `$` inside those is text. */
  #skip(at: number): number {
    if (this.#text.charAt(at) === '\\') return at + 2;
    const close = wikilinkClose(this.#text, at);
    return close === -1 ? at + 1 : close + 2;
  }
}

function lastBacktickRuns(text: string): Map<number, number> {
  const last = new Map<number, number>();
  let at = text.indexOf(BACKTICK);
  while (at !== -1) {
    const length = runLength(text, at, text.length);
    last.set(length, at);
    at = text.indexOf(BACKTICK, at + length);
  }
  return last;
}
