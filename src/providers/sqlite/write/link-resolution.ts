// Finds the file a link means among the rows, during one set of changes. The rule itself is Markdown's, not ours.
import type { Link, Match, NotePath } from '../../../base/note.ts';
import { type LinkTarget, nameKeyOf, splitLink } from '../../../markdown/links/fold.ts';
import { type CandidatesFor, type Resolution, resolveLink } from '../../../markdown/links/resolve-link.ts';
import type { Rows } from '../database/rows.ts';

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
 * A number that a link shares with every file it may mean, coarser than the name keys: a link may leave `.md` out, and then its
 * last σ folds otherwise. Different names may share one too.
 */
export function stemOf(path: string): number {
  const stem = nameKeyOf(path)
    .replace(/(\.md)+$/, '')
    .replaceAll('ς', 'σ');
  let number = 0;
  for (let i = 0; i < stem.length; i++) number = (Math.imul(number, 31) + stem.charCodeAt(i)) | 0;
  return number;
}

export function partsOf({ kind, link }: Written): LinkTarget {
  return kind === 'canvas' ? { path: link, subpath: '' } : splitLink(link);
}

/** So many names asked one by one cost as much as reading those of the whole vault. */
const MAX_ASKED = 1_000;

/** Remembers candidates by name: use it only while no file is added or removed. */
export function createLinkResolution(rows: Rows): LinkResolution {
  const ids = new Map<NotePath, number>();
  const byName = new Map<string, NotePath[]>();
  let asked = 0;
  const remember = (nameKey: string, id: number, path: NotePath): void => {
    ids.set(path, id);
    const known = byName.get(nameKey);
    if (known === undefined) byName.set(nameKey, [path]);
    else known.push(path);
  };
  const look = (nameKey: string): void => {
    if (asked > MAX_ASKED) return;
    const all = ++asked > MAX_ASKED;
    if (all) byName.clear();
    const sql = `SELECT name_key, id, path FROM files ${all ? '' : 'WHERE name_key = ?'}`;
    for (const row of rows.tuples<[string, number, NotePath]>(sql, ...(all ? [] : [nameKey]))) remember(...row);
  };
  const candidatesFor = (nameKey: string): readonly NotePath[] => {
    if (!byName.has(nameKey)) look(nameKey);
    return byName.get(nameKey) ?? [];
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
