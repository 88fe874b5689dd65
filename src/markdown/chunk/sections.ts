// Splits a note into sections at its headings, each with its heading path and its pieces.
import type { Heading } from '../../base/note.ts';
import { endsSentence } from '../excerpt/sentence.ts';
import { foldName } from '../links/fold.ts';
import { skipWhiteSpace, trimWhiteSpace } from '../parse/characters.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import { BREAK_COST, type Lines } from '../parse/lines.ts';
import { fitsIn, fittingEnd, type LineSizes, type Size, sizeOf } from './text-size.ts';
import type { TokenRates } from './token-rates.ts';

export interface Section {
  /** Undefined for the text before the first heading. */
  readonly parent: Section | undefined;
  readonly level: number;
  /** `Title > H1 > H2`; a first heading that repeats the title is left out. */
  readonly path: string;
  /** Tokens that the path takes of each chunk. */
  readonly pathTokens: number;
  /**
   * The heading as written; undefined if the path cannot hold all of it, in which case the pieces start with the
   * heading.
   */
  readonly heading: Piece | undefined;
  /** The content before the next heading of any level; each piece fits into a chunk below the path. */
  readonly pieces: readonly Piece[];
}

export interface OutlinedText extends MeasuredText {
  /** The first line after the front matter, 0-based. */
  readonly bodyLine: number;
  readonly headings: readonly Heading[];
  /** For each line, 0-based: 1 if nothing of it is visible. */
  readonly hidden: Uint8Array;
}

/** Separates the path of a chunk from its content. */
export const PATH_SEPARATOR = '\n\n';
const NAME_SEPARATOR = ' > ';
const CUT = '…';
/** The largest share of a chunk that its path may take. */
const MAX_PATH_SHARE = 1 / 3;
/** A name is left out if it would be cut to fewer tokens. */
const MIN_NAME_TOKENS = 8;

/** The sections in the order of the note, each cut when it is asked for. The first is the text before any heading; its path is the title. */
export function* sectionsOf(title: string, outline: OutlinedText, limit: Size): Generator<Section> {
  const { headings, lines, bodyLine, breakCosts, rates } = outline;
  const lineOf = (index: number): number => (headings[index]?.line ?? lines.starts.length + 1) - 1;
  const path = cutName(title.trim(), limit.tokens * MAX_PATH_SHARE, rates);
  let last = readSection(outline, { level: 0, path }, [bodyLine, bodyLine, lineOf(0)], limit);
  yield last;
  for (const [index, heading] of headings.entries()) {
    const first = lineOf(index);
    const content = breakCosts[first + 1] === BREAK_COST.WHOLE ? first + 2 : first + 1;
    const place = placeOf(last, heading, limit.tokens * MAX_PATH_SHARE, rates);
    const cut = place.cut || endsMath(outline, heading);
    last = readSection(outline, { ...place, cut }, [first, content, lineOf(index + 1)], limit);
    yield last;
  }
}

/** Display math can end on the line of an underlined heading, whose text does not include what comes before it. */
function endsMath({ text, lines }: OutlinedText, { line, offset }: Heading): boolean {
  return text.slice(lines.starts[line - 1], offset).includes('$$');
}

interface Place {
  readonly parent?: Section;
  readonly level: number;
  readonly path: string;
  /** Whether the path contains only the beginning of the heading. */
  readonly cut?: boolean;
}

/** 0-based lines: of the heading, of the content, and after the section. */
type SectionLines = readonly [first: number, content: number, end: number];

function readSection(outline: OutlinedText, place: Place, [first, content, end]: SectionLines, limit: Size): Section {
  const { parent, level, path, cut = false } = place;
  const pathTokens = tokensIn(path + PATH_SEPARATOR, outline.rates);
  const room = { words: limit.words, tokens: limit.tokens - pathTokens };
  const pieces = cutLines(outline, shownLines(outline.hidden, cut ? first : content, end), room);
  return {
    parent,
    level,
    path,
    pathTokens,
    pieces,
    heading: cut || first === content ? undefined : linesOf(outline, first, content),
  };
}

function linesOf({ text, lines, sizes }: MeasuredText, first: number, end: number): Piece {
  return {
    from: lines.starts[first] ?? text.length,
    to: lines.starts[end] ?? text.length,
    ...sizes.between(first, end),
  };
}

function shownLines(hidden: Uint8Array, first: number, end: number): LineRange[] {
  const shown: LineRange[] = [];
  let from = first;
  for (let line = first; line <= end; line += 1) {
    if (line < end && hidden[line] === 0) continue;
    if (from < line) shown.push([from, line]);
    from = line + 1;
  }
  return shown;
}

/** Finds the place of the section of `heading`; `last` is the section before it. */
function placeOf(last: Section, { text, level }: Heading, maxTokens: number, rates: TokenRates): Place {
  let parent = last;
  while (parent.level >= level && parent.parent !== undefined) parent = parent.parent;
  const name = withoutId(text);
  if (name === '' || (parent.level === 0 && foldName(name) === foldName(parent.path)))
    return { parent, level, path: parent.path };
  const before = parent.path === '' ? '' : parent.path + NAME_SEPARATOR;
  const path = before + name;
  if (tokensIn(path, rates) <= maxTokens) return { parent, level, path };
  const left = maxTokens - tokensIn(before, rates);
  return { parent, level, path: left < MIN_NAME_TOKENS ? parent.path : before + cutName(name, left, rates), cut: true };
}

/** A heading without its ` ^id`. */
function withoutId(heading: string): string {
  const named = blockIdAt(heading, 0, heading.length);
  return (named === undefined || named.alone ? heading : heading.slice(0, heading.lastIndexOf('^'))).trim();
}

const tokensIn = (text: string, rates: TokenRates): number => sizeOf(text, 0, text.length, rates).tokens;

function cutName(name: string, maxTokens: number, rates: TokenRates): string {
  if (tokensIn(name, rates) <= maxTokens) return name;
  const room = { words: Number.POSITIVE_INFINITY, tokens: maxTokens - tokensIn(CUT, rates) };
  return name.slice(0, fittingEnd(name, 0, name.length, room, rates)).trim() + CUT;
}

/** A stretch of text that is kept together, including the line ends after it. */
export interface Piece extends Size {
  readonly from: number;
  readonly to: number;
}

/** 0-based lines: the first one, and the one after the last. */
type LineRange = readonly [first: number, end: number];

interface MeasuredText {
  readonly text: string;
  readonly lines: Lines;
  readonly breakCosts: Uint8Array;
  readonly sizes: LineSizes;
  readonly rates: TokenRates;
}

/** Ends a piece that was cut inside a line, where the white space after it is dropped. */
export const LINE_END = '\n';
const LINE_END_TOKENS = sizeOf(LINE_END).tokens;

/**
 * Cuts the lines of all ranges into pieces no larger than `limit`: whole blocks if they fit, else their parts, else
 * sentences (lines in tables, code and the like), else as many words or characters as fit. Pieces of white space
 * alone are dropped.
 */
function cutLines(outline: MeasuredText, ranges: readonly LineRange[], limit: Size): Piece[] {
  const room = { words: limit.words, tokens: limit.tokens - LINE_END_TOKENS };
  const pieces: Piece[] = [];
  for (const [first, end] of ranges) cutRange(outline, first, end, room, pieces);
  return pieces.filter(({ from, to }) => skipWhiteSpace(outline.text, from, to) < to);
}

function cutRange(outline: MeasuredText, first: number, end: number, limit: Size, pieces: Piece[]): void {
  const { text, lines, breakCosts, sizes, rates } = outline;
  if (first >= end) return;
  const from = lines.starts[first] ?? text.length;
  const to = lines.starts[end] ?? text.length;
  const size = sizes.between(first, end);
  if (fitsIn(size, limit)) {
    pieces.push({ from, to, ...size });
    return;
  }
  const { weakest, strongest } = breakCostsWithin(breakCosts, first, end);
  if (end - first === 1 || (weakest === BREAK_COST.PARAGRAPH && strongest === BREAK_COST.PARAGRAPH)) {
    cutSentences({ text, rates }, from, to, limit, pieces);
    return;
  }
  let start = first;
  for (let line = first + 1; line <= end; line += 1) {
    if (line < end && breakCosts[line] !== weakest) continue;
    cutRange(outline, start, line, limit, pieces);
    start = line;
  }
}

function breakCostsWithin(ties: Uint8Array, first: number, end: number): { weakest: number; strongest: number } {
  let weakest: number = BREAK_COST.WHOLE;
  let strongest = 0;
  for (let line = first + 1; line < end; line += 1) {
    const tie = ties[line] as number;
    if (tie < weakest) weakest = tie;
    if (tie > strongest) strongest = tie;
  }
  return { weakest, strongest };
}

type RatedText = Pick<MeasuredText, 'text' | 'rates'>;

function cutSentences(rated: RatedText, from: number, to: number, limit: Size, pieces: Piece[]): void {
  const { text } = rated;
  const last = trimWhiteSpace(text, from, to);
  let start = from;
  for (let at = from + 1; at <= to; at += 1) {
    if (at < to && (at >= last || !endsSentence(text, at))) continue;
    cutWords(rated, start, at, limit, pieces);
    start = at;
  }
}

function cutWords({ text, rates }: RatedText, from: number, to: number, limit: Size, pieces: Piece[]): void {
  let start = from;
  while (start < to) {
    const end = fittingEnd(text, start, to, limit, rates);
    const { words, tokens } = sizeOf(text, start, end, rates);
    const next = skipWhiteSpace(text, end, to);
    pieces.push({ from: start, to: end, words, tokens: next > end ? tokens + LINE_END_TOKENS : tokens });
    start = next;
  }
}
