// Recognizes the marks that can start a line: list items, rules, fences, headings, tables, block ids.
import { isBlank, isDigit, runLength, skipBlanks, trimBlanks, trimWhiteSpace } from './characters.ts';
import { attributesAt } from './site-syntax.ts';

const BULLETS = '-+*';
const MAX_NUMBER_LENGTH = 9;

export type ListMark = NonNullable<ReturnType<typeof listMarkAt>> & { readonly width?: number };

/**
 * `length`: the length of the mark itself, without the blank after it.
 * `sign`: `-`, `+`, `*`, `.` or `)`: a different one starts a new list.
 * `starts`: it can start a list in a text: a bullet or the number 1.
 * `endsParagraph`: only a bullet or the number 1, followed by text, can interrupt a paragraph.
 * `width`: the columns by which its lines are indented, where the mark does not show it.
 */
export function listMarkAt(text: string, from: number, to: number) {
  const first = text.charAt(from);
  const digits = BULLETS.includes(first) ? 0 : digitsAt(text, from, to);
  const at = from + digits;
  const sign = text.charAt(at);
  const isMark = digits === 0 ? BULLETS.includes(sign) : sign === '.' || sign === ')';
  if (at >= to || !isMark) return undefined;
  if (at + 1 < to && !isBlank(text.charCodeAt(at + 1))) return undefined;
  const hasText = skipBlanks(text, at + 1, to) < to;
  const starts = digits === 0 || text.slice(from, at) === '1';
  return { length: digits + 1, sign, starts, endsParagraph: hasText && starts };
}

function digitsAt(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && at - from < MAX_NUMBER_LENGTH && isDigit(text.charCodeAt(at))) at += 1;
  return at - from;
}

/** Whether the line is three or more of `*`, `-` or `_` with only spaces between and after them: Obsidian takes no tab, other than CommonMark. */
export function isRule(text: string, from: number, to: number): boolean {
  const sign = text.charCodeAt(from);
  if (sign !== 42 && sign !== 45 && sign !== 95) return false;
  // Each mark of a line of many list items is asked, so what the end of the line shows is not searched from there.
  const last = text.charCodeAt(to - 1);
  if (last !== sign && last !== SPACE) return false;
  let signs = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === sign) signs += 1;
    else if (code !== SPACE) return false;
  }
  return signs >= 3;
}

export type Fence = NonNullable<ReturnType<typeof fenceAt>>;

const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;
const MIN_FENCE_LENGTH = 3;

export function fenceAt(text: string, from: number, to: number) {
  const sign = text.charCodeAt(from);
  if (sign !== BACKTICK && sign !== TILDE) return undefined;
  const length = runLength(text, from, to);
  if (length < MIN_FENCE_LENGTH) return undefined;
  if (sign === BACKTICK && text.slice(from + length, to).includes('`')) return undefined;
  return { sign, length };
}

export function closesFence(fence: Fence, text: string, from: number, to: number): boolean {
  if (text.charCodeAt(from) !== fence.sign) return false;
  const length = runLength(text, from, to);
  return length >= fence.length && skipBlanks(text, from + length, to) === to;
}

const MAX_HEADING_LEVEL = 6;
const NUMBER_SIGN = 35;

/** `from` and `to`: the heading's text, without closing `#` signs and surrounding blanks. */
export function headingAt(text: string, from: number, to: number) {
  const level = runLength(text, from, to);
  if (level > MAX_HEADING_LEVEL) return undefined;
  if (from + level < to && !isBlank(text.charCodeAt(from + level))) return undefined;
  const start = skipBlanks(text, from + level, to);
  return { level, from: start, to: withoutClosingSigns(text, start, trimBlanks(text, start, to)) };
}

function withoutClosingSigns(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) === NUMBER_SIGN) end -= 1;
  if (end === from) return from;
  return isBlank(text.charCodeAt(end - 1)) ? trimBlanks(text, from, end) : to;
}

/** Where the text ends before its attributes, such as `{#id .class}`, in the systems that have them. */
export function headingEnd(text: string, from: number, to: number): { readonly to: number; readonly id?: string } {
  const open = text.charAt(to - 1) === '}' ? text.lastIndexOf('{', to) : -1;
  const attributes = open < from ? undefined : attributesAt(text, open);
  if (attributes?.end !== to) return { to };
  const { id } = attributes;
  return { to: trimWhiteSpace(text, from, open), ...(id !== undefined && { id }) };
}

/** 1 for a line of `=`, 2 for a line of `-`; 0 for anything else. */
export function underlineLevel(text: string, from: number, to: number): number {
  const sign = text.charAt(from);
  if (sign !== '=' && sign !== '-') return 0;
  if (from + runLength(text, from, to) < to) return 0;
  return sign === '=' ? 1 : 2;
}

const DASHES = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Whether the line is the delimiter row below a table header. */
export function isDashRow(text: string, from: number, to: number): boolean {
  if (!'|-:'.includes(text.charAt(from))) return false;
  const row = text.slice(from, to);
  return row.includes('|') && DASHES.test(row);
}

/** The spans between the bars of a table row; an escaped bar is not a separator. */
export function cellsOf(text: string, from: number, to: number): { from: number; to: number }[] {
  const cells: { from: number; to: number }[] = [];
  let start = from;
  for (let at = from; at < to; at += 1) {
    const code = text.charAt(at);
    if (code === '\\') at += 1;
    else if (code === '|') {
      cells.push({ from: start, to: at });
      start = at + 1;
    }
  }
  cells.push({ from: start, to });
  return cells;
}

/** The ` ^id` at the end of the span; `alone` if only blanks come before it. */
export function blockIdAt(text: string, from: number, to: number): { id: string; alone: boolean } | undefined {
  const end = trimBlanks(text, from, to);
  let at = end;
  while (at > from && isIdCharacter(text.charCodeAt(at - 1))) at -= 1;
  if (at === end || at === from || text.charAt(at - 1) !== '^') return undefined;
  const mark = at - 1;
  const alone = skipBlanks(text, from, mark) === mark;
  if (!alone && !isBlank(text.charCodeAt(mark - 1))) return undefined;
  return { id: text.slice(at, end), alone };
}

function isIdCharacter(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || code === 45 || (lower >= 97 && lower <= 122);
}
