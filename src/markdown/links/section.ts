// Finds the lines of a heading's section, a block, a subpath or a line range, and their text.
import { type Block, currentDialect, type Heading } from '../../base/note.ts';
import { textBetween } from '../parse/lines.ts';
import { readableText } from '../parse/markdown-link.ts';

/** Lines are 1-based and inclusive. */
export interface LineSpan {
  readonly line: number;
  readonly endLine: number;
}

/**
 * From the heading at `index` to the line before the next heading of the same or a higher level, or to the end of
 * the note.
 */
function sectionSpan(headings: readonly Heading[], index: number, lineCount: number): LineSpan | null {
  const heading = headings[index];
  if (heading === undefined) return null;
  if (heading.endLine !== undefined) return { line: heading.line, endLine: heading.endLine };
  let next = index + 1;
  while ((headings[next]?.level ?? 0) > heading.level) next += 1;
  const below = headings[next];
  return { line: heading.line, endLine: below === undefined ? Math.max(lineCount, heading.line) : below.line - 1 };
}

/** The lines `from` to `to` as far as the note has them; null if it ends before `from`. */
export function lineRange(from: number, to: number, lineCount: number): LineSpan | null {
  return from > lineCount ? null : { line: from, endLine: Math.min(to, lineCount) };
}

/** The text of the lines, without the final line end. */
export function textOfLines(text: string, { line, endLine }: LineSpan): string {
  return textBetween(text, line, endLine);
}

export interface Outline {
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
}

/** The first match, which a link leads to, and further matches, among which a note reference must choose. */
export interface SubpathMatch extends LineSpan {
  readonly others: readonly LineSpan[];
}

/** The lines that `subpath` names, with or without its first `#`; null if the note has no such part. */
export function resolveSubpath(subpath: string, outline: Outline, lineCount: number): SubpathMatch | null {
  const isRange = currentDialect() === 'dendron';
  const parts = (isRange ? subpath.replace(/(?:,\d+)?(?::#.*)?$/s, '') : subpath)
    .split('#')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts[parts.length - 1];
  if (last === undefined) return null;
  const [first, ...others] = last.startsWith('^')
    ? blocksNamed(last.slice(1), outline.blocks)
    : sectionsNamed(parts, outline.headings, lineCount);
  if (first !== undefined) return { ...first, others };
  return currentDialect() === 'obsidian' ? null : anchored(last, outline, lineCount);
}

/** The heading with this anchor: the one that is written at it, or the one that a site makes from its text. */
function anchored(anchor: string, { headings, blocks }: Outline, lineCount: number): SubpathMatch | null {
  const [named] = blocksNamed(anchor, blocks);
  if (named !== undefined) return { ...(sectionAt(named.line, headings, lineCount) ?? named), others: [] };
  const bySlug = remembered(headingsBySlug, headings, () => slugsOf(headings));
  const span = sectionSpan(headings, bySlug.get(anchor.toLowerCase()) ?? -1, lineCount);
  return span === null ? null : { ...span, others: [] };
}

function sectionAt(line: number, headings: readonly Heading[], lineCount: number): LineSpan | null {
  const at = headings.findIndex((heading) => heading.line === line);
  return sectionSpan(headings, at, lineCount);
}

const LINK = /!?\[([^[\]]{0,500})\]\([^()\s]{0,500}\)/g;

/** Makes slugs as GitHub and Docusaurus do, with a number where a text is repeated; where that is free, as the other sites do. */
function slugsOf(headings: readonly Heading[]): ReadonlyMap<string, number> {
  const slugs = new Map<string, number>();
  const repeated = new Map<string, number>();
  const others: (readonly [slug: string, index: number])[] = [];
  for (const [index, { text }] of headings.entries()) {
    const [slug = '', ...more] = slugsOfText(readableText(text).replace(LINK, '$1').toLowerCase());
    let at = repeated.get(slug) ?? 0;
    while (slugs.has(at === 0 ? slug : `${slug}-${at}`)) at += 1;
    repeated.set(slug, at);
    slugs.set(at === 0 ? slug : `${slug}-${at}`, index);
    others.push(...more.map((other) => [other, index] as const), [`${slug}_${at}`, index]);
  }
  for (const [slug, index] of others) if (!slugs.has(slug)) slugs.set(slug, index);
  return slugs;
}

/** GitHub keeps the blank after an emoji; Python-Markdown joins blanks and dashes; Pandoc and kramdown begin with the first letter, and Pandoc keeps dots. */
function slugsOfText(text: string): readonly string[] {
  const letters = text.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '');
  const joined = letters.trim().replace(/[\s-]+/g, '-');
  const dotted = text.replace(/[^\p{L}\p{N}\p{M}\s_.-]/gu, '').trim();
  const all = [
    letters.trim(),
    letters,
    joined,
    joined.replace(/^\P{L}+/u, ''),
    dotted.replace(/\s+/g, '-').replace(/^\P{L}+/u, ''),
  ];
  return all.map((slug) => slug.replace(/\s/g, '-'));
}

/** More parts are not joined in every way. */
const MAX_JOINED = 4;

/**
 * The part that a caller names: as a link would, or with `#` as a character of a heading, as in `#Issue #42`. The fewest parts are
 * joined that lead to a heading.
 */
export function resolvePart(subpath: string, outline: Outline, lineCount: number): SubpathMatch | null {
  const parts = subpath.split('#').filter((part) => part.trim() !== '');
  const ways = parts.length > MAX_JOINED ? 1 : 2 ** Math.max(parts.length - 1, 0);
  const joins = Array.from({ length: ways }, (_, bits) => bits).sort((one, other) => ones(one) - ones(other));
  for (const bits of joins) {
    const joined = parts.reduce(
      (text, part, at) => `${text}${at > 0 && (bits >> (at - 1)) % 2 === 1 ? ' ' : '#'}${part}`,
      '',
    );
    const section = resolveSubpath(joined, outline, lineCount);
    if (section !== null) return section;
  }
  return resolveSubpath(subpath.replaceAll('#', ' '), outline, lineCount);
}

function ones(bits: number): number {
  return bits.toString(2).replaceAll('0', '').length;
}

function blocksNamed(id: string, blocks: readonly Block[]): readonly LineSpan[] {
  const byId = remembered(blocksById, blocks, () => Map.groupBy(blocks, (block) => block.id.toLowerCase()));
  return (byId.get(id.toLowerCase()) ?? []).map(({ line, endLine }) => ({ line, endLine }));
}

/** Each part narrows the search to the sections found by the part before it. */
function sectionsNamed(parts: readonly string[], headings: readonly Heading[], lineCount: number): readonly LineSpan[] {
  const byText = remembered(headingsByText, headings, () =>
    Map.groupBy(headings.keys(), (index) => foldHeading(headings[index]?.text ?? '')),
  );
  let spans: readonly LineSpan[] = [{ line: 0, endLine: lineCount }];
  for (const part of parts) {
    const isInside = withinSpans(spans);
    const named = (byText.get(foldHeading(part)) ?? []).filter((index) => isInside(headings[index]?.line ?? 0));
    spans = named.flatMap((index) => sectionSpan(headings, index, lineCount) ?? []);
  }
  return spans;
}

/** For lines that ascend. @param spans ascending by their first line */
function withinSpans(spans: readonly LineSpan[]): (line: number) => boolean {
  let next = 0;
  let end = 0;
  return (line) => {
    for (let span = spans[next]; span !== undefined && span.line < line; span = spans[++next])
      end = Math.max(end, span.endLine);
    return line <= end;
  };
}

/** A note can have thousands of parts, and thousands of links to them. */
const blocksById = new WeakMap<readonly Block[], ReadonlyMap<string, readonly Block[]>>();
const headingsBySlug = new WeakMap<readonly Heading[], ReadonlyMap<string, number>>();
const headingsByText = new WeakMap<readonly Heading[], ReadonlyMap<string, readonly number[]>>();

function remembered<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const value = cache.get(key) ?? make();
  cache.set(key, value);
  return value;
}

/** The headings before a line whose sections contain it, outermost first. */
export function headingsAbove(headings: readonly Heading[], line: number): Heading[] {
  const open: Heading[] = [];
  for (const heading of headings) {
    if (heading.line >= line) break;
    while (isOver(open.at(-1), heading)) open.pop();
    open.push(heading);
  }
  return open.filter(({ endLine = line }) => endLine >= line);
}

function isOver(open: Heading | undefined, { level, line }: Heading): boolean {
  if (open === undefined) return false;
  return open.endLine === undefined ? open.level >= level : open.endLine < line;
}

/** A heading as links compare it: without case and punctuation, with runs of blanks collapsed. */
export function foldHeading(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
