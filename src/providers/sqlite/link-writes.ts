// Writes the links of a note, each with what it found, and finds anew what a moved name may have changed. Knows no text.
import type { Link, LinkKind, Match, NotePath } from '../../base/note.ts';
import { type LinkResolution, partsOf, stemKeyOf } from './link-resolution.ts';
import { packTargets } from './packed-targets.ts';
import type { Rows } from './rows.ts';

/** @returns whether the note's edges are other than before */
export function writeLinks(
  rows: Rows,
  source: { readonly id: number; readonly path: NotePath },
  links: readonly Link[],
  resolve: LinkResolution,
  revision: number,
): boolean {
  const targets: number[] = [];
  for (const [ordinal, link] of links.entries()) {
    const { target, match } = resolve(link, source.path);
    if (target !== null) targets.push(target);
    writeLink(rows, source.id, ordinal, link, target, match);
  }
  return writeEdges(rows, source.id, targets, revision);
}

function writeLink(
  rows: Rows,
  source: number,
  ordinal: number,
  link: Link,
  target: number | null,
  match: Match | null,
): void {
  const { path, subpath } = partsOf(link);
  rows.run(
    `INSERT INTO links (source, ordinal, kind, name, subpath, link, display, property,
       line, "column", "offset", "end", target, match) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[source, ordinal, link.kind, linkNameId(rows, path), subpath],
    ...[link.link === path + subpath ? null : link.link, link.display === link.link ? null : link.display],
    ...[link.key ?? null, link.line, link.column, link.offset, link.end, target, match],
  );
}

function linkNameId(rows: Rows, path: string): number {
  const [known] = rows.column<number>('SELECT id FROM link_names WHERE path = ?', path);
  return known ?? rows.run('INSERT INTO link_names (path, stem_key) VALUES (?, ?)', path, stemKeyOf(path));
}

/** Names no link uses any more. */
export function dropUnusedNames(rows: Rows, names: ReadonlySet<number>): void {
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

/** Resolves again every link that may mean a file with one of these stems. @returns whether an edge changed */
export function resolveAgain(
  rows: Rows,
  stemKeys: ReadonlySet<string>,
  resolve: LinkResolution,
  revision: number,
): boolean {
  const changed = new Set<number>();
  for (const stemKey of stemKeys) {
    for (const link of linksByStem(rows, stemKey)) {
      const { target, match } = resolve(link, link.path);
      if (target === link.target && match === link.match) continue;
      const sql = 'UPDATE links SET target = ?, match = ? WHERE source = ? AND ordinal = ?';
      rows.run(sql, target, match, link.source, link.ordinal);
      if (target !== link.target) changed.add(link.source);
    }
  }
  for (const source of changed) {
    const sql = 'SELECT target FROM links WHERE source = ? AND target IS NOT NULL';
    writeEdges(rows, source, rows.column<number>(sql, source), revision);
  }
  return changed.size > 0;
}

function linksByStem(rows: Rows, stemKey: string): NamedLink[] {
  const sql = `SELECT source, ordinal, files.path AS path, links.kind AS kind,
      ifnull(link, link_names.path || subpath) AS link, target, match
    FROM link_names JOIN links ON links.name = link_names.id JOIN files ON files.id = links.source
    WHERE stem_key = ?`;
  return rows.all<NamedLink>(sql, stemKey);
}

function writeEdges(rows: Rows, source: number, targets: readonly number[], revision: number): boolean {
  const packed = packTargets(targets);
  const [known] = rows.column<Buffer>('SELECT targets FROM edges WHERE source = ?', source);
  if (known?.equals(packed)) return false;
  // An upsert would open a savepoint, at which the text index writes out all it holds in memory.
  if (known === undefined)
    rows.run('INSERT INTO edges (revision, targets, source) VALUES (?, ?, ?)', revision, packed, source);
  else rows.run('UPDATE edges SET revision = ?, targets = ? WHERE source = ?', revision, packed, source);
  return known !== undefined || targets.length > 0;
}
