// The files of a vault before and after some of them move, as links look for them.
import type { Link, NotePath } from '../../base/note.ts';
import { nameKeyOf } from './fold.ts';
import { type CandidatesFor, type Resolution, resolveLink } from './resolve-link.ts';

export interface MovedFiles {
  readonly before: CandidatesFor;
  readonly after: CandidatesFor;
  readonly pathAfter: (path: NotePath) => NotePath;
  /** The names that moved files had or have: a link by another last segment leads where it led. */
  readonly nameKeys: ReadonlySet<string>;
}

/**
 * @param moved from each old path to the new one; a folder as all the files in it
 * @param after the files of the vault as the move leaves them
 */
export function createMovedFiles(moved: ReadonlyMap<NotePath, NotePath>, after: CandidatesFor): MovedFiles {
  const arrived = new Set(moved.values());
  const left = Map.groupBy(moved.keys(), nameKeyOf);
  return {
    before: (nameKey) => [...after(nameKey).filter((path) => !arrived.has(path)), ...(left.get(nameKey) ?? [])],
    after,
    pathAfter: (path) => moved.get(path) ?? path,
    nameKeys: new Set([...left.keys(), ...[...arrived].map(nameKeyOf)]),
  };
}

/** Where a link leads. A file card of a canvas names a whole vault path, in which a `#` belongs to the name. */
export function resolveWritten(
  { kind, link }: Pick<Link, 'kind' | 'link'>,
  source: NotePath,
  candidatesFor: CandidatesFor,
): Resolution {
  if (kind !== 'canvas') return resolveLink(link, source, candidatesFor);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === undefined ? { path: null } : { path, match: 'exact' };
}
