// Finds the file a link means among the rows, during one set of changes. The rule itself is Markdown's, not ours.
import type { Link, Match, NotePath } from '../../base/note.ts';
import { nameKeyOf } from '../../markdown/fold.ts';
import { type LinkTarget, splitLink } from '../../markdown/link-target.ts';
import { type CandidatesFor, type Resolution, resolveLink } from '../../markdown/resolve-link.ts';
import type { Rows } from './rows.ts';

export interface Target {
  readonly target: number | null;
  readonly match: Match | null;
}

type Written = Pick<Link, 'kind' | 'link'>;

export type LinkResolution = (link: Written, source: NotePath) => Target;

const NOWHERE: Target = { target: null, match: null };

/** A file card of a canvas names a whole vault path, in which a `#` belongs to the name; every other link goes by its last segment. */
export function resolve({ kind, link }: Written, source: NotePath, candidatesFor: CandidatesFor): Resolution {
  if (kind !== 'canvas') return resolveLink(link, source, candidatesFor);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === undefined ? { path: null } : { path, match: 'exact' };
}

/**
 * A key that a link shares with every file it may mean, coarser than the name keys: a link may leave `.md` out, and then its
 * last σ folds otherwise.
 */
export function stemKeyOf(path: string): string {
  return nameKeyOf(path)
    .replace(/(\.md)+$/, '')
    .replaceAll('ς', 'σ');
}

export function partsOf({ kind, link }: Written): LinkTarget {
  return kind === 'canvas' ? { path: link, subpath: '' } : splitLink(link);
}

/** Remembers candidates by name: use it only while no file is added or removed. */
export function createLinkResolution(rows: Rows): LinkResolution {
  const ids = new Map<NotePath, number>();
  const byName = new Map<string, readonly NotePath[]>();
  const candidatesFor = (nameKey: string): readonly NotePath[] => {
    const known = byName.get(nameKey);
    if (known !== undefined) return known;
    const found = rows.all<{ id: number; path: NotePath }>('SELECT id, path FROM files WHERE name_key = ?', nameKey);
    for (const { id, path } of found) ids.set(path, id);
    const paths = found.map(({ path }) => path);
    byName.set(nameKey, paths);
    return paths;
  };
  return (link, source) => {
    const found = resolve(link, source, candidatesFor);
    if (found.path === null) return NOWHERE;
    const target = ids.get(found.path) ?? fileIdOf(rows, found.path);
    return target === undefined ? NOWHERE : { target, match: found.match };
  };
}

/** Of a note that links to itself, whose own name nobody asked for. */
function fileIdOf(rows: Rows, path: NotePath): number | undefined {
  return rows.column<number>('SELECT id FROM files WHERE path = ?', path)[0];
}
