// Lists the properties that notes have, and how they use one.
import type { PropertyUse } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import type { Rows } from '../database/rows.ts';

/** Those inside a map as `name.sub`. The names that notes had before stay in their table. */
export function propertyNames(rows: Rows): readonly string[] {
  const isUsed = 'EXISTS (SELECT 1 FROM property_values WHERE property_values.name = property_names.id)';
  return rows.checked<{ name: string }>(`SELECT * FROM property_names WHERE ${isUsed}`).map(({ name }) => name);
}

const OF_PROPERTY = 'FROM property_values WHERE name IN (SELECT id FROM property_names WHERE key = ?)';
const TYPE = `coalesce(type, iif(typeof(value) = 'text', 'text', 'number'))`;

/** How notes use a property; `values`: the most frequent ones. */
export function propertyUse(rows: Rows, name: string, limit: number): PropertyUse {
  const key = foldName(name);
  const count = rows.value<number>(`SELECT count(DISTINCT file) ${OF_PROPERTY}`, key) ?? 0;
  const types = rows.column<PropertyUse['types'][number]>(
    `SELECT DISTINCT ${TYPE} AS kind ${OF_PROPERTY} ORDER BY kind`,
    key,
  );
  const hasLists = rows.value<number>(`SELECT 1 ${OF_PROPERTY} GROUP BY file HAVING count(*) > 1 LIMIT 1`, key) === 1;
  const values = rows.all<PropertyUse['values'][number]>(
    `SELECT value, count, path FROM (
       SELECT value, count(DISTINCT file) AS count, min(file) AS file ${OF_PROPERTY} AND value IS NOT NULL AND type IS NULL
       GROUP BY value ORDER BY count DESC, value LIMIT ?
     ) AS used JOIN files ON files.id = used.file ORDER BY count DESC, value`,
    key,
    limit,
  );
  return { count, types: hasLists && !types.includes('list') ? [...types, 'list'] : types, values };
}
