// Extracts the sentence around a link as one line.

import { sizeOf } from '../chunk/text-size.ts';
import { isLatinLetter, isLineEnd, isWhiteSpace } from '../parse/characters.ts';
import { lineEnd, lineEndBefore, lineIndexAt, lineStart, lineStartAfter, splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { type TermMatch, termFinder } from './term-matches.ts';
import { cutAfter, cutBefore, isInLink } from './whole-cuts.ts';

/** How far from the link a sentence may extend; bounds the cost for a note that is one huge line. */
const REACH = 2_000;

/**
 * The sentence around the link from `offset` to `end`, within its paragraph, list item, table row, heading or
 * property. It is one line, without line marks; if it is longer than `maxChars` it is cut around the link, with `…`
 * for omitted text.
 */
export function sentenceAround(text: string, offset: number, end: number, maxChars: number): string {
  const { from, to } = sentenceSpan(text, offset, end);
  const before = onOneLine(text.slice(from, offset).replace(FIRST_MARKS, '')).trimStart();
  const sentence = `${before}${text.slice(offset, end)}${onOneLine(text.slice(end, to))}`.trim();
  if (sentence.length <= maxChars) return sentence;
  return showWindow(sentence, windowAround(sentence, before.length, before.length + end - offset, maxChars - 2));
}

/** The start and the end of that sentence in the text, including line marks. */
export function sentenceSpan(text: string, offset: number, end: number): Window {
  const unit = blockAround(text, offset, end, REACH);
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

/** The full stops of all scripts: Arabic, Urdu, Indic, Ethiopic, Armenian, Burmese, Khmer, Tibetan and Mongolian have their own. */
export const STOPS = '.!?…؟۔।॥።፧፨፡։။។།᠃';
/** Full stops that are not followed by a blank. */
export const WIDE_STOPS = '。！？｡';
export const CLOSING = '"\')]*_”’»」』）】';

/** More closing characters in a row do not occur; bounds the cost of a text made of them. */
const MAX_CLOSING = 16;

/**
 * Whether a sentence ends just before `at`. A full stop inside a link or code, after an initial (`J. Smith`) or before a lower-case
 * letter does not end one.
 */
export function endsSentence(text: string, at: number): boolean {
  if (isInside(text.charCodeAt(at - 1))) return false;
  const least = Math.max(0, at - MAX_CLOSING);
  let last = at - 1;
  while (last > least && CLOSING.includes(text.charAt(last))) last -= 1;
  const stop = text.charAt(last);
  if (WIDE_STOPS.includes(stop))
    return !CLOSING.includes(text.charAt(at)) && !WIDE_STOPS.includes(text.charAt(at)) && !isInLink(text, at);
  if (!STOPS.includes(stop) || !isWhiteSpace(text.charCodeAt(at))) return false;
  if (/^\s+\p{Ll}/u.test(text.slice(at, at + 8)) || (stop === '.' && isInitial(text, last))) return false;
  return !isInLink(text, at);
}

/** Whether a single letter is before the stop. Nearly always more are, which is seen without an expression. */
function isInitial(text: string, stop: number): boolean {
  if (isLatinLetter(text.charCodeAt(stop - 2))) return false;
  return /(?:^|[^\p{L}\p{M}])\p{L}$/u.test(text.slice(Math.max(0, stop - 2), stop));
}

const SPACE = 0x20;

/** Whether the character ends no sentence and closes nothing, as nearly all do. */
const isInside = (code: number): boolean => isLatinLetter(code) || code === SPACE;

/** Starts a block even without a blank line before it. */
const BLOCK_START = /^[ \t>]*(?:[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||```|~~~|\$\$|%%|---|===)/;
/** A block that is always one line. */
const SINGLE_LINE = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;
const BLANK = /^[ \t>]*(?:[\r\n]|$)/;
/** Ends a block or separates two: a rule, an underline, the end of front matter, code, math or a comment. */
const SEPARATOR = /^[ \t>]*(?:-[-\t ]*|=[= \t]*|\*[* \t]*\*|_[_ \t]*_|`{3,}.*|~{3,}.*|\$\$[ \t]*|%%[ \t]*)(?:[\r\n]|$)/;
/** How much of a line is read to recognize how it starts. */
const LINE_HEAD = 200;
const MAX_FRONT_MATTER = 66_000;

/** The block that contains `from` to `to`, as far as it is within `reach` of them. */
function blockAround(text: string, from: number, to: number, reach: number): Window {
  const least = Math.max(0, from - reach);
  const most = Math.min(text.length, to + reach);
  const line = { from: lineStart(text, from, least), to: lineEnd(text, to, most) };
  if (inFrontMatter(text, from)) return line;
  const first = firstLine(text, line.from, least);
  return { from: first, to: begins(text, first, SINGLE_LINE) ? line.to : lastLine(text, line, most) };
}

/** Whether the line at `at` starts a new block instead of continuing the one above. */
export function startsBlock(text: string, at: number): boolean {
  if (begins(text, at, BLOCK_START) || begins(text, at, BLANK)) return true;
  const above = lineStart(text, lineEndBefore(text, at), Math.max(0, at - LINE_HEAD));
  if (above > 0 && !isLineEnd(text.charCodeAt(above - 1))) return false;
  const parts = begins(text, above, BLANK) || begins(text, above, SINGLE_LINE) || begins(text, above, SEPARATOR);
  return parts || isQuoted(text, above) !== isQuoted(text, at);
}

/** Whether the first line with text from `at` on is a heading. */
export function isHeadingAt(text: string, at: number): boolean {
  return /^\s*[ \t>]*#{1,6}[ \t]/.test(text.slice(at, at + LINE_HEAD));
}

function firstLine(text: string, lineFrom: number, least: number): number {
  let start = lineFrom;
  while (start > least && !begins(text, start, BLOCK_START)) {
    const above = lineStart(text, lineEndBefore(text, start), least);
    if (begins(text, above, BLANK) || begins(text, above, SINGLE_LINE) || begins(text, above, SEPARATOR)) break;
    if (isQuoted(text, above) !== isQuoted(text, start)) break;
    start = above;
  }
  return start;
}

function lastLine(text: string, line: Window, most: number): number {
  let end = line.to;
  while (end < most) {
    const next = lineStartAfter(text, end);
    if (
      begins(text, next, BLOCK_START) ||
      begins(text, next, BLANK) ||
      isQuoted(text, next) !== isQuoted(text, line.from)
    )
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

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** How far a cut may move inwards to a word boundary. */
const MAX_SHIFT = 24;
const CUT = '…';

/**
 * At most `size` code units of `text` with `from` to `to` about in the middle; only their beginning if they are
 * longer.
 */
export function windowAround(text: string, from: number, to: number, size: number): Window {
  const room = Math.max(0, size - (to - from));
  const after = Math.min(text.length - to, Math.max(room - from, room >> 1));
  const before = Math.min(from, room - Math.max(0, after));
  const start = from - before;
  const end = Math.min(text.length, start + size);
  return { from: startOfWord(text, start, from), to: endOfWord(text, end, Math.min(to, end)) };
}

/** The window's text on one line, with `…` where text is omitted. */
export function showWindow(text: string, { from, to }: Window): string {
  const shown = asOneLine(text.slice(from, to));
  return `${text.slice(0, from).trim() === '' ? '' : CUT}${shown}${text.slice(to).trim() === '' ? '' : CUT}`;
}

/** Between the head and the rows of a table. */
const TABLE_RULE = /^[ \t>]*(?=[^\r\n]*\|)(?=[^\r\n]*-)[|:\- \t]+$/;

/** Without the marks of quoted lines after the first, and the rules of tables. */
function asOneLine(text: string): string {
  const lines = text
    .trim()
    .split(/[\r\n]+/)
    .filter((line) => !TABLE_RULE.test(line));
  const shown = lines.map((line, at) => (at === 0 ? line : line.replace(/^[ \t]*>[ \t>]*/, '')));
  return shown.join(' ').replace(/\s+/g, ' ').trim();
}

/** The place from which a text is shown that has no room for more before it. */
export function startOfWord(text: string, start: number, most: number): number {
  return start === 0 ? 0 : cutAfter(text, Math.min(most, blankAfter(text, start, most)), most);
}

/** The start of a word if one is near, else the place itself. */
function blankAfter(text: string, start: number, most: number): number {
  if (isWhiteSpace(text.charCodeAt(start - 1))) return start;
  for (let at = start; at < Math.min(most, start + MAX_SHIFT); at += 1) {
    if (isWhiteSpace(text.charCodeAt(at))) return at + 1;
  }
  return start;
}

/** The place up to which a text is shown that has no room for more: after a word if one ends near, outside of links and the like. */
export function endOfWord(text: string, end: number, least: number): number {
  return end === text.length ? end : cutBefore(text, Math.max(least, blankBefore(text, end, least)), least);
}

function blankBefore(text: string, end: number, least: number): number {
  if (isWhiteSpace(text.charCodeAt(end))) return end;
  for (let at = end; at > Math.max(least, end - MAX_SHIFT); at -= 1) {
    if (isWhiteSpace(text.charCodeAt(at - 1))) return at - 1;
  }
  return end;
}

// Finds the sentence of a note that contains the most important terms.

interface WeightedTerm {
  readonly text: string;
  /** How much the term counts. */
  readonly weight: number;
}

/** A note with more matching sentences repeats itself. */
const MAX_SENTENCES = 80;

interface SentenceMatches {
  readonly from: number;
  readonly to: number;
  readonly first: TermMatch;
  readonly terms: Set<number>;
}

interface Sentence {
  readonly lines: readonly [from: number, to: number];
  /** On one line, without line marks; `…` marks omitted text. */
  readonly text: string;
}

/** Undefined if no term occurs. */
export type SentenceFinder = (terms: readonly WeightedTerm[], maxChars: number) => Sentence | undefined;

/** Searches the text after the front matter. The first of equal sentences wins. */
export function sentenceFinder(text: string): SentenceFinder {
  const source = text.normalize('NFC');
  const lines = splitLines(source);
  const { bodyOffset } = bodyStart(source, lines);
  const findIn = termFinder(source);
  return (wanted, maxChars) => {
    const terms = wanted.map((term) => ({ text: term.text, kind: 'phrase' as const }));
    const matches = findIn(terms).filter(({ from }) => from >= bodyOffset);
    const best = heaviest(matchesBySentence(source, matches), wanted);
    if (best === undefined) return undefined;
    const from = best.from + (/^\s*/.exec(source.slice(best.from, best.to))?.[0].length ?? 0);
    const to = Math.max(from + 1, source.slice(0, best.to).trimEnd().length);
    return {
      lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
      text: sentenceAround(source, best.first.from, best.first.to, maxChars),
    };
  };
}

function heaviest(sentences: readonly SentenceMatches[], wanted: readonly WeightedTerm[]): SentenceMatches | undefined {
  const weightOf = ({ terms }: SentenceMatches): number =>
    [...terms].reduce((sum, at) => sum + (wanted[at]?.weight ?? 0), 0);
  return sentences.reduce<SentenceMatches | undefined>(
    (most, sentence) => (most === undefined || weightOf(sentence) > weightOf(most) ? sentence : most),
    undefined,
  );
}

function matchesBySentence(text: string, matches: readonly TermMatch[]): SentenceMatches[] {
  const sentences: SentenceMatches[] = [];
  let open: SentenceMatches | undefined;
  for (const match of matches) {
    if (open === undefined || match.from >= open.to) {
      if (sentences.length === MAX_SENTENCES) break;
      open = { ...sentenceSpan(text, match.from, match.to), first: match, terms: new Set() };
      sentences.push(open);
    }
    open.terms.add(match.term);
  }
  return sentences;
}

/** Where in the body a sentence is looked for, in this order. */
const PLACES = [0.5, 0.25, 0.75, 0.1, 0.9];
const MAX_CHARS = 300;
/** A shorter text could be from any note. */
const MIN_TOKENS = 8;
/** Less are numbers, links and code. */
const MIN_LETTERS = 0.6;
/** Longer notes are not read to their end. */
const MAX_READ = 20_000;
const MARKUP = /[*_=~`#|[\]]+|\(https?:[^)]*\)|https?:\S+/g;

/** Undefined if none is found at a few places of the text. */
export function sampleSentence(markdown: string): string | undefined {
  const text = markdown.slice(0, MAX_READ).toWellFormed();
  const { bodyOffset } = bodyStart(text, splitLines(text));
  const length = text.length - bodyOffset;
  for (const share of PLACES) {
    const at = bodyOffset + Math.floor(length * share);
    const word = /\p{L}{2,}/u.exec(text.slice(at));
    if (word === null) continue;
    const from = at + word.index;
    const sentence = sentenceAround(text, from, from + word[0].length, MAX_CHARS)
      .replace(MARKUP, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    if (saysSomething(sentence)) return sentence;
  }
  return undefined;
}

function saysSomething(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return sizeOf(sentence).tokens >= MIN_TOKENS && letters >= sentence.length * MIN_LETTERS;
}
