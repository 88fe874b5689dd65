// Lists the tags and the properties of the notes, with how often they are used.
import { comparePaths } from '../../../base/path-order.ts';
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import type { PropertyUse } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import type { RevisionMemo } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { type Conditions, EXCLUDED, hasFilter, noteConditions } from './note-conditions.ts';

interface TagCount {
  readonly tag: string;
  readonly count: number;
}

/** The tables with the tags of notes, and which of their rows count. */
interface Source extends Conditions {
  readonly from: string;
}

interface TagRow extends TagCount {
  readonly key: string;
}

/** The last Unicode character: the end of the range of texts that begin with a prefix. */
const LAST = '\u{10ffff}';
const FROM_TAGS = 'FROM tag_names CROSS JOIN tags ON tags.tag = tag_names.id';
const FROM_FILES = `${FROM_TAGS} CROSS JOIN files ON files.id = tags.file`;

/** In the spelling of the first note by path, ascending without regard to case. Includes parent tags that no note has itself. */
export function listTags(
  rows: Rows,
  prefix: string | undefined,
  filter: NoteFilter,
  remembered: RevisionMemo,
): readonly TagCount[] {
  if (hasFilter(rows, filter)) return tagsOf(rows, prefix, { from: FROM_FILES, ...noteConditions(filter) });
  return remembered(`tags ${prefix ?? ''}`, () => tagsOf(rows, prefix, { from: FROM_TAGS, sql: 'TRUE', values: [] }));
}

function tagsOf(rows: Rows, prefix: string | undefined, { from, sql, values }: Source): TagCount[] {
  const begin = foldName(prefix ?? '#');
  const tagRows = rows.all<TagRow & { readonly id: number }>(
    `SELECT tag_names.id AS id, tag_names.tag AS tag, count(*) AS count, key ${from}
      WHERE key >= ? AND key < ? AND ${sql} GROUP BY tag_names.id`,
    begin,
    begin + LAST,
    ...values,
  );
  // The rows are counted by SQLite, so they are read once more with their checksums.
  rows.verify('tag_names', ['key >= ? AND key < ?', begin, begin + LAST]);
  rows.verify('tags', ['tag IN (SELECT id FROM tag_names WHERE key >= ? AND key < ?)', begin, begin + LAST]);
  const used = [...Map.groupBy(tagRows, ({ key }) => key)].map(([key, spellings]) => ({
    key,
    tag: spellings.length === 1 ? (spellings[0]?.tag ?? '') : firstSpelling(rows, key, { sql, values }),
    count: spellings.reduce((sum, { count }) => sum + count, 0),
  }));
  const byKey = new Map(used.map(({ key, tag, count }) => [key, { tag, count }]));
  for (const [key, tag] of parentsOf(used)) {
    if (!key.startsWith(begin)) continue;
    const below = [`${key}/`, `${key}/${LAST}`];
    const counted = `SELECT count(DISTINCT tags.file) ${from} WHERE (key = ? OR key >= ? AND key < ?) AND ${sql}`;
    const count = rows.value<number>(counted, key, ...below, ...values) ?? 0;
    byKey.set(key, { tag: byKey.get(key)?.tag ?? tag, count });
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The spelling of the first note by path. */
function firstSpelling(rows: Rows, key: string, { sql, values }: Conditions): string {
  const first = `SELECT tag_names.tag ${FROM_FILES} WHERE key = ? AND ${sql} ORDER BY path LIMIT 1`;
  return rows.value<string>(first, key, ...values) ?? '';
}

/** Every tag with nested tags, by key, in the spelling of its first nested tag. */
function parentsOf(used: readonly TagRow[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { tag } of used.toSorted((one, other) => (one.key < other.key ? -1 : 1))) {
    for (let at = tag.lastIndexOf('/'); at > 0; at = tag.lastIndexOf('/', at - 1)) {
      const parent = tag.slice(0, at);
      const key = foldName(parent);
      if (!parents.has(key)) parents.set(key, parent);
    }
  }
  return parents;
}

const IS_SHOWN = `file NOT IN ${EXCLUDED}`;

/**
 * Those inside a map as `name.sub`. The names that notes had before stay in their table. The rows are in the order in which notes
 * were indexed, which says nothing of the vault.
 */
export function propertyNames(rows: Rows): readonly string[] {
  const isUsed = `EXISTS (SELECT 1 FROM property_values WHERE property_values.name = property_names.id AND ${IS_SHOWN})`;
  const used = rows.checked<NameOfProperty>(`SELECT * FROM property_names WHERE ${isUsed} ORDER BY key, name`);
  return [...Map.groupBy(used, ({ key }) => key).values()].flatMap((spellings) =>
    spellings.length === 1 ? spellings.map(({ name }) => name) : byFirstNote(rows, spellings),
  );
}

interface NameOfProperty {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

/** The spelling of the first note by path first. */
function byFirstNote(rows: Rows, spellings: readonly NameOfProperty[]): readonly string[] {
  const sql = `SELECT min(path) FROM property_values JOIN files ON files.id = file WHERE name = ? AND ${IS_SHOWN}`;
  const firsts = spellings.map(({ id, name }) => ({ name, first: rows.value<string>(sql, id) ?? '' }));
  return firsts.sort((one, other) => comparePaths(one.first, other.first)).map(({ name }) => name);
}

const HAS_KEY = 'name IN (SELECT id FROM property_names WHERE key = ?)';
const OF_PROPERTY = `FROM property_values WHERE ${HAS_KEY} AND ${IS_SHOWN}`;
const TYPE = `coalesce(type, iif(typeof(value) = 'text', 'text', 'number'))`;

/** How notes use a property; `values`: the most frequent ones. */
export function propertyUse(rows: Rows, name: string, limit: number): PropertyUse {
  const key = foldName(name);
  rows.verify('property_values', [HAS_KEY, key]);
  const counted = 'count(DISTINCT file), count(DISTINCT iif(ordinal < 0, file, NULL))';
  const [[count, inline] = [0, 0]] = rows.tuples<[number, number]>(`SELECT ${counted} ${OF_PROPERTY}`, key);
  const types = rows.column<PropertyUse['types'][number]>(
    `SELECT DISTINCT ${TYPE} AS kind ${OF_PROPERTY} ORDER BY kind`,
    key,
  );
  const hasLists = rows.value<number>(`SELECT 1 ${OF_PROPERTY} GROUP BY file HAVING count(*) > 1 LIMIT 1`, key) === 1;
  const values = rows.all<PropertyUse['values'][number]>(
    `SELECT value, count(DISTINCT file) AS count, min(path) AS path FROM (SELECT value, file ${OF_PROPERTY}
       AND value IS NOT NULL AND type IS NULL) AS used JOIN files ON files.id = used.file
     GROUP BY value ORDER BY count DESC, value LIMIT ?`,
    key,
    limit,
  );
  rows.verify('files', ['path IN (SELECT value FROM json_each(?))', JSON.stringify(values.map(({ path }) => path))]);
  return { count, inline, types: hasLists && !types.includes('list') ? [...types, 'list'] : types, values };
}
