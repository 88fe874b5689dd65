// Finds links in a text of their note that has changed since they were indexed.
import type { Link, NotePath } from '../../base/note.ts';
import { parseContent } from '../parse/parse-content.ts';

export type LinkPlace = Pick<Link, 'offset' | 'end'>;

export interface LinksToFind {
  readonly path: NotePath;
  readonly text: string;
  readonly links: readonly Pick<Link, 'kind' | 'link' | 'line'>[];
}

/** For each link the same one in the text, closest to its old line; undefined if it is gone. Parses the text once. */
export function movedPlaces({ path, text, links }: LinksToFind): readonly (LinkPlace | undefined)[] {
  const closest = new Map<string, { readonly line: number; found?: Link }[]>();
  const sought = links.map(({ kind, link, line }) => {
    const one: { readonly line: number; found?: Link } = { line };
    const key = `${kind} ${link}`;
    const alike = closest.get(key);
    if (alike === undefined) closest.set(key, [one]);
    else alike.push(one);
    return one;
  });
  for (const link of parseContent(path, text).links)
    for (const one of closest.get(`${link.kind} ${link.link}`) ?? []) {
      const isCloser = one.found === undefined || distance(link, one) < distance(one.found, one);
      if (isCloser) one.found = link;
    }
  return sought.map(({ found }) => found && { offset: found.offset, end: found.end });
}

const distance = (link: Pick<Link, 'line'>, { line }: Pick<Link, 'line'>): number => Math.abs(link.line - line);
