// Writes the tasks of a note and takes them out again. Knows no question about them.
import type { ParsedNote } from '../../../base/note.ts';
import type { Rows } from '../database/rows.ts';
import { packTasks } from './packed-tasks.ts';

export function forgetTasks(rows: Rows, file: number): void {
  rows.run('DELETE FROM tasks WHERE file = ?', file);
}

/** A row only where there are any. */
export function writeTasks(rows: Rows, file: number, { tasks }: ParsedNote): void {
  if (tasks.length > 0) rows.run('INSERT INTO tasks (file, tasks) VALUES (?, ?)', file, packTasks(tasks));
}
