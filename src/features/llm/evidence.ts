// Checks that the text a model returns occurs in the note, and where.

import type { CallContext } from '../../contracts/tool.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { type Lines, positionAt, splitLines } from '../../markdown/parse/lines.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import type { LlmSession } from './llm-session.ts';

/** The quoted words as written in the note, and their lines. */
export interface Evidence {
  readonly text: string;
  readonly lines: readonly [number, number];
}

/** The places of the quote in the requested part of the note. */
export function placesIn({ text, from, to }: RequestedNote, quote: string): readonly VerbatimPlace[] {
  return verbatimPlaces(text, quote).filter((place) => place.from >= from && place.to <= to);
}

export function evidenceIn(note: RequestedNote, quote: string): Evidence | undefined {
  const [place] = placesIn(note, quote);
  return place === undefined ? undefined : { text: note.text.slice(place.from, place.to), lines: place.lines };
}

/**
 * Warns about items that were dropped because the note does not contain them.
 * @param kept the number of items that remain
 * @throws PROVIDER_BAD_RESPONSE if the note contains none of the items
 */
export function reportInvented(
  { kept, invented }: { readonly kept: number; readonly invented: number },
  what: string,
  model: LlmSession,
  call: CallContext,
): void {
  if (invented === 0) return;
  if (kept === 0) throw model.unusable(`${what} that the note contains`, `${invented} that it does not`);
  const message = `${invented} ${what} dropped: the note does not contain the words that the model quoted`;
  call.warn({ code: 'UNVERIFIED', message, count: invented });
}

interface VerbatimPlace {
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly [number, number];
  /** The column of the first character, from 1. */
  readonly column: number;
}

const MEANINGFUL = /[\p{L}\p{N}]/u;

/** The places of a quote as whole words, in order; none for a quote without a letter or digit. */
export function verbatimPlaces(text: string, quote: string): VerbatimPlace[] {
  if (!MEANINGFUL.test(quote)) return [];
  const lines = splitLines(text);
  for (const spelling of new Set([quote, quote.normalize('NFC'), quote.normalize('NFD')])) {
    const places = [...text.matchAll(patternOf(spelling))].map(({ index, 0: found }) => placeAt(lines, index, found));
    if (places.length > 0) return places;
  }
  return [];
}

function patternOf(quote: string): RegExp {
  const words = quote.trim().split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const characters = [...quote.trim()];
  return new RegExp(`${edge(characters[0], '?<!')}${escaped}${edge(characters.at(-1), '?!')}`, 'gu');
}

/** The lookaround for the edge of a word; empty for a character that needs none. */
function edge(character = '', look: '?<!' | '?!'): string {
  return MEANINGFUL.test(character) && !hasUnspacedScript(character) ? `(${look}[\\p{L}\\p{N}])` : '';
}

function placeAt(lines: Lines, from: number, found: string): VerbatimPlace {
  const to = from + found.length;
  const { line, column } = positionAt(lines, from);
  return { from, to, lines: [line, positionAt(lines, Math.max(from, to - 1)).line], column };
}

const URL_PATTERN = /(?:\b[a-z][a-z\d+.-]{1,20}:\/\/|\bwww\.|\b(?:mailto|javascript|data):)[^\s<>"'`()[\]{}]+/giu;

/** The first URL in the model's words that the material does not contain. */
export function foreignUrl(words: readonly string[], material: readonly string[]): string | undefined {
  const urls = words.flatMap((text) => text.match(URL_PATTERN) ?? []).map((url) => url.replace(/[.,;:!?]+$/, ''));
  return urls.find((url) => !material.some((text) => text.includes(url)));
}
