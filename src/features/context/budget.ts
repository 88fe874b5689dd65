// Fills a dossier with pieces, the most important first, as far as a number of tokens reaches.
import type { NotePath } from '../../base/note.ts';
import { fittingEnd, tokenBound } from '../../markdown/chunk/text-size.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { linesOf, type Piece, textOf } from './passages.ts';

export interface ContextSection {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
  readonly text: string;
  readonly why: string;
}

export interface BudgetResult {
  readonly sections: readonly ContextSection[];
  /** What is shown, as far as it is shown, and what is not. */
  readonly shown: readonly Piece[];
  readonly left: readonly Piece[];
}

/** A shorter piece of a passage is no help. */
const MIN_CUT = 60;
/** Less than a few words are none. */
const MIN_TOKENS = 16;
/** What a list and its row add to a section. */
const SEPARATORS = 6;
const SHORTER = 0.85;

/** One line is quoted where it must be, several stand between fences. */
export function sectionTokens({ path, lines, text, why }: ContextSection): number {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const shown = text.includes('\n') ? `\n${fence}\n${text}\n${fence}` : JSON.stringify(text);
  return tokenBound(`- path:lines=${path}:${lines.join('-')} · why=${why} · text:${shown}\n`) + SEPARATORS;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

/** What says again what is shown is counted as left. @param room tokens for all sections together */
export function fillBudget(pieces: readonly Piece[], room: number): BudgetResult {
  const shown: Piece[] = [];
  const left: Piece[] = [];
  const again: Piece[] = [];
  const texts = new Set<string>();
  const repeats = createRepeats();
  let free = room;
  for (const piece of pieces) {
    if (texts.has(textOf(piece)) || shown.some((other) => contains(other, piece))) continue;
    if (repeats.holds(piece)) {
      again.push(piece);
      continue;
    }
    const rest = notYetShown(piece, shown);
    const fitting = rest === undefined ? undefined : cutToFit(rest, free, shown.length === 0);
    if (rest !== undefined && fitting?.to !== rest.to)
      left.push(fitting === undefined ? rest : remainder(rest, fitting));
    if (fitting === undefined) continue;
    texts.add(textOf(piece));
    repeats.add(fitting);
    shown.push(fitting);
    free -= sectionTokens(sectionOf(fitting));
  }
  return { sections: shown.map(sectionOf), shown, left: [...left, ...again] };
}

function sectionOf(piece: Piece): ContextSection {
  return { path: piece.note.path, lines: linesOf(piece), text: textOf(piece), why: piece.why };
}

function contains(other: Piece, piece: Piece): boolean {
  return other.note.path === piece.note.path && other.from <= piece.from && other.to >= piece.to;
}

/** What of it is not shown yet: nothing twice. Undefined where what is shown lies inside it or across its end. */
function notYetShown(piece: Piece, shown: readonly Piece[]): Piece | undefined {
  const over = shown.filter(
    (other) => other.note.path === piece.note.path && other.from < piece.to && other.to > piece.from,
  );
  const from = over.reduce((most, other) => (other.from <= piece.from ? Math.max(most, other.to) : most), piece.from);
  const to = over.reduce((least, other) => (other.from > piece.from ? Math.min(least, other.from) : least), piece.to);
  const text = piece.note.text.slice(from, to);
  const begin = from + text.length - text.trimStart().length;
  const end = from + text.trimEnd().length;
  return begin >= end ? undefined : { ...piece, from: begin, to: end };
}

function remainder(piece: Piece, shown: Piece): Piece {
  return { ...piece, from: shown.to };
}

/** The whole piece, or its beginning: the first of all must say something, a passage may be cut, and a sentence may not. */
function cutToFit(piece: Piece, free: number, isFirst: boolean): Piece | undefined {
  if (sectionTokens(sectionOf(piece)) <= free) return piece;
  if (!isFirst && piece.kind !== 'passage') return undefined;
  const least = isFirst ? MIN_TOKENS : MIN_CUT;
  for (let tokens = Math.max(free, least); ; tokens = Math.max(least, tokens * SHORTER)) {
    const cut = cutTo(piece, tokens);
    if (sectionTokens(sectionOf(cut)) <= free) return isFirst || hasMoreThanHeadings(cut) ? cut : undefined;
    if (tokens === least) return undefined;
  }
}

const HEADINGS = /^(?:#{1,6}[ \t][^\n]*\s*)+$/;

/** A heading without anything of what stands below it is no help. */
function hasMoreThanHeadings(piece: Piece): boolean {
  return !HEADINGS.test(textOf(piece));
}

/** Behind a whole line where one fits, else inside the first. */
function cutTo(piece: Piece, tokens: number): Piece {
  const { text, lines } = piece.note;
  const reach = fittingEnd(text, piece.from, piece.to, { words: Number.POSITIVE_INFINITY, tokens });
  const lineEnd = lines.ends.findLast((end) => end <= reach && end > piece.from) ?? reach;
  const shown = text.slice(piece.from, lineEnd);
  return { ...piece, to: piece.from + Math.max(1, shown.trimEnd().length) };
}

/** The tokens that the beginning of a piece takes when it is cut as short as it may be. */
export function minTokens(piece: Piece): number {
  const cut = cutTo(piece, MIN_TOKENS);
  return Math.min(sectionTokens(sectionOf(cut)), sectionTokens(sectionOf(piece)));
}

/** In fewer words than these nearly everything has been said somewhere. */
const MIN_TERMS = 8;
const REPEATED_SHARE = 0.8;

interface Repeats {
  /** Whether most of its words stand in one passage of another note that is shown. */
  readonly holds: (piece: Piece) => boolean;
  readonly add: (piece: Piece) => void;
}

function createRepeats(): Repeats {
  const shown: { readonly piece: Piece; readonly terms: ReadonlySet<string> }[] = [];
  return {
    holds: (piece) => {
      if (piece.kind === 'link') return false;
      const terms = termsIn(piece);
      const repeated = (said: ReadonlySet<string>) => [...terms].filter((term) => said.has(term)).length;
      const others = shown.filter((other) => other.piece.note.path !== piece.note.path);
      return terms.size >= MIN_TERMS && others.some((other) => repeated(other.terms) >= REPEATED_SHARE * terms.size);
    },
    add: (piece) => void shown.push({ piece, terms: termsIn(piece) }),
  };
}

function termsIn(piece: Piece): ReadonlySet<string> {
  const forms = [...formsOf(textOf(piece)).keys()];
  return new Set(forms.filter((form) => !isStopWord(form)).map(termOf));
}
