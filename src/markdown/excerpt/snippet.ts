// Builds the snippet of a found note: the passage that matched, or the best excerpt of its text.

import { textOfLines } from '../links/section.ts';
import { CARD_BREAK } from '../parse/canvas-outline.ts';
import { type Lines, lineCountOf, lineIndexAt, splitLines } from '../parse/lines.ts';
import { PAGE_BREAK, type PageSpan, pagesOf } from '../parse/pdf-pages.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { type ExcerptSource, excerptAround, excerptOf, type WeightedTerm, weightsOf } from './excerpt.ts';
import { findTerms, type TermMatch } from './term-matches.ts';

export interface SnippetSource {
  readonly title: string;
  readonly text: string;
  /** The passage that matched; without it the terms choose one. */
  readonly lines?: readonly [number, number];
  /** Whether it is the text of a PDF, or the outline of a canvas: of these one page or card is shown. */
  readonly isPaged?: boolean;
  readonly isCanvas?: boolean;
}

export interface Snippet {
  readonly lines: readonly [number, number];
  readonly snippet: string;
  /** Terms that neither the note nor its title has. */
  readonly missing?: readonly string[];
  /** The page of the snippet in a text with pages. */
  readonly page?: number;
}

export function snippetOf(source: SnippetSource, terms: readonly WeightedTerm[], maxChars: number): Snippet {
  if (source.isPaged === true) return onBestPage(source, terms, maxChars);
  if (source.isCanvas === true && source.lines === undefined) return onBestCard(source, terms, maxChars);
  return passageOf(source, terms, maxChars) ?? bestExcerpt(source, terms, maxChars);
}

function onBestCard(source: SnippetSource, terms: readonly WeightedTerm[], maxChars: number): Snippet {
  const { page: _, ...snippet } = onBestPage(source, terms, maxChars, CARD_BREAK);
  return snippet;
}

/** On the first of the pages with the most of the terms. */
function onBestPage(
  { title, text: written }: SnippetSource,
  terms: readonly WeightedTerm[],
  maxChars: number,
  separator = PAGE_BREAK,
): Snippet {
  const text = written.normalize('NFC');
  const findings = findTerms(text, terms);
  const best = bestPage(pagesOf(text, separator), findings, weightsOf(terms));
  const excerpt = excerptAround(text.slice(best.from, best.to), terms, maxChars);
  const missing = terms.length > 1 ? missingTerms(title, terms, findings) : [];
  return {
    lines: [excerpt.from + best.line - 1, excerpt.to + best.line - 1],
    snippet: excerpt.snippet,
    ...(missing.length > 0 && { missing }),
    page: best.page,
  };
}

function bestPage(
  pages: readonly PageSpan[],
  findings: readonly TermMatch[],
  weightOf: (term: number) => number,
): PageSpan {
  const weights = new Float64Array(pages.length);
  const counted = new Set<string>();
  let at = 0;
  for (const { from, term } of findings) {
    while (from >= (pages[at + 1]?.from ?? Number.POSITIVE_INFINITY)) at += 1;
    if (counted.has(`${at} ${term}`)) continue;
    counted.add(`${at} ${term}`);
    weights[at] = (weights[at] ?? 0) + weightOf(term);
  }
  return pages[weights.indexOf(Math.max(...weights))] as PageSpan;
}

/** Undefined if the note has changed and these lines have no text any more. */
function passageOf({ text, lines }: SnippetSource, terms: readonly WeightedTerm[], maxChars: number) {
  if (lines === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { lines, snippet: excerptAround(passage, terms, maxChars).snippet };
}

function bestExcerpt(
  { title, text: written }: SnippetSource,
  terms: readonly WeightedTerm[],
  maxChars: number,
): Snippet {
  const text = written.normalize('NFC');
  const lines = splitLines(text);
  const { bodyLine, bodyOffset } = bodyStart(text, lines);
  const start = text.slice(bodyOffset).trim() === '' ? 0 : bodyOffset;
  const findings = findTerms(text, terms);
  const inBody = findings.filter(({ from }) => from >= start);
  const inProperties = propertiesSaying(text, lines, start, findings);
  const weightOf = weightsOf(terms);
  const { snippet, from, to } = isMostly(inProperties, inBody, weightOf)
    ? excerptOf(propertyLines(text, lines, bodyLine), inProperties, weightOf, maxChars)
    : excerptOf({ text, lines, start }, inBody, weightOf, maxChars);
  const missing = terms.length > 1 ? missingTerms(title, terms, findings) : [];
  return { lines: [from, to], snippet, ...(missing.length === 0 ? {} : { missing }) };
}

/** The first line of a property of which the hit or the text says more: a name, a tag, a date. */
const SAYS_NO_MORE = /^["']?(?:title|alias(?:es)?|tags?|cssclass(?:es)?)["']?\s*[:=]|^[^:=]+[:=]\s*["'[]*\d{4}-\d\d/i;
const FIRST_LINE = /^["']?[^\s"':=#-][^"':=]*["']?\s*[:=]/;

/** The matches before `start` in properties that say something themselves. */
function propertiesSaying(text: string, lines: Lines, start: number, findings: readonly TermMatch[]): TermMatch[] {
  const lineAt = (at: number): string => text.slice(lines.starts[at], lines.ends[at]);
  const firstLineOf = (offset: number): string => {
    let at = lineIndexAt(lines, offset);
    while (at > 0 && !FIRST_LINE.test(lineAt(at))) at -= 1;
    return lineAt(at);
  };
  return findings.filter(({ from }) => from < start && !SAYS_NO_MORE.test(firstLineOf(from)));
}

/** Whether the terms that only the first matches have weigh more than those of the others. */
function isMostly(
  matches: readonly TermMatch[],
  others: readonly TermMatch[],
  weightOf: (term: number) => number,
): boolean {
  const besides = new Set(others.map(({ term }) => term));
  const held = new Set(matches.map(({ term }) => term).filter((term) => !besides.has(term)));
  const sum = (terms: ReadonlySet<number>): number => [...terms].reduce((total, term) => total + weightOf(term), 0);
  return sum(held) > sum(besides);
}

/** The lines between the fences of the front matter. */
function propertyLines(text: string, lines: Lines, bodyLine: number): ExcerptSource {
  return { text: text.slice(0, lines.starts[bodyLine - 1]), lines, start: lines.starts[1] ?? 0 };
}

function missingTerms(title: string, terms: readonly WeightedTerm[], inText: readonly TermMatch[]): string[] {
  const matched = new Set([...inText, ...findTerms(title.normalize('NFC'), terms)].map(({ term }) => term));
  return terms.filter((_, index) => !matched.has(index)).map((term) => term.text);
}
