// Finds links in a text of their note that has changed since they were indexed.
import { partitionPoint } from '../../base/binary-search.ts';
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
  const alike = Map.groupBy(parseContent(path, text).links, keyOf);
  for (const one of alike.values()) one.sort((link, other) => link.line - other.line);
  return links.map((sought) => {
    const closest = closestIn(alike.get(keyOf(sought)) ?? [], sought.line);
    return closest && { offset: closest.offset, end: closest.end };
  });
}

const keyOf = ({ kind, link }: Pick<Link, 'kind' | 'link'>): string => `${kind} ${link}`;

/** The first on its line; of two lines that are as close the upper one. @param links by line */
function closestIn(links: readonly Link[], line: number): Link | undefined {
  const firstFrom = (from: number): number => partitionPoint(links.length, (at) => (links[at] as Link).line < from);
  const at = firstFrom(line);
  const [above, below] = [links[at - 1], links[at]];
  if (above === undefined || (below !== undefined && below.line - line < line - above.line)) return below;
  return links[firstFrom(above.line)];
}
