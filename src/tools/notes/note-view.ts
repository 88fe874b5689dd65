// Reads and formats links and titles of notes for results.
import { type InlineField, type Link, type NotePath, noteName } from '../../base/note.ts';
import type { LinkingNote, ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { excludedNotes } from './vault-filter.ts';

/** Links read at once. More of them would hold up other calls. */
const LINKS_AT_ONCE = 1_000;

/** All links from or to a note: in document order, those to it by source first. */
export async function everyLink(
  path: NotePath,
  direction: 'in' | 'out',
  store: Store,
  signal: AbortSignal,
): Promise<readonly ResolvedLink[]> {
  if (direction === 'in') return linksTo(path, Number.MAX_SAFE_INTEGER, store, signal);
  const links: ResolvedLink[] = [];
  for (let isMore = true; isMore; ) {
    const part = await store.links(path, 'out', { limit: LINKS_AT_ONCE, offset: links.length }, signal);
    for (const link of part) links.push(link);
    isMore = part.length === LINKS_AT_ONCE;
  }
  return links;
}

/** Notes whose links to another one are read at once. */
const NOTES_AT_ONCE = 100;

/**
 * The first links to a note, by source. Of many it reads note by note, because a page of them takes as long as sorting them all, and of a
 * note with many of them all its links.
 */
export async function linksTo(
  path: NotePath,
  limit: number,
  store: Store,
  signal: AbortSignal,
): Promise<readonly ResolvedLink[]> {
  const linking = await store.linkingNotes(path, signal);
  const total = linking.reduce((sum, note) => sum + note.links, 0);
  if (total <= LINKS_AT_ONCE)
    return store.links(path, 'in', { limit: Math.min(limit, LINKS_AT_ONCE), offset: 0 }, signal);
  const links: ResolvedLink[] = [];
  for (let at = 0, end = 0; at < linking.length && links.length < limit; at = end) {
    end = endOfBatch(linking, at);
    const pairs = linking.slice(at, end).map(({ path: source }) => ({ source, target: path }));
    const { path: first, links: ofFirst } = linking[at] as LinkingNote;
    const isLong = Math.min(ofFirst, limit - links.length) > LINKS_AT_ONCE;
    const some = isLong
      ? (await everyLink(first, 'out', store, signal)).filter(({ target }) => target === path)
      : await store.linksBetween(pairs, limit - links.length, signal);
    for (const link of some) links.push(link);
  }
  return links.length > limit ? links.slice(0, limit) : links;
}

/** Where notes end that have as many links as are read at once, or one that has more. */
function endOfBatch(linking: readonly { readonly links: number }[], from: number): number {
  let end = from;
  let links = 0;
  while (end < linking.length && end - from < NOTES_AT_ONCE) {
    links += linking[end]?.links ?? 0;
    if (end > from && links > LINKS_AT_ONCE) break;
    end += 1;
  }
  return end;
}

/**
 * @param links links in the current text; targets come from the index, by the text of the link
 * @param first the number of the first one among all links of the note
 */
export async function linkViews(
  path: NotePath,
  links: readonly Link[],
  first: number,
  store: Store,
  call: CallContext,
) {
  const resolved = await indexedLinks(path, new Set(links.map(({ link }) => link)), first, store, call.signal);
  const unknown = links.filter(({ link }) => !resolved.has(link));
  if (unknown.length > 0) {
    const message = `targets of ${unknown.length} links of ${path} are unknown until the note is indexed again`;
    call.warn({ code: 'EXTRA_MISSING', message, count: unknown.length });
  }
  return {
    links: links.map((link) => linkView(link, resolved.get(link.link))),
    ...(await backlinksOf(path, store, call)),
  };
}

const MAX_BACKLINKS = 50;

/** The first links of other notes to a note, each with the heading above it; the total if there are more. */
async function backlinksOf(path: NotePath, store: Store, call: CallContext) {
  const { signal } = call;
  const excluded = await excludedNotes(store, call);
  const others = (await store.linkingNotes(path, signal)).filter((note) => note.path !== path);
  const linking = excludedLast(others, excluded);
  const total = linking.reduce((sum, { links }) => sum + links, 0);
  const pairs = linking.slice(0, MAX_BACKLINKS).map(({ path: source }) => ({ source, target: path }));
  const links = (await store.linksBetween(pairs, MAX_BACKLINKS, signal)).slice(0, MAX_BACKLINKS);
  const sources = [...new Set(links.map(({ source }) => source))];
  const headings = new Map((await store.notes(sources, signal)).map((note) => [note.path, note.headings]));
  const backlinks = links.map(({ source, line, key }) => {
    // What an excluded note says is shown only where the caller names the note.
    if (excluded.has(source)) return { path: source, line, excluded: true };
    const heading = headings.get(source)?.findLast((one) => one.line <= line && line <= (one.endLine ?? line))?.text;
    return { path: source, line, ...(heading !== undefined && { heading }), ...(key !== undefined && { key }) };
  });
  return { backlinks, ...(total > backlinks.length && { backlinks_total: total }) };
}

/** So that they keep no other note out of a list that has an end. */
export function excludedLast<T extends { readonly path: NotePath }>(
  notes: readonly T[],
  excluded: ReadonlySet<NotePath>,
): readonly T[] {
  if (excluded.size === 0) return notes;
  return [...notes.filter(({ path }) => !excluded.has(path)), ...notes.filter(({ path }) => excluded.has(path))];
}

/** A link with each of the texts, searched from the link with this number on: in a note that has not changed they are there. */
async function indexedLinks(path: NotePath, texts: Set<string>, first: number, store: Store, signal: AbortSignal) {
  const resolved = new Map<string, ResolvedLink>();
  for (const [start, end] of [[first, Number.POSITIVE_INFINITY] as const, [0, first] as const]) {
    for (let offset = start, isMore = true; isMore && offset < end && texts.size > 0; offset += LINKS_AT_ONCE) {
      const limit = Math.min(LINKS_AT_ONCE, end - offset);
      const links = await store.links(path, 'out', { limit, offset }, signal);
      for (const link of links) if (texts.delete(link.link)) resolved.set(link.link, link);
      isMore = links.length === limit;
    }
  }
  return resolved;
}

function linkView({ line, column, kind, link, display, key }: Link, resolved: ResolvedLink | undefined) {
  return {
    line,
    column,
    kind,
    link,
    ...(display === link ? {} : { display }),
    ...(key === undefined ? {} : { key }),
    ...(resolved === undefined ? {} : targetView(resolved)),
  };
}

/** The target, and how it was resolved if that is not obvious. */
function targetView(link: ResolvedLink) {
  return link.target === null ? { unresolved: true } : { path: link.target, ...matchView(link) };
}

/** Nothing if the link names a single file exactly; other files that fit equally well are listed. */
export function matchView({ match, others }: ResolvedLink) {
  return {
    ...(match === 'exact' || match === undefined ? {} : { match }),
    ...(others === undefined ? {} : { ambiguous_with: others }),
  };
}

/** The title, unless it equals the file name. */
export function titleBeside(path: string, title: string | undefined): { readonly title?: string } {
  return title === undefined || title === noteName(path) ? {} : { title };
}

/** Characters of the fields of a note that are shown, which is more than the properties of nearly every note take. */
const MAX_FIELD_CHARS = 10_000;

/** The first inline fields with their lines, apart from the properties in the front matter; the total if there are more. */
export function inlineFields(fields: readonly InlineField[] = []) {
  const rows = fields.map(({ line, name, value }) => ({ line, name, value }));
  const shown = rows.slice(0, fittingRows(rows, MAX_FIELD_CHARS));
  return {
    ...(shown.length > 0 && { inline_fields: shown }),
    ...(shown.length < rows.length && { inline_fields_total: rows.length }),
  };
}

/** How many of the rows fit; at least one. */
export function fittingRows(rows: readonly object[], maxChars: number): number {
  let left = maxChars;
  const first = rows.findIndex((row) => {
    left -= JSON.stringify(row).length;
    return left < 0;
  });
  return first === -1 ? rows.length : Math.max(1, first);
}
