// Picks the excerpt of a note that shows best why it matches.
import { isDigit, isWhiteSpace } from '../parse/characters.ts';
import { type Lines, lineIndexAt, splitLines } from '../parse/lines.ts';
import { bestPlace } from './best-place.ts';
import { isOfPictures } from './pictures.ts';
import {
  CLOSING,
  endsSentence,
  isHeadingAt,
  STOPS,
  showWindow,
  startsBlock,
  WIDE_STOPS,
  type Window,
  windowAround,
} from './sentence.ts';
import { findTerms, type Term, type TermMatch } from './term-matches.ts';

export interface Excerpt {
  /** On one line; `…` marks omitted text. */
  readonly snippet: string;
  /** The lines of the excerpt, 1-based. */
  readonly from: number;
  readonly to: number;
}

/** A text in NFC with its lines; nothing before `start` is shown. */
export interface ExcerptSource {
  readonly text: string;
  readonly lines: Lines;
  readonly start: number;
}

export interface WeightedTerm extends Term {
  /** How much the term counts; 1 by default. */
  readonly weight?: number;
}

/** The excerpt, of at most `maxChars`, that contains the most terms; the beginning of the text if it contains none. */
export function excerptAround(text: string, terms: readonly WeightedTerm[], maxChars: number): Excerpt {
  const source = text.normalize('NFC');
  const shown = { text: source, lines: splitLines(source), start: 0 };
  return excerptOf(shown, findTerms(source, terms), weightsOf(terms), maxChars);
}

/** The weight of a term by its index. */
export function weightsOf(terms: readonly WeightedTerm[]): (term: number) => number {
  return (term) => terms[term]?.weight ?? 1;
}

/**
 * Whole sentences around the place with the highest total weight of terms; a longer sentence is cut.
 * @param found in the order of the text, none before `start`
 * @param weightOf the weight of a term by its index
 */
export function excerptOf(
  { text, lines, start }: ExcerptSource,
  found: readonly TermMatch[],
  weightOf: (term: number) => number,
  maxChars: number,
): Excerpt {
  const size = Math.max(1, maxChars - 2);
  const matches = outsidePictures(text, lines, found);
  const fitsIn = (window: Window): boolean => fits(text, window, size);
  const places = matches.length === 0 ? [firstText(text, start)] : matches;
  const cuts = cutsNear(text, start, places, FIT_FACTOR * size + 1);
  const place = bestPlace({ text, cuts, matches, weightOf, size, fits: fitsIn }) ?? firstText(text, start);
  const window = sentencesAround({ text, start, cuts }, place, size);
  const shown = text.slice(window.from, window.to);
  const first = lineIndexAt(lines, window.from + shown.length - shown.trimStart().length);
  const last = lineIndexAt(lines, window.from + shown.trimEnd().length - 1);
  const { from, to } = { from: window.from - start, to: window.to - start };
  return { snippet: showWindow(text.slice(start), { from, to }), from: first + 1, to: Math.max(first, last) + 1 };
}

/** After the lines of pictures at the start, unless there is nothing else. */
function firstText(text: string, start: number): Window {
  const rest = text.slice(start);
  const begin = rest.length - rest.trimStart().length;
  const at = afterPictures(rest, begin);
  return { from: start + at, to: start + at };
}

function afterPictures(text: string, from: number): number {
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    const line = text.slice(at, end);
    if (line.trim() !== '' && !isOfPictures(line)) return at + line.length - line.trimStart().length;
    at = end + 1;
  }
  return from;
}

/** The matches in lines with words, else those in the texts of pictures: their addresses say nothing. */
function outsidePictures(text: string, lines: Lines, matches: readonly TermMatch[]): readonly TermMatch[] {
  if (matches.length === 0 || !/!\[|<img /.test(text)) return matches;
  const answers = new Map<number, boolean>();
  const isInPicture = ({ from }: TermMatch): boolean => {
    const at = lineIndexAt(lines, from);
    const isPicture = answers.get(at) ?? isOfPictures(text.slice(lines.starts[at], lines.ends[at]));
    answers.set(at, isPicture);
    return isPicture;
  };
  const own = matches.filter((match) => !isInPicture(match));
  if (own.length > 0) return own;
  return matches.filter(({ from }) => {
    const before = text.slice(lines.starts[lineIndexAt(lines, from)], from);
    return !/\]\([^)]*$|<[^>]*$/.test(before);
  });
}

/** The sentences that contain the place, extended by whole sentences in turn after and before it as far as they fit. */
function sentencesAround(
  { text, start, cuts: all }: Pick<ExcerptSource, 'text' | 'start'> & { readonly cuts: readonly number[] },
  place: Window,
  size: number,
): Window {
  const [least, most] = [place.from - 2 * size, place.to + 2 * size];
  const cuts = all.filter((at) => (at > least || at === start) && at <= most);
  const first = cuts.findLastIndex((at) => at <= place.from);
  const last = cuts.findIndex((at) => at >= place.to && at > place.from);
  const core = { from: cuts[first] ?? start, to: cuts[last] ?? text.length };
  const isWhole = first !== -1 && last !== -1 && fits(text, core, size);
  return isWhole ? expand(text, cuts, { first, last }, size) : cutAround(text, core, place, size);
}

/**
 * Where sentences begin and end within `reach` of the matches; what is farther away is not looked at, so the ends of these parts are
 * cuts as well.
 */
function cutsNear(text: string, start: number, matches: readonly Window[], reach: number): number[] {
  const cuts: number[] = [];
  for (let at = 0; at < matches.length; ) {
    const from = Math.max(start, (matches[at]?.from ?? 0) - reach);
    let to = from;
    for (; at < matches.length && (matches[at]?.from ?? 0) - reach <= to; at += 1) to = (matches[at]?.to ?? 0) + reach;
    const end = Math.min(text.length, to);
    const near = sentenceCuts(text, from, end);
    if (near[0] !== from) cuts.push(from);
    for (const cut of near) cuts.push(cut);
    if (cuts.at(-1) !== end) cuts.push(end);
  }
  return cuts;
}

/** @param core the indexes of the cuts around the sentence */
function expand(text: string, cuts: readonly number[], core: { first: number; last: number }, size: number): Window {
  let { first, last } = core;
  const windowOf = (one: number, other: number): Window => ({ from: cuts[one] ?? 0, to: cuts[other] ?? text.length });
  for (let [down, up] = [true, true]; down || up; ) {
    down = down && last + 1 < cuts.length && fits(text, windowOf(first, last + 1), size);
    if (down) last += 1;
    // Text above a heading belongs to another topic.
    up = up && first > 0 && !isHeadingAt(text, cuts[first] ?? 0) && fits(text, windowOf(first - 1, last), size);
    if (up) first -= 1;
  }
  while (last > core.last && isDroppable(text, windowOf(last - 1, last))) last -= 1;
  return windowOf(first, last);
}

/** Whether the stretch is blank, or a heading whose text is not shown. */
function isDroppable(text: string, { from, to }: Window): boolean {
  return to < text.length && (isHeadingAt(text, from) || text.slice(from, to).trim() === '');
}

/** White space of a longer text is not shown. */
const FIT_FACTOR = 4;

function fits(text: string, { from, to }: Window, size: number): boolean {
  if (to - from <= size) return true;
  return to - from <= FIT_FACTOR * size && shownLength(text, from, to) <= size;
}

/** The length of a text on one line: white space between words counts as one character. */
function shownLength(text: string, from: number, to: number): number {
  let length = 0;
  let isApart = false;
  for (let at = from; at < to; at += 1) {
    if (isWhiteSpace(text.charCodeAt(at))) isApart = length > 0;
    else {
      length += isApart ? 2 : 1;
      isApart = false;
    }
  }
  return length;
}

/** What answers is beside the words of the question: a cut leaves so much of the excerpt beside them. */
const MARGIN_SHARE = 0.2;

/**
 * Cuts sentences that are too long: from their beginning if the place and some text after it still fit, else up to their end, else
 * around the place.
 */
function cutAround(text: string, { from, to }: Window, place: Window, size: number): Window {
  const margin = MARGIN_SHARE * size;
  const kept: Window =
    place.to - from + margin <= size
      ? { from, to: place.to }
      : { from: place.from, to: to - place.from + margin <= size ? to : place.to };
  const window = windowAround(text.slice(from, to), kept.from - from, kept.to - from, size);
  return { from: from + window.from, to: from + window.to };
}

/** A full stop with closing characters after it, or a line end: the only places that are checked in detail. */
const POSSIBLE_END = new RegExp(`[${STOPS}${WIDE_STOPS}][${CLOSING.replace(']', '\\]')}]*|\\r\\n?|\\n`, 'g');

const ITEM_NUMBER = /(?:^|[\r\n])[ \t>]*\d{1,9}\.$/;
const ITEM_HEAD = 24;

/** The offsets from `from` to `to`, inclusive and ascending, at which one sentence ends and the next starts. */
function sentenceCuts(text: string, from: number, to: number): number[] {
  const cuts = from === 0 ? [0] : [];
  for (const { index, 0: found } of text.slice(from, to).matchAll(POSSIBLE_END)) {
    const at = from + index + found.length;
    const isLineEnd = found.startsWith('\n') || found.startsWith('\r');
    if (at < text.length && (isLineEnd ? startsBlock(text, at) : endsRealSentence(text, at))) cuts.push(at);
  }
  if (to === text.length && cuts.at(-1) !== to) cuts.push(to);
  return cuts;
}

/** Whether a sentence ends here: the full stop after the number of a list item does not end one. */
function endsRealSentence(text: string, at: number): boolean {
  if (!endsSentence(text, at)) return false;
  return !isDigit(text.charCodeAt(at - 2)) || !ITEM_NUMBER.test(text.slice(Math.max(0, at - ITEM_HEAD), at));
}
