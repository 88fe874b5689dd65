// Lists the names of the properties that notes have.
import type { Rows } from '../database/rows.ts';

/** Those inside a map as `name.sub`. The names that notes had before stay in their table. */
export function propertyNames(rows: Rows): readonly string[] {
  const isUsed = 'EXISTS (SELECT 1 FROM property_values WHERE property_values.name = property_names.id)';
  return rows.checked<{ name: string }>(`SELECT * FROM property_names WHERE ${isUsed}`).map(({ name }) => name);
}
