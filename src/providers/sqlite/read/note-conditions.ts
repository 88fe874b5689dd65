// Turns a filter into SQL conditions on the table `files`.
import type { NoteFilter, PropertyFilter } from '../../../contracts/note-filter.ts';
import { localDate } from '../../../markdown/frontmatter/note-date.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import type { SqlValue } from '../database/rows.ts';
import { scalar } from '../write/packed-note.ts';

/** SQL that holds for the wanted rows, and its values in order. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Notes, canvases and bases that pass every given filter. */
export function noteConditions(filter: NoteFilter): Conditions {
  const all: Conditions[] = [{ sql: `files.kind <> 'attachment'`, values: [] }];
  if (filter.folder !== undefined && filter.folder !== '') all.push(inFolder(filter.folder));
  if (filter.tags !== undefined && filter.tags.length > 0) all.push(withTags(filter.tags, filter.tagMode ?? 'any'));
  for (const property of filter.where ?? []) all.push(withProperty(property));
  if (filter.sinceMs !== undefined) all.push(dated('>=', filter.sinceMs));
  if (filter.untilMs !== undefined) all.push(dated('<', filter.untilMs));
  return joined(all, ' AND ');
}

/** Whether there is anything to filter at all. */
export function filters(filter: NoteFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** What a note says of its day is local time: the moment is held against it as this machine's clock shows it. */
function dated(comparison: '>=' | '<', ms: number): Conditions {
  const sql = `iif(files.date IS NULL, files.modified ${comparison} ?, files.date ${comparison} ?)`;
  return { sql, values: [ms, localDate(ms)] };
}

/** In the folder and below it: `0` is the character behind `/`. */
export function inFolder(folder: string): Conditions {
  return { sql: '(files.path > ? AND files.path < ?)', values: [`${folder}/`, `${folder}0`] };
}

function withTags(tags: readonly string[], mode: 'any' | 'all'): Conditions {
  return joined(
    tags.map((tag) => {
      const key = foldName(tag);
      const sql = `files.id IN (SELECT file FROM tags WHERE tag IN
        (SELECT id FROM tag_names WHERE key = ? OR (key > ? AND key < ?)))`;
      return { sql, values: [key, `${key}/`, `${key}0`] };
    }),
    mode === 'any' ? ' OR ' : ' AND ',
  );
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function withProperty({ name, operator, value }: PropertyFilter): Conditions {
  const wanted = scalar(foldName(name), value);
  const equal: Conditions = { sql: 'type IS ? AND value IS ?', values: [wanted.type, wanted.value] };
  if (operator === 'exists') return holding(wanted.name, { sql: 'TRUE', values: [] }, value !== false);
  if (operator === 'eq') return holding(wanted.name, equal, true);
  if (operator === 'ne') return holding(wanted.name, equal, false);
  const isText = typeof wanted.value === 'string';
  if (operator === 'contains') {
    const within = { sql: `typeof(value) = 'text' AND instr(value, ?) > 0`, values: [wanted.value] };
    return holding(wanted.name, isText ? within : equal, true);
  }
  const sql = `type IS ? AND typeof(value) ${isText ? '=' : '<>'} 'text' AND value ${COMPARISONS[operator]} ?`;
  return holding(wanted.name, { sql, values: [wanted.type, wanted.value] }, true);
}

function holding(name: string, { sql, values }: Conditions, wanted: boolean): Conditions {
  const among = `files.id ${wanted ? 'IN' : 'NOT IN'} (SELECT file FROM property_values
    WHERE name IN (SELECT id FROM property_names WHERE key = ?) AND ${sql})`;
  return { sql: among, values: [name, ...values] };
}

function joined(conditions: readonly Conditions[], by: ' AND ' | ' OR '): Conditions {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(by)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
