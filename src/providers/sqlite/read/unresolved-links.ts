// Groups the links that lead nowhere by the name they were written with.
import type { NotePath } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { UnresolvedGroup } from '../../../contracts/store.ts';
import type { Rows } from '../database/rows.ts';
import { LINK_COLUMNS, LINK_TABLES, type LinkRow, resolvedLink } from './link-rows.ts';
import { type Conditions, inFolder } from './note-conditions.ts';

export interface UnresolvedFilter {
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
  const [total = 0] = rows.column<number>(`SELECT count(DISTINCT name) FROM links WHERE ${among}`, ...values);
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
  const all: Conditions[] = [{ sql: 'TRUE', values: [] }];
  if (folder !== undefined && folder !== '') all.push(inFolder(folder));
  if (source !== undefined) all.push({ sql: 'files.path = ?', values: [source] });
  const sql = all.map((condition) => condition.sql).join(' AND ');
  const values = all.flatMap((condition) => condition.values);
  return values.length === 0 ? { sql, values } : { sql: `source IN (SELECT id FROM files WHERE ${sql})`, values };
}
