// Cuts a stretch of given size round a place in a text, at blanks where there are any.
import { isWhiteSpace } from '../parse/characters.ts';

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** So far a cut moves inwards to fall between words; text without blanks is cut where it must be. */
const FARTHEST_BLANK = 24;
const CUT = '…';

/** At most `size` units of `text` that hold `from` to `to` about in their middle; the start of them if they are longer. */
export function windowRound(text: string, from: number, to: number, size: number): Window {
  const room = Math.max(0, size - (to - from));
  const after = Math.min(text.length - to, Math.max(room - from, room >> 1));
  const before = Math.min(from, room - Math.max(0, after));
  const start = from - before;
  const end = Math.min(text.length, start + size);
  return { from: startOfWord(text, start, from), to: endOfWord(text, end, Math.min(to, end)) };
}

/** `text` between the window's ends on one line, with a sign where something was left out. */
export function showWindow(text: string, { from, to }: Window): string {
  const shown = text.slice(from, to).replace(/\s+/g, ' ').trim();
  return `${text.slice(0, from).trim() === '' ? '' : CUT}${shown}${text.slice(to).trim() === '' ? '' : CUT}`;
}

function startOfWord(text: string, start: number, most: number): number {
  if (start === 0 || isWhiteSpace(text.charCodeAt(start - 1))) return start;
  for (let at = start; at < Math.min(most, start + FARTHEST_BLANK); at += 1) {
    if (isWhiteSpace(text.charCodeAt(at))) return at + 1;
  }
  return isLowSurrogate(text.charCodeAt(start)) && start < most ? start + 1 : start;
}

function endOfWord(text: string, end: number, least: number): number {
  if (end === text.length || isWhiteSpace(text.charCodeAt(end))) return end;
  for (let at = end; at > Math.max(least, end - FARTHEST_BLANK); at -= 1) {
    if (isWhiteSpace(text.charCodeAt(at - 1))) return at - 1;
  }
  return isLowSurrogate(text.charCodeAt(end)) && end > least ? end - 1 : end;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
