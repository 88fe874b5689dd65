// Picks the excerpt of a note that shows best why it matches.
import { isWhiteSpace, skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { type Lines, lineIndexAt, splitLines } from '../parse/lines.ts';
import { bestPlace } from './best-place.ts';
import { isOfPictures } from './pictures.ts';
import { endOfWord, isHeadingAt, showWindow, startOfWord, type Window, windowAround } from './sentence.ts';
import { SentenceCuts } from './sentence-cuts.ts';
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
 * @param termMatches in the order of the text, none before `start`
 * @param weightOf the weight of a term by its index
 */
export function excerptOf(
  { text, lines, start }: ExcerptSource,
  termMatches: readonly TermMatch[],
  weightOf: (term: number) => number,
  maxChars: number,
): Excerpt {
  const size = Math.max(1, maxChars - 2);
  const matches = outsidePictures(text, lines, termMatches);
  const fitsIn = (window: Window): boolean => fits(text, window, size);
  const cuts = new SentenceCuts(text, start);
  const place = bestPlace({ text, cuts, matches, weightOf, size, fits: fitsIn }) ?? firstText(text, start);
  const window = sentencesAround(text, cuts, place, size);
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
  if (matches.length === 0 || !(text.includes('![') || text.includes('<img '))) return matches;
  const answers = new Map<number, boolean>();
  const isInPicture = ({ from }: TermMatch): boolean => {
    const at = lineIndexAt(lines, from);
    const isPicture = answers.get(at) ?? isOfPictures(text.slice(lines.starts[at], lines.ends[at]));
    answers.set(at, isPicture);
    return isPicture;
  };
  const textMatches = matches.filter((match) => !isInPicture(match));
  if (textMatches.length > 0) return textMatches;
  return matches.filter(({ from }) => {
    const before = text.slice(lines.starts[lineIndexAt(lines, from)], from);
    return !/\]\([^)]*$|<[^>]*$/.test(before);
  });
}

/** The sentences that contain the place, extended by whole sentences in turn after and before it as far as they fit. */
function sentencesAround(text: string, cuts: SentenceCuts, place: Window, size: number): Window {
  const from = cuts.notAfter(place.from);
  const to = cuts.after(Math.max(place.from, place.to - 1)) ?? text.length;
  const core = { from, to };
  if (!fits(text, core, size)) return cutAround(text, core, place, size);
  return filled(text, cuts, expand(text, cuts, core, size), size);
}

/** A smaller part of a sentence says nothing. */
const MIN_PART = 40;

/** Adds the beginning of the next sentence, else the end of the one before, where there is room for a part of it. */
function filled(text: string, cuts: SentenceCuts, { from, to }: Window, size: number): Window {
  const room = size - shownLength(text, from, to, size) - 1;
  if (room < MIN_PART) return { from, to };
  const next = { from: to, to: cuts.after(to) ?? to };
  if (isPartible(text, next)) {
    const begin = skipWhiteSpace(text, to, next.to);
    const end = endOfWord(text, Math.min(next.to, begin + room), begin);
    if (end - begin >= MIN_PART) return { from, to: end };
  }
  const last = { from: cuts.before(from) ?? from, to: from };
  if (isHeadingAt(text, from) || !isPartible(text, last)) return { from, to };
  const end = trimWhiteSpace(text, last.from, from);
  const begin = startOfWord(text, Math.max(last.from, end - room), end);
  return end - begin >= MIN_PART ? { from: begin, to } : { from, to };
}

/** A part of a heading or of an address of a picture is not text. */
function isPartible(text: string, { from, to }: Window): boolean {
  return !isHeadingAt(text, from) && !isOfPictures(text.slice(from, to));
}

function expand(text: string, cuts: SentenceCuts, core: Window, size: number): Window {
  let { from, to } = core;
  for (let [down, up] = [true, true]; down || up; ) {
    const next = down ? cuts.after(to) : undefined;
    down = next !== undefined && fits(text, { from, to: next }, size);
    if (down && next !== undefined) to = next;
    // Text above a heading belongs to another topic.
    const last = up && !isHeadingAt(text, from) ? cuts.before(from) : undefined;
    up = last !== undefined && fits(text, { from: last, to }, size);
    if (up && last !== undefined) from = last;
  }
  while (to > core.to && isDroppable(text, { from: cuts.before(to) ?? core.to, to })) to = cuts.before(to) ?? core.to;
  return { from, to };
}

/** Whether the stretch is blank, or a heading whose text is not shown. */
function isDroppable(text: string, { from, to }: Window): boolean {
  return to < text.length && (isHeadingAt(text, from) || text.slice(from, to).trim() === '');
}

/** White space of a longer text is not shown. */
const FIT_FACTOR = 4;

function fits(text: string, { from, to }: Window, size: number): boolean {
  if (to - from <= size) return true;
  return to - from <= FIT_FACTOR * size && shownLength(text, from, to, size) <= size;
}

/** The length of a text on one line, as far as it is not above `most`: white space between words counts as one character. */
function shownLength(text: string, from: number, to: number, most: number): number {
  let length = 0;
  let isApart = false;
  for (let at = from; at < to && length <= most; at += 1) {
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
