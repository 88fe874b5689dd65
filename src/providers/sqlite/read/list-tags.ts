// Lists tags with the number of their notes; a parent tag includes the tags nested below it.
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import type { Rows } from '../database/rows.ts';
import { hasFilter, noteConditions } from './note-conditions.ts';

export interface TagCount {
  readonly tag: string;
  readonly count: number;
}

interface TagRow extends TagCount {
  readonly key: string;
}

/** The last Unicode character: the end of the range of texts that begin with a prefix. */
const LAST = '\u{10ffff}';
const FROM_TAGS =
  'FROM tag_names CROSS JOIN tags ON tags.tag = tag_names.id CROSS JOIN files ON files.id = tags.file WHERE';

/** In the spelling of the first note by path, ascending without regard to case. Includes parent tags that no note has itself. */
export function listTags(rows: Rows, prefix: string | undefined, filter: NoteFilter): TagCount[] {
  const { sql, values } = hasFilter(filter) ? noteConditions(filter) : { sql: 'TRUE', values: [] };
  const begin = foldName(prefix ?? '#');
  const used = rows.all<TagRow>(
    `SELECT tag_names.tag AS tag, count(*) AS count, key, min(path) AS first ${FROM_TAGS} key >= ? AND key < ? AND ${sql} GROUP BY key`,
    begin,
    begin + LAST,
    ...values,
  );
  const byKey = new Map(used.map(({ key, tag, count }) => [key, { tag, count }]));
  for (const [key, tag] of parentsOf(used)) {
    if (!key.startsWith(begin)) continue;
    const below = [`${key}/`, `${key}/${LAST}`];
    const counted = `SELECT count(DISTINCT tags.file) ${FROM_TAGS} (key = ? OR key >= ? AND key < ?) AND ${sql}`;
    const count = rows.value<number>(counted, key, ...below, ...values) ?? 0;
    byKey.set(key, { tag: byKey.get(key)?.tag ?? tag, count });
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
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
