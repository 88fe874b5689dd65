// Cuts notes into passages, and gives each piece of a note its place.
import { isPdf, type NotePath, type Properties } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { WeighedTerm } from '../../markdown/chunk/rated-spans.ts';
import { withoutPictureRows } from '../../markdown/excerpt/pictures.ts';
import { type Lines, lineIndexAt, splitLines } from '../../markdown/parse/lines.ts';
import { shownWords } from '../../markdown/parse/shown-text.ts';
import { bodyStart, readFrontMatter } from '../../markdown/properties/front-matter.ts';

/** Requested lines of a note, from 1; undefined for the whole note. */
export type LineRange = readonly [number, number] | undefined;

export interface PassageRequest {
  readonly note: ContextNote;
  readonly meant: LineRange;
}

/** For each request at most `limit` passages of about `tokens` each, those with the most distinctive terms first; without terms in the note's order. */
export async function passagesIn(
  requests: readonly PassageRequest[],
  terms: readonly WeighedTerm[],
  { tokens, limit }: { readonly tokens: number; readonly limit: number },
  why: string,
  { compute, signal }: CallContext,
): Promise<readonly (readonly RatedPiece[])[]> {
  const texts = requests.map(({ note, meant }) => {
    const { title, text } = note;
    const within = meant === undefined ? ([0, text.length] as const) : offsetsOf(note, meant);
    return { title, text, within, ...(isPdf(note.path) ? { isPaged: true } : {}) };
  });
  const input = texts.map((text) => ({ ...text, terms, tokens, limit }));
  const passages = await compute.run(jobs.passages, input, signal);
  return requests.map(({ note }, at) =>
    (passages[at] ?? []).flatMap(({ from, to, weight }) => {
      const piece = pieceOf(note, [from, to], 'passage', why);
      return piece === undefined ? [] : [{ ...piece, weight }];
    }),
  );
}

function offsetsOf({ text, lines }: ContextNote, [first, last]: readonly [number, number]) {
  return [lines.starts[first - 1] ?? 0, lines.ends[last - 1] ?? text.length] as const;
}

export interface ContextNote {
  readonly path: NotePath;
  readonly title: string;
  /** The text as its user sees it. */
  readonly text: string;
  readonly lines: Lines;
}

export interface Piece {
  readonly note: ContextNote;
  /** Offsets in the note's text, without surrounding whitespace. */
  readonly from: number;
  readonly to: number;
  readonly why: string;
  readonly kind: 'passage' | 'link' | 'opening';
  /** The properties of the note; only its first passage has them. */
  readonly properties?: Properties;
}

/** With the weight of the terms that it contains. */
export type RatedPiece = Piece & { readonly weight: number };

/** How a linked note begins. */
export interface Opening {
  readonly path: NotePath;
  readonly why: string;
  /** Undefined if the note has only headings. */
  piece(): Piece | undefined;
}

export function contextNote(path: NotePath, title: string, content: string): ContextNote {
  const text = withoutPictureRows(shownWords(path, content));
  let lines: Lines | undefined;
  return {
    path,
    title,
    text,
    get lines() {
      lines ??= splitLines(text);
      return lines;
    },
  };
}

/** Undefined if the span is blank. */
export function pieceOf(
  note: ContextNote,
  [from, to]: readonly [number, number],
  kind: Piece['kind'],
  why: string,
): Piece | undefined {
  const shown = note.text.slice(from, to);
  const begin = from + shown.length - shown.trimStart().length;
  const end = from + shown.trimEnd().length;
  return begin >= end ? undefined : { note, from: begin, to: end, kind, why };
}

export function textOf({ note, from, to }: Piece): string {
  return note.text.slice(from, to);
}

/** First and last line, from 1. */
export function linesOf({ note, from, to }: Piece): readonly [number, number] {
  return [lineIndexAt(note.lines, from) + 1, lineIndexAt(note.lines, to - 1) + 1];
}

/** Longer properties are texts of their own, which `read_notes` shows. */
const MAX_PROPERTY = 120;
const MAX_PROPERTIES = 320;

/** Whether the piece shows properties and nothing else. */
export function isOfProperties({ note, to }: Piece): boolean {
  return to <= bodyStart(note.text, note.lines).bodyOffset;
}

/** The properties of a note that are short, as far as they fit; undefined without any. Tags and aliases are among them. */
export function shortProperties({ text, lines }: ContextNote): Properties | undefined {
  const { properties, fault } = readFrontMatter(text, lines);
  if (fault !== undefined) return undefined;
  let left = MAX_PROPERTIES;
  const short = Object.entries(properties).filter(([name, value]) => {
    const length = name.length + JSON.stringify(value).length;
    if (value === null || length > Math.min(MAX_PROPERTY, left)) return false;
    left -= length;
    return true;
  });
  return short.length === 0 ? undefined : Object.fromEntries(short);
}
