// Queries about tasks in notes, and their results.
import type { NotePath, Task } from '../base/note.ts';
import type { NoteFilter } from './note-filter.ts';

/** A task must match all given parts. `tags` match those on the task's line, and those of the note outside any task line. */
export interface TaskFilter extends NoteFilter {
  /** `done` includes cancelled tasks. */
  readonly status: 'open' | 'done' | 'any';
  /** Days such as `2026-11-20`, both exclusive; a task without a due date matches neither. */
  readonly dueBefore?: string;
  readonly dueAfter?: string;
  /** Heading of a section around the task, at any depth; compared as in links to headings. */
  readonly heading?: string;
}

/** The text of the task is read from the note. */
export interface FoundTask extends Omit<Task, 'text'> {
  readonly path: NotePath;
  /** The nearest heading above it. */
  readonly heading?: string;
}

export interface FoundTasks {
  readonly tasks: readonly FoundTask[];
  readonly total: number;
}
