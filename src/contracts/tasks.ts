// What can be asked about the tasks in notes, and what is told of each.
import type { NotePath, Task } from '../base/note.ts';
import type { NoteFilter } from './note-filter.ts';

/** All given parts must hold. `tags` are a task's own, on its line, and those of its note that stand on no task's line. */
export interface TaskFilter extends NoteFilter {
  /** `done` is done or cancelled. */
  readonly status: 'open' | 'done' | 'any';
  /** Days as `2026-11-20`, both exclusive; a task without such a day is neither. */
  readonly dueBefore?: string;
  readonly dueAfter?: string;
  /** Of the section that the task stands in, at any depth; compared as links to headings are. */
  readonly heading?: string;
}

/** Its text stands in the note. */
export interface FoundTask extends Omit<Task, 'text'> {
  readonly path: NotePath;
  /** The nearest heading above it. */
  readonly heading?: string;
}

export interface FoundTasks {
  readonly tasks: readonly FoundTask[];
  readonly total: number;
}
