// Finds the files that a query names.
import { type NotePath, noteName } from '../../../base/note.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import type { Rows } from '../database/rows.ts';

/** By the id of a file: 1 if an alias or a title is the name, 2 if its file name is, 3 if that is written in the same way. */
export type NamedFiles = ReadonlyMap<number, number>;

export const BEST_NAME = 3;

/** Names are compared without regard to case. */
export function filesWithName(rows: Rows, name: string | undefined): NamedFiles {
  const named = new Map<number, number>();
  if (name === undefined) return named;
  const key = foldName(name);
  const normalized = name.normalize('NFC');
  for (const file of rows.column<number>('SELECT file FROM names WHERE key = ?', key)) named.set(file, 1);
  const sql = 'SELECT id, path FROM files WHERE name_key IN (?, ?)';
  for (const { id, path } of rows.all<{ id: number; path: NotePath }>(sql, key, `${key}.md`)) {
    named.set(id, noteName(path) === normalized ? BEST_NAME : 2);
  }
  return named;
}
