// Records which notes were added, removed or renamed, for readers that keep a list of all names.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { IndexedNote } from '../../../contracts/change-set.ts';
import { noteTitle } from '../../../markdown/frontmatter/note-title.ts';
import type { Rows } from '../database/rows.ts';

/** Readers that are further behind read all names. */
const MAX_CHANGES = 100;
/** Reading all names takes less time than looking up more notes than these one by one. */
const MAX_PATHS = 1_000;

export interface KnownFile {
  readonly id: number;
  readonly hash: string | null;
  readonly title: string | null;
}

/** Whether the note has another title or other aliases in the index, before it is written. */
export function isRenamed(rows: Rows, { id, hash, title }: KnownFile, { path, parsed }: IndexedNote): boolean {
  const sql = `SELECT name FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const aliases = hash === null ? [] : rows.column<string>(sql, id);
  const before = [title ?? noteName(path), ...aliases];
  const after = [noteTitle(path, parsed.properties), ...parsed.aliases];
  return before.length !== after.length || before.some((name, at) => name !== after[at]);
}

export function recordNames(rows: Rows, changed: ReadonlySet<NotePath>): void {
  if (changed.size === 0) return;
  const paths = changed.size > MAX_PATHS ? null : JSON.stringify([...changed]);
  const last = rows.run('INSERT INTO name_changes (paths) VALUES (?)', paths);
  rows.run('DELETE FROM name_changes WHERE id <= ?', last - MAX_CHANGES);
}

export function recordAllNames(rows: Rows): void {
  rows.run('INSERT INTO name_changes (paths) VALUES (NULL)');
}
