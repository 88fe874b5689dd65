// The lines of a text that read as one thing round a place: an item, a row, a heading, a property, a paragraph.
import { isLineEnd } from '../parse/characters.ts';
import type { Window } from './window.ts';

/** What begins a unit of its own even without an empty line before it. */
const UNIT = /^[ \t>]*(?:[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||```|~~~|\$\$|%%|---|===)/;
/** What is never more than its line. */
const SINGLE = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;
const BLANK = /^[ \t>]*(?:[\r\n]|$)/;
/** What closes something above, or parts two things: a rule, an underline, the end of front matter, code, math or a comment. */
const PARTING = /^[ \t>]*(?:-[-\t ]*|=[= \t]*|\*[* \t]*\*|_[_ \t]*_|`{3,}.*|~{3,}.*|\$\$[ \t]*|%%[ \t]*)(?:[\r\n]|$)/;
/** What is looked at of a line to see how it begins. */
const LINE_HEAD = 200;
const MAX_FRONT_MATTER = 66_000;

/** The unit that holds `from` to `to`, as far as it lies within `reach` of them. */
export function unitAround(text: string, from: number, to: number, reach: number): Window {
  const least = Math.max(0, from - reach);
  const most = Math.min(text.length, to + reach);
  const line = { from: lineStart(text, from, least), to: lineEnd(text, to, most) };
  if (inFrontMatter(text, from)) return line;
  const first = firstLine(text, line.from, least);
  return { from: first, to: begins(text, first, SINGLE) ? line.to : lastLine(text, line, most) };
}

/** Whether something else begins with the line that starts at `at` than what the line above it says. */
export function beginsUnit(text: string, at: number): boolean {
  if (begins(text, at, UNIT) || begins(text, at, BLANK)) return true;
  const above = lineStart(text, endBefore(text, at), Math.max(0, at - LINE_HEAD));
  if (above > 0 && !isLineEnd(text.charCodeAt(above - 1))) return false;
  const parts = begins(text, above, BLANK) || begins(text, above, SINGLE) || begins(text, above, PARTING);
  return parts || isQuoted(text, above) !== isQuoted(text, at);
}

/** Whether the first line with text from `at` on is a heading. */
export function isHeadingAt(text: string, at: number): boolean {
  return /^\s*[ \t>]*#{1,6}[ \t]/.test(text.slice(at, at + LINE_HEAD));
}

function firstLine(text: string, lineFrom: number, least: number): number {
  let start = lineFrom;
  while (start > least && !begins(text, start, UNIT)) {
    const above = lineStart(text, endBefore(text, start), least);
    if (begins(text, above, BLANK) || begins(text, above, SINGLE) || begins(text, above, PARTING)) break;
    if (isQuoted(text, above) !== isQuoted(text, start)) break;
    start = above;
  }
  return start;
}

function lastLine(text: string, line: Window, most: number): number {
  let end = line.to;
  while (end < most) {
    const next = startBehind(text, end);
    if (begins(text, next, UNIT) || begins(text, next, BLANK) || isQuoted(text, next) !== isQuoted(text, line.from))
      break;
    end = lineEnd(text, next, most);
  }
  return end;
}

function begins(text: string, at: number, pattern: RegExp): boolean {
  return pattern.test(text.slice(at, at + LINE_HEAD));
}

function isQuoted(text: string, at: number): boolean {
  return begins(text, at, /^[ \t]*>/);
}

function inFrontMatter(text: string, at: number): boolean {
  return at < MAX_FRONT_MATTER && /^---[\r\n]/.test(text) && !/[\r\n]---/.test(text.slice(3, at));
}

function lineStart(text: string, from: number, least: number): number {
  let at = from;
  while (at > least && !isLineEnd(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function lineEnd(text: string, from: number, most: number): number {
  let at = from;
  while (at < most && !isLineEnd(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end of the line above the one that starts at `start`. */
function endBefore(text: string, start: number): number {
  return text.startsWith('\r\n', start - 2) ? start - 2 : start - 1;
}

/** The start of the line below the one that ends at `end`. */
function startBehind(text: string, end: number): number {
  return text.startsWith('\r\n', end) ? end + 2 : end + 1;
}
