// The links that stand in a note's present text, with the targets that the index knows.
import { type Link, type NotePath, noteName } from '../../base/note.ts';
import type { ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';

/** More links than any note has; all of a note's links are one answer of the store. */
export const EVERY_LINK = { limit: 100_000, offset: 0 };

/** @param found the links of the text just read; what the same words lead to does not depend on where in the note they stand */
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

/** Where a link leads, and how it was found when its spelling alone does not tell. */
function targetView(link: ResolvedLink) {
  return link.target === null ? { unresolved: true } : { path: link.target, ...matchView(link) };
}

/** Nothing for a link that names one file letter by letter; the other files that fit equally are named. */
export function matchView({ match, others }: ResolvedLink) {
  return {
    ...(match === 'exact' || match === undefined ? {} : { match }),
    ...(others === undefined ? {} : { ambiguous_with: others }),
  };
}

/** As a field to spread. */
export function titleBeside(path: string, title: string | undefined): { readonly title?: string } {
  return title === undefined || title === noteName(path) ? {} : { title };
}
