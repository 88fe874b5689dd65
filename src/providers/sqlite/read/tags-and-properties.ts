// Lists the tags and the properties of the notes, with how often they are used.
import { comparePaths } from '../../../base/path-order.ts';
import type { PropertyUse, Store } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { createRevisionCache } from '../database/cache.ts';
import { readAndFinish, type Slice, type Source as SlicedSource } from '../database/read-in-slices.ts';
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

/** Tags read, and parents counted, in a slice: some milliseconds. */
const TAGS_PER_SLICE = 1_000;
const PARENTS_PER_SLICE = 200;
const MAX_KEPT_LISTS = 8;

/** Where a slice begins: at a key of tags, or at the number of a parent. */
type Place = { readonly key: string } | { readonly parent: number };

/** In the spelling of the first note by path, ascending without regard to case. Includes parent tags that no note has itself. */
export function createTagLists({ rows, read }: SlicedSource): Store['listTags'] {
  const lists = createRevisionCache<string, readonly TagCount[]>(rows, MAX_KEPT_LISTS);
  return async (prefix, filter, signal) => {
    const [isFiltered, kept] = await read('listTags', signal, () =>
      hasFilter(rows, filter) ? [true] : [false, lists().get(prefix ?? '')],
    );
    if (kept !== undefined) return kept;
    const counted = isFiltered
      ? { from: FROM_FILES, ...noteConditions(filter) }
      : { from: FROM_TAGS, sql: 'TRUE', values: [] };
    const sliceAt = tagSlices(rows, foldName(prefix ?? '#'), counted);
    return readAndFinish({ rows, read, op: 'listTags', signal }, sliceAt, (tags, isOfOneRevision) => {
      const list = inOrder(tags);
      if (!isFiltered && isOfOneRevision) lists().set(prefix ?? '', list);
      return list;
    });
  };
}

/** First the tags that notes have, by key, then their parents. */
function tagSlices(rows: Rows, begin: string, source: Source): (place?: Place) => Slice<TagRow, Place> {
  const end = begin + LAST;
  const parents = new Map<string, string>();
  return (place = { key: begin }) => {
    if ('key' in place) {
      if (place.key === begin) parents.clear();
      const last = rows.value<string>(NTH_KEY, place.key, end, TAGS_PER_SLICE - 1);
      // The least text after a key.
      const to = last === undefined ? end : `${last}\0`;
      const tags = usedTags(rows, [place.key, to], source);
      addParents(tags, begin, parents);
      return { items: tags, next: last === undefined ? { parent: 0 } : { key: to } };
    }
    const some = [...parents].slice(place.parent, place.parent + PARENTS_PER_SLICE);
    const next = some.length < PARENTS_PER_SLICE ? undefined : { parent: place.parent + PARENTS_PER_SLICE };
    return { items: some.map(([key, tag]) => ({ key, tag, count: countWithin(rows, key, source) })), next };
  };
}

const NTH_KEY = 'SELECT DISTINCT key FROM tag_names WHERE key >= ? AND key < ? ORDER BY key LIMIT 1 OFFSET ?';

function usedTags(rows: Rows, range: readonly [string, string], { from, sql, values }: Source): TagRow[] {
  const tagRows = rows.all<TagRow>(
    `SELECT tag_names.tag AS tag, count(*) AS count, key ${from}
      WHERE key >= ? AND key < ? AND ${sql} GROUP BY tag_names.id`,
    ...[...range, ...values],
  );
  // The rows are counted by SQLite, so they are read once more with their checksums.
  rows.verify('tag_names', ['key >= ? AND key < ?', ...range]);
  rows.verify('tags', ['tag IN (SELECT id FROM tag_names WHERE key >= ? AND key < ?)', ...range]);
  return [...Map.groupBy(tagRows, ({ key }) => key)].map(([key, spellings]) => ({
    key,
    tag: spellings.length === 1 ? (spellings[0]?.tag ?? '') : firstSpelling(rows, key, { sql, values }),
    count: spellings.reduce((sum, { count }) => sum + count, 0),
  }));
}

/** The notes with the tag or one below it. */
function countWithin(rows: Rows, key: string, { from, sql, values }: Source): number {
  const below = [`${key}/`, `${key}/${LAST}`];
  const counted = `SELECT count(DISTINCT tags.file) ${from} WHERE (key = ? OR key >= ? AND key < ?) AND ${sql}`;
  return rows.value<number>(counted, key, ...below, ...values) ?? 0;
}

/** A parent that notes have, too, keeps their spelling. */
function inOrder(tags: readonly TagRow[]): readonly TagCount[] {
  const byKey = new Map<string, TagCount>();
  for (const { key, tag, count } of tags) byKey.set(key, { tag: byKey.get(key)?.tag ?? tag, count });
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The spelling of the first note by path. */
function firstSpelling(rows: Rows, key: string, { sql, values }: Conditions): string {
  const first = `SELECT tag_names.tag ${FROM_FILES} WHERE key = ? AND ${sql} ORDER BY path LIMIT 1`;
  return rows.value<string>(first, key, ...values) ?? '';
}

/** Adds every tag with nested tags, by key, in the spelling of its first nested tag. */
function addParents(tags: readonly TagRow[], begin: string, parents: Map<string, string>): void {
  for (const { tag } of tags.toSorted((one, other) => (one.key < other.key ? -1 : 1))) {
    for (let at = tag.lastIndexOf('/'); at > 0; at = tag.lastIndexOf('/', at - 1)) {
      const parent = tag.slice(0, at);
      const key = foldName(parent);
      if (key.startsWith(begin) && !parents.has(key)) parents.set(key, parent);
    }
  }
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
