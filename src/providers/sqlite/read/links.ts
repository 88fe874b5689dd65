// Reads links from the index: of a note, between notes, and unresolved ones grouped by name.
import type { Link, LinkKind, Match, NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { ResolvedLink, UnresolvedGroup } from '../../../contracts/store.ts';
import { displayOf } from '../../../markdown/parse/wikilink.ts';
import type { Rows } from '../database/rows.ts';
import { resolve, stemOf } from '../write/link-resolution.ts';
import { type Conditions, inFolder, join } from './note-conditions.ts';

export interface LinkRow {
  readonly kind: LinkKind;
  readonly source: NotePath;
  readonly targetPath: string;
  readonly subpath: string;
  readonly link: string | null;
  readonly display: string | null;
  readonly property: string | null;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly end: number;
  readonly target: NotePath | null;
  readonly match: Match | null;
}

export const LINK_COLUMNS = `ifnull(links.kind, 'wikilink') AS kind, sources.path AS source, link_names.path AS targetPath, subpath, link, display,
  property, line, "column", "offset", "end", targets.path AS target,
  iif(links.target IS NULL, NULL, ifnull(match, 'exact')) AS match`;

export const LINK_TABLES = `links
  JOIN files AS sources ON sources.id = links.source
  JOIN link_names ON link_names.id = links.name
  LEFT JOIN files AS targets ON targets.id = links.target`;

const ID = 'SELECT id FROM files WHERE path = ?';

/** Links to a file have its stem, except links of a note to itself, which may leave out the name. */
const LEADING_TO = `
  SELECT source, ordinal FROM link_names JOIN links ON links.name = link_names.id WHERE stem = ? AND target = (${ID})
  UNION SELECT source, ordinal FROM links WHERE source = (${ID}) AND target = source`;

export function linksOf(rows: Rows, path: NotePath, direction: 'in' | 'out', page: Page): ResolvedLink[] {
  return direction === 'in' ? linksTo(rows, path, page) : linksFrom(rows, path, page);
}

function linksFrom(rows: Rows, path: NotePath, { limit, offset }: Page): ResolvedLink[] {
  const sql = `SELECT ${LINK_COLUMNS} FROM ${LINK_TABLES} WHERE links.source = (${ID}) ORDER BY ordinal LIMIT ? OFFSET ?`;
  return rows.all<LinkRow>(sql, path, limit, offset).map((row) => resolvedLink(rows, row));
}

function linksTo(rows: Rows, path: NotePath, { limit, offset }: Page): ResolvedLink[] {
  const sql = `SELECT ${LINK_COLUMNS} FROM (${LEADING_TO}) AS found CROSS JOIN ${LINK_TABLES}
    WHERE links.source = found.source AND links.ordinal = found.ordinal
    ORDER BY sources.path, links.ordinal LIMIT ? OFFSET ?`;
  return rows.all<LinkRow>(sql, stemOf(path), path, path, limit, offset).map((row) => resolvedLink(rows, row));
}

export function linksBetween(
  rows: Rows,
  pairs: readonly { readonly source: NotePath; readonly target: NotePath }[],
): ResolvedLink[] {
  const sql = `SELECT ${LINK_COLUMNS} FROM ${LINK_TABLES}
    WHERE links.source = (${ID}) AND links.target = (${ID}) ORDER BY ordinal`;
  return pairs.flatMap(({ source, target }) =>
    rows.all<LinkRow>(sql, source, target).map((row) => resolvedLink(rows, row)),
  );
}

export function resolvedLink(rows: Rows, row: LinkRow): ResolvedLink {
  const { kind, source, targetPath, subpath, line, column, offset, end, target, match, property } = row;
  const link = row.link ?? targetPath + subpath;
  const position = { line, column, offset, end };
  const linkFields = {
    kind,
    link,
    display: row.display ?? displayOf(link),
    ...position,
    ...(property === null ? {} : { key: property }),
  };
  const found = { source, targetPath, subpath, target };
  if (match === null) return { ...linkFields, ...found };
  return {
    ...linkFields,
    ...found,
    match,
    ...(match === 'ambiguous' ? { others: otherCandidates(rows, linkFields, source) } : {}),
  };
}

function otherCandidates(rows: Rows, link: Link, source: NotePath): readonly NotePath[] {
  const paths = 'SELECT path FROM files WHERE name_key = ?';
  const found = resolve(link, source, (nameKey) => rows.column<NotePath>(paths, nameKey));
  return found.path === null ? [] : (found.others ?? []);
}

interface UnresolvedFilter {
  readonly folder?: string;
  readonly source?: NotePath;
}

export function unresolvedLinks(
  rows: Rows,
  filter: UnresolvedFilter,
  linksPerGroup: number,
  { limit, offset }: Page,
): { readonly groups: readonly UnresolvedGroup[]; readonly total: number } {
  const { sql, values } = sourceConditions(filter);
  const among = `target IS NULL AND ${sql}`;
  const groups = rows.all<{ id: number; name: string; count: number }>(
    `SELECT id, path AS name, count FROM (SELECT name, count(*) AS count FROM links WHERE ${among} GROUP BY name) AS groups
     JOIN link_names ON link_names.id = groups.name ORDER BY count DESC, path LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  const total = rows.value<number>(`SELECT count(DISTINCT name) FROM links WHERE ${among}`, ...values) ?? 0;
  const linksSql = `SELECT ${LINK_COLUMNS} FROM ${LINK_TABLES}
    WHERE links.name = ? AND links.${among} ORDER BY sources.path, ordinal LIMIT ?`;
  const withLinks = groups.map(({ id, name, count }) => ({
    name,
    count,
    links: rows.all<LinkRow>(linksSql, id, ...values, linksPerGroup).map((row) => resolvedLink(rows, row)),
  }));
  return { groups: withLinks, total };
}

function sourceConditions({ folder, source }: UnresolvedFilter): Conditions {
  const conditions: Conditions[] = [];
  if (folder !== undefined && folder !== '') conditions.push(inFolder(folder));
  if (source !== undefined) conditions.push({ sql: 'files.path = ?', values: [source] });
  if (conditions.length === 0) return { sql: 'TRUE', values: [] };
  const { sql, values } = join(conditions, ' AND ');
  return { sql: `source IN (SELECT id FROM files WHERE ${sql})`, values };
}
