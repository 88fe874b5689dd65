// Splits a note into sections at its headings, each with its heading path and its pieces.
import type { Heading } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import { BREAK_COST } from '../parse/lines.ts';
import { cutLines, type LineRange, type MeasuredText, type Piece } from './pieces.ts';
import { fittingEnd, type Size, sizeOf } from './text-size.ts';
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
