// Finds the inline fields of the Dataview plugin in running text: `key:: value` on a line, `[key:: value]`, `(key:: value)`.
import { partitionPoint } from '../../base/binary-search.ts';
import { foldName } from '../links/fold.ts';
import { isDigit, isLineEnd, isWhiteSpace, skipBlanks, trimWhiteSpace } from './characters.ts';
import type { Span } from './text-run.ts';

/** Offsets in the scanned text. */
export interface FoundField extends Span {
  /** The name as written, without marks around it. */
  readonly name: string;
  readonly value: Span;
  /** Whether it is between brackets; otherwise it is the rest of its line. */
  readonly isBracketed: boolean;
}

const SIGN = '::';
const COMMENT = '%%';
/** Longer text before `::` is prose, and cheap to refuse. */
const MAX_KEY_LENGTH = 120;
/** In longer lines Dataview looks for no fields. */
const MAX_LINE_LENGTH = 32_768;

/**
 * In ascending order. A line with a field in brackets has no other one, as Dataview reads it.
 * @param opaque code, formulas, HTML and links, in any order: a field does not begin in them
 * @param onlyBracketed for cells of tables, whose lines are not lines of text
 */
export function scanFields(text: string, opaque: readonly Span[], onlyBracketed: boolean): FoundField[] {
  const hidden = hiddenIn(text, opaque);
  const isTask = CHECKBOX.test(text);
  const fields: FoundField[] = [];
  let line = { from: 0, to: 0 };
  for (let at = text.indexOf(SIGN); at !== -1; at = text.indexOf(SIGN, line.to)) {
    line = lineAround(text, at, line.to);
    if (line.to - line.from > MAX_LINE_LENGTH) continue;
    const scanner = new LineScanner(text, line, hidden);
    const bracketed = scanner.bracketed();
    const whole = bracketed.length > 0 || onlyBracketed ? undefined : scanner.whole();
    for (const field of whole === undefined ? bracketed : [whole])
      if (!(isTask && line.from === 0 && isOfTask(field))) fields.push(field);
  }
  return fields;
}

const CHECKBOX = /^\[[^\]]{1,2}\][ \t]/u;

/** What the Tasks plugin reads: these say something of their task, not of the note. */
const OF_TASKS: ReadonlySet<string> = new Set(
  'due scheduled start completion cancelled created priority repeat id dependson oncompletion'.split(' '),
);

function isOfTask({ name }: FoundField): boolean {
  return OF_TASKS.has(foldName(name));
}

/** @param from where an earlier line ended */
function lineAround(text: string, at: number, from: number): Span {
  let [start, end] = [at, at];
  while (start > from && !isLineEnd(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && !isLineEnd(text.charCodeAt(end))) end += 1;
  return { from: start, to: end };
}

/** The spans with the comments between `%%`, ascending, without those inside others. */
function hiddenIn(text: string, opaque: readonly Span[]): readonly Span[] {
  const all = text.includes(COMMENT) ? [...opaque, ...commentsIn(text)] : [...opaque];
  all.sort((one, other) => one.from - other.from || other.to - one.to);
  const outer: Span[] = [];
  for (const span of all) if (span.to > (outer.at(-1)?.to ?? 0)) outer.push(span);
  return outer;
}

/** The last one may be open. */
function commentsIn(text: string): Span[] {
  const spans: Span[] = [];
  for (let from = text.indexOf(COMMENT); from !== -1; from = text.indexOf(COMMENT, spans.at(-1)?.to)) {
    const close = text.indexOf(COMMENT, from + COMMENT.length);
    spans.push({ from, to: close === -1 ? text.length : close + COMMENT.length });
  }
  return spans;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

class LineScanner {
  readonly #text: string;
  readonly #line: Span;
  /** Where `::` is, outside of hidden text. */
  readonly #signs: number[] = [];
  /** The closing bracket of each opening one. */
  readonly #closing = new Map<number, number>();

  constructor(text: string, line: Span, hidden: readonly Span[]) {
    this.#text = text;
    this.#line = line;
    this.#scan(hidden);
  }

  #scan(hidden: readonly Span[]): void {
    const open: Record<string, number[]> = { ']': [], ')': [] };
    let next = firstEndingAfter(hidden, this.#line.from);
    for (let at = this.#line.from; at < this.#line.to; at += 1) {
      const span = hidden[next];
      if (span !== undefined && at >= span.from) {
        at = span.to - 1;
        next += 1;
        continue;
      }
      const sign = this.#text.charAt(at);
      if (sign === '\\') at += 1;
      else if (sign === '[' || sign === '(') open[CLOSING[sign] as string]?.push(at);
      else if (sign === ']' || sign === ')') {
        const opening = open[sign]?.pop();
        if (opening !== undefined) this.#closing.set(opening, at);
      } else if (sign === ':' && this.#text.charAt(at + 1) === ':') {
        const end = colonsEnd(this.#text, at);
        if (end === at + SIGN.length && end <= this.#line.to) this.#signs.push(at);
        at = end - 1;
      }
    }
  }

  bracketed(): FoundField[] {
    const fields: FoundField[] = [];
    let last = this.#line.from;
    for (const sign of this.#signs) {
      const opening = sign < last ? -1 : this.#bracketBefore(sign, last);
      const closing = this.#closing.get(opening);
      if (closing === undefined) continue;
      const name = nameIn(this.#text.slice(opening + 1, sign));
      if (name === undefined || !this.#startsValue(sign, name, closing)) continue;
      const value = trimmed(this.#text, sign + SIGN.length, closing);
      fields.push({ name, value, isBracketed: true, from: opening, to: closing + 1 });
      last = closing + 1;
    }
    return fields;
  }

  /** The nearest bracket before the sign, if it opens; -1 otherwise. */
  #bracketBefore(sign: number, last: number): number {
    for (let at = sign - 1; at >= Math.max(last, sign - MAX_KEY_LENGTH); at -= 1)
      if ('[]()'.includes(this.#text.charAt(at))) return this.#closing.has(at) ? at : -1;
    return -1;
  }

  whole(): FoundField | undefined {
    const [sign] = this.#signs;
    const { from, to } = this.#line;
    if (sign === undefined || sign - from > MAX_KEY_LENGTH) return undefined;
    const key = this.#text.slice(from, sign);
    // Prose about the sign: `Note the :: syntax`.
    if (/\S\s+\S.*\s$/u.test(key.replace(DECORATION, ''))) return undefined;
    const marks = closingMarks(this.#text, sign + SIGN.length, key);
    const isClosedAfter = marks > sign + SIGN.length;
    const bare = key.replace(DECORATION, '');
    const name = nameIn(isClosedAfter ? bare.replace(/^_+/, '') : bare) ?? EMOJI_KEY.exec(key)?.[1];
    if (name === undefined) return undefined;
    const isMarked = isClosedAfter || key.trimEnd().endsWith('*');
    if (!this.#startsValue(sign, name, to) && !isMarked) return undefined;
    const value = trimmed(this.#text, marks, to);
    return { name, value: withoutBlockId(this.#text, value), isBracketed: false, ...trimmed(this.#text, from, to) };
  }

  /**
   * A blank is after the sign, or what code does not have there. `std::vector`, `A::B`, `fe80::1` and `http::` are not
   * fields.
   */
  #startsValue(sign: number, name: string, to: number): boolean {
    const at = sign + SIGN.length;
    if (at >= to || isWhiteSpace(this.#text.charCodeAt(at))) return !/^https?$/i.test(name);
    const code = this.#text.charCodeAt(at);
    if (isDigit(code)) return !/^[\da-f]+$/i.test(name);
    return code > 127 || '["#!'.includes(this.#text.charAt(at));
  }
}

function firstEndingAfter(spans: readonly Span[], offset: number): number {
  return partitionPoint(spans.length, (at) => (spans[at]?.to ?? 0) <= offset);
}

function colonsEnd(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === ':') at += 1;
  return text.charAt(at) === '=' ? at + 1 : at;
}

const EMOJI = String.raw`\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{FE0F}\u{200D}`;
const NAME = new RegExp(String.raw`^[\p{L}\p{M}\p{N}${EMOJI}\s_/-]+$`, 'u');
const HAS_LETTER = new RegExp(String.raw`[\p{L}${EMOJI}]`, 'u');
/** What may be before the key of a line: marks of bold text, code and quotes, and emoji. */
const DECORATION = new RegExp(String.raw`^[\s>*~=#+\x60${EMOJI}-]+`, 'u');
const EMOJI_KEY = new RegExp(String.raw`^[\s>*_~=#+-]*([${EMOJI}]+)[\s*_~]*$`, 'u');
const BLOCK_ID = /^\^[A-Za-z0-9-]+$/;

/** The name in the text before `::`, without the marks of bold text around it; undefined if it is prose or code. */
function nameIn(written: string): string | undefined {
  const name = withoutMarks(written.trim());
  return NAME.test(name) && HAS_LETTER.test(name) ? name : undefined;
}

/** An underscore is a part of a name, unless it is on both sides. */
function withoutMarks(written: string): string {
  const name = written
    .replace(/^[*~`]+/, '')
    .replace(/[*~`]+$/, '')
    .trim();
  const [, , inner] = /^(_+)([^_](?:.*[^_])?)\1$/s.exec(name) ?? [];
  return inner === undefined ? name : withoutMarks(inner.trim());
}

/** Where the marks end that close those before the key, as in `**key:: ** value`. */
function closingMarks(text: string, from: number, key: string): number {
  const [, marks = ''] = /^[\s>#+-]*([*_]+)/.exec(key) ?? [];
  const isOpen = marks !== '' && !key.trimEnd().endsWith(marks);
  return isOpen && text.startsWith(marks, from) ? from + marks.length : from;
}

function withoutBlockId(text: string, { from, to }: Span): Span {
  const value = text.slice(from, to);
  const at = value.lastIndexOf('^');
  const isId = (at === 0 || isWhiteSpace(value.charCodeAt(at - 1))) && BLOCK_ID.test(value.slice(at));
  return at !== -1 && isId ? trimmed(text, from, from + at) : { from, to };
}

function trimmed(text: string, from: number, to: number): Span {
  const start = skipBlanks(text, from, to);
  return { from: start, to: trimWhiteSpace(text, start, to) };
}

/** By which Dataview finds a field, whatever its key has beside letters and digits: `basic-field` for `Basic Field?`. */
export function fieldKey(name: string): string {
  return foldName(name.trim()).replace(/\s/gu, '-').replace(NOT_IN_KEY, '');
}

const NOT_IN_KEY = new RegExp(String.raw`[^\p{L}\p{M}\p{N}${EMOJI}_-]`, 'gu');

/** The property that the field is: its name as written if Dataview knows it by this name. */
export function fieldProperty(name: string): string {
  const key = fieldKey(name);
  return key === foldName(name) || key === '' ? name : key;
}

/** The fields that the name means, as it is written or as Dataview names it. */
export function fieldsNamed<One extends { readonly name: string }>(fields: readonly One[], name: string): One[] {
  const key = fieldKey(name);
  return fields.filter((field) => fieldKey(field.name) === key);
}
