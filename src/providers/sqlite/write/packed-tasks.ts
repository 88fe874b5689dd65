// Writes the tasks of a note as one short text and reads them back.
import type { Task } from '../../../base/note.ts';

/** What is kept of a task: its text stands in the note. */
export type KeptTask = Omit<Task, 'text'>;

/** A line each: `12`, `13:x`, `14: :2026-11-20`. Most are open and have no day. */
export function packTasks(tasks: readonly KeptTask[]): string {
  return tasks.map(packTask).join('\n');
}

function packTask({ line, mark, due }: KeptTask): string {
  if (due !== undefined) return `${line}:${mark}:${due}`;
  return mark === ' ' ? String(line) : `${line}:${mark}`;
}

const PACKED = /^(\d+)(?::(.)(?::(.+))?)?$/su;

export function unpackTasks(packed: string): KeptTask[] {
  return packed.split('\n').map((task) => {
    const [, line = '0', mark = ' ', due] = PACKED.exec(task) ?? [];
    return { line: Number(line), mark, ...(due === undefined ? {} : { due }) };
  });
}
