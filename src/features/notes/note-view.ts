// Formats links and titles of notes for results.
import { type Link, type NotePath, noteName } from '../../base/note.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';

/** More links than any note has, to read all links of a note at once. */
export const EVERY_LINK = { limit: 100_000, offset: 0 };

/** @param found the links in the current text; targets come from the index, by the text of the link */
export async function linkViews(path: NotePath, found: readonly Link[], store: Store, call: CallContext) {
  const stored = await store.links(path, 'out', EVERY_LINK, call.signal);
  const incoming = await store.links(path, 'in', EVERY_LINK, call.signal);
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
