// Writes the links of a note with their targets, and resolves links again after files were added or removed.
import type { Link, LinkKind, Match, NotePath } from '../../../base/note.ts';
import { displayOf } from '../../../markdown/parse/wikilink.ts';
import { edgesChecksum } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';
import { type LinkResolution, partsOf, type Target } from './link-resolution.ts';
import type { NameIds } from './name-ids.ts';

/** @param targets of the links, in their order */
export function writeLinks(
  rows: Rows,
  source: number,
  links: Iterable<Link>,
  targets: readonly Target[],
  names: NameIds,
): void {
  let ordinal = 0;
  for (const link of links) {
    writeLink(rows, [source, ordinal], link, targets[ordinal] as Target, names);
    ordinal += 1;
  }
}

function writeLink(
  rows: Rows,
  key: readonly [source: number, ordinal: number],
  link: Link,
  { target, match }: Target,
  names: NameIds,
): void {
  const { path, subpath } = partsOf(link);
  rows.run(
    `INSERT INTO links (source, ordinal, kind, name, subpath, link, display, property,
       line, "column", "offset", "end", target, match) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[...key, nullIf('wikilink', link.kind), names.linkName(path), subpath],
    ...[nullIf(path + subpath, link.link), nullIf(displayOf(link.link), link.display), link.key ?? null],
    ...[link.line, link.column, link.offset, link.end, target, nullIf('exact', match)],
  );
}

/** The usual value is stored as null. */
function nullIf<T extends string | null>(usual: string, value: T): T | null {
  return value === usual ? null : value;
}

/** Deletes the names that no link uses any more. */
export function deleteUnusedNames(rows: Rows, names: ReadonlySet<number>): void {
  const sql = 'DELETE FROM link_names WHERE id = ? AND NOT EXISTS (SELECT 1 FROM links WHERE name = link_names.id)';
  for (const name of names) rows.run(sql, name);
}

interface NamedLink {
  readonly source: number;
  readonly ordinal: number;
  readonly path: NotePath;
  readonly kind: LinkKind;
  readonly link: string;
  readonly target: number | null;
  readonly match: Match | null;
}

/** Resolves again every link that may point to a file with one of these stems. @returns whether an edge changed */
export function resolveAgain(
  rows: Rows,
  stems: ReadonlySet<number>,
  resolve: LinkResolution,
  revision: number,
): boolean {
  const changed = new Map<number, NotePath>();
  for (const stem of stems) {
    for (const link of linksByStem(rows, stem)) {
      const { target, match } = resolve(link, link.path);
      if (target === link.target && match === link.match) continue;
      const key = ['source = ? AND ordinal = ?', link.source, link.ordinal] as const;
      rows.update('links', ['target = ?, match = ?', target, nullIf('exact', match)], key);
      if (target !== link.target) changed.set(link.source, link.path);
    }
  }
  for (const [id, path] of changed) {
    const checksum = edgesChecksum(path, targetsOf(rows, id));
    rows.update('files', ['edges_revision = ?, edges = ?', revision, checksum], ['id = ?', id]);
  }
  return changed.size > 0;
}

function linksByStem(rows: Rows, stem: number): NamedLink[] {
  const sql = `SELECT source, ordinal, files.path AS path, ifnull(links.kind, 'wikilink') AS kind,
      ifnull(link, link_names.path || subpath) AS link, target, iif(target IS NULL, NULL, ifnull(match, 'exact')) AS match
    FROM link_names JOIN links ON links.name = link_names.id JOIN files ON files.id = links.source
    WHERE link_names.id = ?`;
  const names = rows.column<number>('SELECT id FROM link_names WHERE stem = ?', stem);
  return names.flatMap((name) => rows.all<NamedLink>(sql, name));
}

/** The target files of a note's links, one entry per link. */
export function targetsOf(rows: Rows, source: number): number[] {
  return rows.column<number>('SELECT target FROM links WHERE source = ? AND target IS NOT NULL', source);
}

/**
 * Undefined if the targets of the links are as before.
 * @param before ids of the target files, one for each link with a target
 */
export function changedEdges(
  path: NotePath,
  before: readonly number[],
  targets: readonly Target[],
  revision: number,
): Edges | undefined {
  const after = targets.flatMap(({ target }) => target ?? []);
  return isSameSet(before, after) ? undefined : { revision, checksum: edgesChecksum(path, after) };
}

function isSameSet(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length) return false;
  const sorted = Float64Array.from(one).sort();
  return Float64Array.from(other)
    .sort()
    .every((id, at) => id === sorted[at]);
}

export interface Edges {
  /** At which the targets changed last. */
  readonly revision: number;
  readonly checksum: ReturnType<typeof edgesChecksum>;
}
