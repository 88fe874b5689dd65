// Reads links back from their rows. Knows nothing of how a link finds its file beyond asking the rule for its rivals.
import type { Link, LinkKind, Match, NotePath } from '../../base/note.ts';
import type { Page, ResolvedLink } from '../../contracts/store.ts';
import { resolve } from './link-resolution.ts';
import type { Rows } from './rows.ts';

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

export const LINK_COLUMNS = `links.kind, sources.path AS source, link_names.path AS targetPath, subpath, link, display,
  property, line, "column", "offset", "end", targets.path AS target, match`;

export const LINK_TABLES = `links
  JOIN files AS sources ON sources.id = links.source
  JOIN link_names ON link_names.id = links.name
  LEFT JOIN files AS targets ON targets.id = links.target`;

const IDS = 'SELECT id FROM files WHERE path = ?';

export function linksOf(rows: Rows, path: NotePath, direction: 'in' | 'out', { limit, offset }: Page): ResolvedLink[] {
  const [end, order] = direction === 'out' ? ['source', 'ordinal'] : ['target', 'sources.path, ordinal'];
  const sql = `SELECT ${LINK_COLUMNS} FROM ${LINK_TABLES}
    WHERE links.${end} = (${IDS}) ORDER BY ${order} LIMIT ? OFFSET ?`;
  return rows.all<LinkRow>(sql, path, limit, offset).map((row) => resolvedLink(rows, row));
}

export function linksBetween(
  rows: Rows,
  pairs: readonly { readonly source: NotePath; readonly target: NotePath }[],
): ResolvedLink[] {
  const sql = `SELECT ${LINK_COLUMNS} FROM ${LINK_TABLES}
    WHERE links.source = (${IDS}) AND links.target = (${IDS}) ORDER BY ordinal`;
  return pairs.flatMap(({ source, target }) =>
    rows.all<LinkRow>(sql, source, target).map((row) => resolvedLink(rows, row)),
  );
}

export function resolvedLink(rows: Rows, row: LinkRow): ResolvedLink {
  const { kind, source, targetPath, subpath, line, column, offset, end, target, match, property } = row;
  const link = row.link ?? targetPath + subpath;
  const position = { line, column, offset, end };
  const written = {
    kind,
    link,
    display: row.display ?? link,
    ...position,
    ...(property === null ? {} : { key: property }),
  };
  const found = { source, targetPath, subpath, target };
  if (match === null) return { ...written, ...found };
  return { ...written, ...found, match, ...(match === 'ambiguous' ? { others: rivals(rows, written, source) } : {}) };
}

function rivals(rows: Rows, link: Link, source: NotePath): readonly NotePath[] {
  const paths = 'SELECT path FROM files WHERE name_key = ?';
  const found = resolve(link, source, (nameKey) => rows.column<NotePath>(paths, nameKey));
  return found.path === null ? [] : (found.others ?? []);
}
