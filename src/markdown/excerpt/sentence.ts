// The sentence a link stands in, as one line to be read beside it.
import { isWhiteSpace } from '../parse/characters.ts';
import { unitAround } from './text-block.ts';
import { showWindow, type Window, windowRound } from './window.ts';

/** Farther from the link nobody looks for a sentence's end; keeps a note that is one huge line cheap. */
const REACH = 2_000;

/**
 * The sentence round the link from `offset` to `end`: of its paragraph, or of its list item, table row, heading or property. On
 * one line, without line marks; beyond `maxChars` cut round the link, with `…` where something is left out.
 */
export function sentenceAround(text: string, offset: number, end: number, maxChars: number): string {
  const { from, to } = sentenceSpan(text, offset, end);
  const before = onOneLine(text.slice(from, offset).replace(FIRST_MARKS, '')).trimStart();
  const sentence = `${before}${text.slice(offset, end)}${onOneLine(text.slice(end, to))}`.trim();
  if (sentence.length <= maxChars) return sentence;
  return showWindow(sentence, windowRound(sentence, before.length, before.length + end - offset, maxChars - 2));
}

/** Where that sentence begins and ends in the text, its line marks included. */
export function sentenceSpan(text: string, offset: number, end: number): Window {
  const unit = unitAround(text, offset, end, REACH);
  return { from: sentenceStart(text, unit.from, offset), to: sentenceEnd(text, end, unit.to) };
}

const MARKS = String.raw`(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])|\[.\](?=[ \t])|\|))+`;
const FIRST_MARKS = new RegExp(`^${MARKS}`);
const LINE_MARKS = new RegExp(`[\r\n]${MARKS}`, 'g');

function onOneLine(text: string): string {
  return text.replace(LINE_MARKS, ' ').replace(/\s+/g, ' ');
}

function sentenceStart(text: string, least: number, offset: number): number {
  for (let at = offset; at > least; at -= 1) if (endsSentence(text, at)) return at;
  return least;
}

function sentenceEnd(text: string, end: number, most: number): number {
  for (let at = end + 1; at < most; at += 1) if (endsSentence(text, at)) return at;
  return most;
}

const STOPS = '.!?…';
/** Signs behind which no blank is written. */
const WIDE_STOPS = '。！？｡';
const CLOSING = '"\')]*_”’»」』）】';

/** Nobody closes more at once; it keeps a text of closing signs cheap. */
const MAX_CLOSING = 16;

/** Whether a sentence is over just before `at`. A stop inside `[[…]]`, in an initial, or before a small letter ends none. */
export function endsSentence(text: string, at: number): boolean {
  const least = Math.max(0, at - MAX_CLOSING);
  let last = at - 1;
  while (last > least && CLOSING.includes(text.charAt(last))) last -= 1;
  const stop = text.charAt(last);
  if (WIDE_STOPS.includes(stop)) return !CLOSING.includes(text.charAt(at)) && !WIDE_STOPS.includes(text.charAt(at));
  if (!STOPS.includes(stop) || !isWhiteSpace(text.charCodeAt(at))) return false;
  if (
    /^\s+\p{Ll}/u.test(text.slice(at, at + 8)) ||
    /(?:^|[^\p{L}])\p{L}$/u.test(text.slice(Math.max(0, last - 2), last))
  ) {
    return false;
  }
  const before = text.slice(Math.max(0, at - REACH / 10), at);
  return before.lastIndexOf('[[') <= before.lastIndexOf(']]');
}
