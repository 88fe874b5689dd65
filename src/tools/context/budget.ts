// Selects pieces within a token budget, most important first.
import { isPdf, type NotePath, type Properties } from '../../base/note.ts';
import { hasMoreThanHeadings } from '../../markdown/chunk/rated-spans.ts';
import { fittingEnd } from '../../markdown/chunk/text-size.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { pageAt, pageReference } from '../../markdown/parse/pdf-pages.ts';
import { modelTokens } from './model-tokens.ts';
import { linesOf, type Opening, type Piece, textOf } from './passages.ts';

export interface ContextSection {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
  readonly text: string;
  readonly why: string;
  /** The page of a PDF on which the passage begins. */
  readonly page?: number;
  readonly ref?: string;
  /** With the first passage of a note. */
  readonly properties?: Properties;
}

export type BudgetResult = ReturnType<typeof fillBudget>;

/** A shorter part of a passage is not useful. */
const MIN_CUT = 30;
/** The minimum for the first piece: a few words. */
const MIN_TOKENS = 16;
const SHRINK_FACTOR = 0.92;
/** A cut at the end of a line may waste the rest of the room. */
const WHOLE_LINES_SHARE = 0.85;

/** Letters are the cheapest characters, and a blank costs nothing only after one of them. */
const LEAST_TOKENS_A_CHARACTER = 1 / 8;
/** `fittingEnd` counts at most so many tokens for one of a model. */
const COUNTED_PER_TOKEN = 2.5;
/** The names of the members and the signs around them. */
const MEMBERS = 13;
const LATER_MEMBER = 5;

/** In JSON, which is the longer form of an answer. */
export function sectionTokens({ path, lines, text, why, page, ref, properties }: ContextSection): number {
  const later = [page, ref, properties].filter((one) => one !== undefined);
  const values = [path, lines.join(' '), why, JSON.stringify(text), ...later.map((one) => JSON.stringify(one))];
  return values.reduce((sum, value) => sum + modelTokens(value), MEMBERS + LATER_MEMBER * later.length);
}

/** Less than a section of the note has, whatever it shows. */
const headTokens = (path: NotePath, why: string): number => sectionTokens({ path, lines: [1, 1], text: '', why });

/**
 * Pieces that repeat a shown piece count as left out.
 * `shown`: the shown pieces, cut as shown, and the passages that are left out.
 * @param openings come last; each is looked up only if there may be room for it
 * @param room tokens for all sections together
 */
export function fillBudget(pieces: readonly Piece[], openings: readonly Opening[], room: number) {
  const shown: Piece[] = [];
  const left: Piece[] = [];
  const repeated: Piece[] = [];
  const texts = new Set<string>();
  const repeats = createRepeats();
  let free = room;
  const place = (piece: Piece): void => {
    if (texts.has(textOf(piece)) || shown.some((other) => contains(other, piece))) return;
    if (piece.kind === 'passage' && repeats.holds(piece)) return void repeated.push(piece);
    const rest = notYetShown(piece, shown);
    const fitting = rest === undefined ? undefined : cutToFit(rest, free, shown.length === 0);
    if (piece.kind === 'passage' && rest !== undefined && fitting?.to !== rest.to)
      left.push(fitting === undefined ? rest : remainder(rest, fitting));
    if (fitting === undefined || (piece.kind === 'opening' && repeats.holds(piece))) return;
    texts.add(textOf(piece));
    repeats.add(fitting);
    shown.push(fitting);
    free -= sectionTokens(sectionOf(fitting));
  };
  for (const piece of pieces) place(piece);
  for (const opening of openings) {
    const piece = headTokens(opening.path, opening.why) > free ? undefined : opening.piece();
    if (piece !== undefined) place(piece);
  }
  return { sections: shown.map(sectionOf), shown, left: [...left, ...repeated] };
}

function sectionOf(piece: Piece): ContextSection {
  const { note, why, properties } = piece;
  const shown = { path: note.path, lines: linesOf(piece), text: textOf(piece), why, ...pageOf(piece) };
  return properties === undefined ? shown : { ...shown, properties };
}

/** Returns the page of a PDF on which the piece begins, and a reference to it. */
function pageOf({ note: { path, text }, from }: Piece): { readonly page?: number; readonly ref?: string } {
  if (!isPdf(path)) return {};
  const page = pageAt(text, from);
  return { page, ref: pageReference(path, page) };
}

function contains(other: Piece, piece: Piece): boolean {
  return other.note.path === piece.note.path && other.from <= piece.from && other.to >= piece.to;
}

/** The part of the piece that is not shown yet; undefined if nothing is left. */
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

/** The whole piece or its beginning; undefined if it does not fit. The first piece and passages may be cut, sentences may not. */
function cutToFit(piece: Piece, free: number, isFirst: boolean): Piece | undefined {
  const isShort = (piece.to - piece.from) * LEAST_TOKENS_A_CHARACTER <= free;
  if (isShort && sectionTokens(sectionOf(piece)) <= free) return piece;
  if (!isFirst && (piece.kind !== 'passage' || headTokens(piece.note.path, piece.why) > free)) return undefined;
  const least = isFirst ? MIN_TOKENS : MIN_CUT;
  for (let tokens = Math.max(free * COUNTED_PER_TOKEN, least); ; tokens = Math.max(least, tokens * SHRINK_FACTOR)) {
    const cut = cutTo(piece, tokens);
    if (sectionTokens(sectionOf(cut)) <= free) return cut;
    if (tokens === least) return undefined;
  }
}

const LEADING_HEADINGS = /^(?: {0,3}#{1,6}[ \t][^\n]*\n|[ \t]*\r?\n)+[ \t]*/;

/** Cuts after a whole line if one fits and fills the room, otherwise inside a line; without its headings if nothing else would be left. */
function cutTo(piece: Piece, tokens: number): Piece {
  const cut = cutWithin(piece, tokens);
  const headings = LEADING_HEADINGS.exec(textOf(piece))?.[0].length ?? 0;
  if (headings === 0 || hasMoreThanHeadings(textOf(cut))) return cut;
  return cutWithin({ ...piece, from: piece.from + headings }, tokens);
}

function cutWithin(piece: Piece, tokens: number): Piece {
  const { text, lines } = piece.note;
  const reach = fittingEnd(text, piece.from, piece.to, { words: Number.POSITIVE_INFINITY, tokens });
  const whole = lines.ends.findLast((end) => end <= reach && end > piece.from) ?? reach;
  const lineEnd = whole - piece.from >= WHOLE_LINES_SHARE * (reach - piece.from) ? whole : reach;
  const shown = text.slice(piece.from, lineEnd);
  return { ...piece, to: piece.from + Math.max(1, shown.trimEnd().length) };
}

/** The tokens of the piece when cut as short as possible. */
export function minTokens(piece: Piece): number {
  const cut = cutTo(piece, MIN_TOKENS);
  return Math.min(sectionTokens(sectionOf(cut)), sectionTokens(sectionOf(piece)));
}

/** Pieces with fewer terms are not checked for repetition. */
const MIN_TERMS = 8;
const REPEATED_SHARE = 0.8;

function createRepeats() {
  const shown: { readonly piece: Piece; readonly terms: ReadonlySet<string> }[] = [];
  /** By text: a piece that is checked is shown next. */
  const lines = new Map<string, ReadonlySet<string>>();
  const termsOf = (piece: Piece): ReadonlySet<string> => {
    const text = textOf(piece);
    const terms = lines.get(text) ?? termsIn(text);
    lines.set(text, terms);
    return terms;
  };
  return {
    /** Whether a shown piece of another note has most of its words. */
    holds: (piece: Piece) => {
      const terms = termsOf(piece);
      const sharedWith = (said: ReadonlySet<string>) => [...terms].filter((term) => said.has(term)).length;
      const others = shown.filter((other) => other.piece.note.path !== piece.note.path);
      return terms.size >= MIN_TERMS && others.some((other) => sharedWith(other.terms) >= REPEATED_SHARE * terms.size);
    },
    add: (piece: Piece) => void shown.push({ piece, terms: termsOf(piece) }),
  };
}

function termsIn(text: string): ReadonlySet<string> {
  const forms = [...formsOf(text).keys()];
  return new Set(forms.filter((form) => !isStopWord(form)).map(termOf));
}
