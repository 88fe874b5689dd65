// Cuts a note into passages and ranks them by the terms they contain.
import { HeldTerms } from '../excerpt/held-terms.ts';
import { findTerms, type Term } from '../excerpt/term-matches.ts';
import { withoutLinks } from '../excerpt/terms.ts';
import { splitLines } from '../parse/lines.ts';
import { pagesOf } from '../parse/pdf-pages.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { chunkSpans } from './chunks.ts';

export interface WeighedTerm extends Term {
  /** How much a passage gains if it contains the term. */
  readonly weight: number;
}

export interface SpansToRate {
  readonly title: string;
  readonly text: string;
  /** Offsets; what is outside is left out. */
  readonly within: readonly [from: number, to: number];
  readonly terms: readonly WeighedTerm[];
  /** About how many a passage has. */
  readonly tokens: number;
  readonly limit: number;
  /** Whether it is the text of a PDF: then no passage crosses pages. */
  readonly isPaged?: boolean;
}

/** A note has so many passages whatever they contain; further ones have a term. */
export const MAX_PASSAGES = 6;

/**
 * The first `limit` passages with more than headings: those with the most distinctive terms first. Without terms, they are in the
 * note's order. Of a note that has only headings, these are the passages; of one that has only properties, they are.
 */
export function ratedSpans({ title, text, within, terms, tokens, limit, isPaged = false }: SpansToRate) {
  const [least, most] = within;
  const rated: RatedSpan[] = [];
  const substantial: RatedSpan[] = [];
  for (const [start, end] of isPaged ? spansInPages(title, text, tokens) : chunkSpans(title, text, tokens)) {
    const [from, to] = [Math.max(start, least), Math.min(end, most)];
    const passage = from < to ? text.slice(from, to) : '';
    if (!hasOwnWords(passage)) continue;
    const span = { from, to, weight: weightOf(passage, terms) };
    rated.push(span);
    if (hasMoreThanHeadings(passage)) substantial.push(span);
    // The first ones are the best ones: the rest of a long note need not be cut.
    if (terms.length === 0 && substantial.length === limit) break;
  }
  if (rated.length === 0) rated.push(...propertiesOf(text, within, terms));
  const candidates = substantial.length === 0 ? rated : substantial;
  const sorted = candidates.sort((one, other) => other.weight - one.weight).slice(0, limit);
  return sorted.filter(({ weight }, at) => at < MAX_PASSAGES || weight > 0);
}

function propertiesOf(text: string, [least, most]: SpansToRate['within'], terms: readonly WeighedTerm[]): RatedSpan[] {
  const to = Math.min(most, bodyStart(text, splitLines(text)).bodyOffset);
  const properties = text.slice(least, to);
  return hasOwnWords(properties) ? [{ from: least, to, weight: weightOf(properties, terms) }] : [];
}

interface RatedSpan {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

function spansInPages(title: string, text: string, tokens: number): (readonly [number, number])[] {
  return pagesOf(text).flatMap(({ from, to }) =>
    Array.from(chunkSpans(title, text.slice(from, to), tokens), ([start, end]) => [from + start, from + end] as const),
  );
}

/** Whether the text has words outside its links. */
export function hasOwnWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(withoutLinks(text));
}

const HEADING = /^ {0,3}#{1,6}(?:[ \t].*)?$/gm;
/** A line of text above `===` or `---`; below a list, quote or table row the latter is a rule. */
const UNDERLINED_HEADING = /^(?![ \t]*(?:[-+*>|]|\d+[.)])).+\n {0,3}(?:=+|-+)[ \t]*$/gm;

export function hasMoreThanHeadings(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(UNDERLINED_HEADING, '').replace(HEADING, ''));
}

/** Words inside links count half. */
function weightOf(text: string, terms: readonly WeighedTerm[]): number {
  if (terms.length === 0) return 0;
  const passage = text.normalize('NFC');
  const unlinked = withoutLinks(passage);
  const weight = weightIn(passage, terms);
  return unlinked === passage ? weight : (weight + weightIn(unlinked, terms)) / 2;
}

function weightIn(text: string, terms: readonly WeighedTerm[]): number {
  const sum = new HeldTerms((term) => terms[term]?.weight ?? 0);
  for (const match of findTerms(text, terms)) sum.add(match);
  return sum.weight;
}
