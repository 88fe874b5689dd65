// Counts notes by tag. Knows nothing of how tags nest beyond their spelling.
import type { NoteFilter } from '../../contracts/store.ts';
import { foldName } from '../../markdown/fold.ts';
import { filters, noteConditions } from './note-conditions.ts';
import type { Rows } from './rows.ts';

export interface TagCount {
  readonly tag: string;
  readonly count: number;
}

/** The last character of all, to end a range of texts with one beginning. */
const LAST = '\u{10ffff}';

/** Spelled as in the first note by path; ascending without regard to case. */
export function listTags(rows: Rows, prefix: string | undefined, filter: NoteFilter): TagCount[] {
  const key = foldName(prefix ?? '#');
  const { sql, values } = filters(filter) ? noteConditions(filter) : { sql: 'TRUE', values: [] };
  return rows
    .all<TagCount & { first: string }>(
      `SELECT tag_names.tag AS tag, count(*) AS count, min(path) AS first
       FROM tag_names CROSS JOIN tags ON tags.tag = tag_names.id CROSS JOIN files ON files.id = tags.file
       WHERE key >= ? AND key < ? AND ${sql} GROUP BY key ORDER BY key`,
      key,
      key + LAST,
      ...values,
    )
    .map(({ tag, count }) => ({ tag, count }));
}
