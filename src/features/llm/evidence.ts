// Checks that the text a model returns occurs in the note, and where.

import type { CallContext } from '../../contracts/tool.ts';
import { hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';
import { type Lines, positionAt, splitLines } from '../../markdown/parse/lines.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import type { LlmSession } from './llm-session.ts';

/** The words as they stand in the note, and their lines. */
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
  /** Of its first sign, from 1. */
  readonly column: number;
}

const MEANINGFUL = /[\p{L}\p{N}]/u;

/** The places of a quote as whole words, in order; none for a quote without a letter or digit. */
export function verbatimPlaces(text: string, quote: string): VerbatimPlace[] {
  if (!MEANINGFUL.test(quote)) return [];
  const lines = splitLines(text);
  for (const spelled of new Set([quote, quote.normalize('NFC'), quote.normalize('NFD')])) {
    const places = [...text.matchAll(patternOf(spelled))].map(({ index, 0: found }) => placeAt(lines, index, found));
    if (places.length > 0) return places;
  }
  return [];
}

function patternOf(quote: string): RegExp {
  const words = quote.trim().split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const signs = [...quote.trim()];
  return new RegExp(`${edge(signs[0], '?<!')}${escaped}${edge(signs.at(-1), '?!')}`, 'gu');
}

/** Nothing where the quote begins or ends with a sign that is no part of a word. */
function edge(sign = '', look: '?<!' | '?!'): string {
  return MEANINGFUL.test(sign) && !hasUnspacedScript(sign) ? `(${look}[\\p{L}\\p{N}])` : '';
}

function placeAt(lines: Lines, from: number, found: string): VerbatimPlace {
  const to = from + found.length;
  const { line, column } = positionAt(lines, from);
  return { from, to, lines: [line, positionAt(lines, Math.max(from, to - 1)).line], column };
}

const ADDRESS = /(?:\b[a-z][a-z\d+.-]{1,20}:\/\/|\bwww\.|\b(?:mailto|javascript|data):)[^\s<>"'`()[\]{}]+/giu;

/** The first such address, undefined where there is none. */
export function foreignUrl(words: readonly string[], material: readonly string[]): string | undefined {
  const said = words.flatMap((text) => text.match(ADDRESS) ?? []).map((address) => address.replace(/[.,;:!?]+$/, ''));
  return said.find((address) => !material.some((text) => text.includes(address)));
}
