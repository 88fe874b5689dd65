// Reads and formats links and titles of notes for results.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Link, type NotePath, noteName } from '../../base/note.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';

/** Rows read at once. More links of a note would hold up other calls; those to a note are sorted again for every part. */
const LINKS_AT_ONCE = { out: 10_000, in: 100_000 };

/** All links from or to a note, in document order. */
export async function everyLink(
  path: NotePath,
  direction: 'in' | 'out',
  store: Store,
  signal: AbortSignal,
): Promise<readonly ResolvedLink[]> {
  const limit = LINKS_AT_ONCE[direction];
  const parts: (readonly ResolvedLink[])[] = [];
  for (;;) {
    const part = await store.links(path, direction, { limit, offset: parts.length * limit }, signal);
    parts.push(part);
    if (part.length < limit) return parts.flat();
    await letOthersRun();
  }
}

/** @param found the links in the current text; targets come from the index, by the text of the link */
export async function linkViews(path: NotePath, found: readonly Link[], store: Store, call: CallContext) {
  const stored = await everyLink(path, 'out', store, call.signal);
  const incoming = await everyLink(path, 'in', store, call.signal);
  const known = new Map(stored.map((link) => [link.link, link]));
  const unknown = found.filter(({ link }) => !known.has(link));
  if (unknown.length > 0) {
    const message = `targets of ${unknown.length} links of ${path} are unknown until the note is indexed again`;
    call.warn({ code: 'EXTRA_MISSING', message, count: unknown.length });
  }
  return { links: found.map((link) => linkView(link, known.get(link.link))), backlinks: incoming.length };
}

function linkView({ line, column, kind, link, display, key }: Link, known: ResolvedLink | undefined) {
  return {
    line,
    column,
    kind,
    link,
    ...(display === link ? {} : { display }),
    ...(key === undefined ? {} : { key }),
    ...(known === undefined ? {} : targetView(known)),
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
