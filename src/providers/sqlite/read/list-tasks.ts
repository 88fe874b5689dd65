// Lists the tasks that pass a filter, ordered by due date.
import type { Heading, NotePath, Tag } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { FoundTask, FoundTasks, TaskFilter } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { foldHeading, sectionsAbove } from '../../../markdown/links/section.ts';
import { taskStatus } from '../../../markdown/parse/task.ts';
import { memoize } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { NO_TAGS, type StoredTask, unpackHeadings, unpackTags, unpackTasks } from '../write/packed-note.ts';
import { noteConditions } from './note-conditions.ts';

interface NoteRow {
  readonly file: number;
  readonly path: NotePath;
  readonly packed: string;
  /** Read only if the filter needs them. */
  readonly headings?: string;
  readonly tagPlaces?: string;
}

interface NoteOfTasks extends NoteRow {
  readonly tasks: readonly StoredTask[];
}

type Test = (task: StoredTask) => boolean;
/** Makes the test of one note's tasks; undefined if the filter does not need it. */
type TestOf = ((note: NoteOfTasks) => Test) | undefined;

/** The earliest due date first, tasks without one last; then by path and line. */
export function listTasks(rows: Rows, filter: TaskFilter, { limit, offset }: Page): FoundTasks {
  const tests = [sectionTest(filter), tagTest(filter)];
  const found = notesWithTasks(rows, filter).flatMap((note) => {
    const passes = [stateTest(filter), ...tests.flatMap((testOf) => testOf?.(note) ?? [])];
    const kept = note.tasks.filter((task) => passes.every((test) => test(task)));
    return kept.map((task) => ({ note, task }));
  });
  const ordered = found.sort((one, other) => compareDays(one.task.due, other.task.due));
  const headingsOf = memoize((file: number) => headingsIn(rows, file));
  const page = ordered.slice(offset, offset + limit);
  return { tasks: page.map(({ note, task }) => foundTask(note, task, headingsOf(note.file))), total: found.length };
}

/** Ascending by path. The tags of a task are also tags of its note, so filtering the notes by tag loses no task. */
function notesWithTasks(rows: Rows, filter: TaskFilter): NoteOfTasks[] {
  const { sql, values } = noteConditions(filter);
  const outlined = filter.heading !== undefined || (filter.tags ?? []).length > 0;
  const columns = outlined ? ', headings, tag_places AS tagPlaces' : '';
  const joined = outlined ? 'JOIN contents ON contents.file = tasks.file' : '';
  const found = rows.all<NoteRow>(
    `SELECT tasks.file, path, tasks AS packed${columns} FROM tasks CROSS JOIN files ON files.id = tasks.file ${joined}
     WHERE ${sql} ORDER BY path`,
    ...values,
  );
  return found.map((note) => ({ ...note, tasks: unpackTasks(note.packed) }));
}

function stateTest({ status, dueBefore, dueAfter }: TaskFilter): Test {
  return ({ mark, due }) => {
    if (status !== 'any' && (taskStatus(mark) === 'open') !== (status === 'open')) return false;
    if (dueBefore !== undefined && !(due !== undefined && due < dueBefore)) return false;
    return dueAfter === undefined || (due !== undefined && due > dueAfter);
  };
}

function sectionTest({ heading }: TaskFilter): TestOf {
  if (heading === undefined) return undefined;
  const wanted = foldHeading(heading);
  return (note) => {
    const headings = unpackHeadings(note.headings ?? '[]');
    return ({ line }) => sectionsAbove(headings, line).includes(wanted);
  };
}

function tagTest({ tags = [], tagMode }: TaskFilter): TestOf {
  if (tags.length === 0) return undefined;
  const wanted = tags.map(foldName);
  return (note) => {
    const keysOf = taskTags(note, unpackTags(note.tagPlaces ?? NO_TAGS));
    return ({ line }) => {
      const keys = keysOf(line);
      const has = (tag: string): boolean => keys.some((key) => key === tag || key.startsWith(`${tag}/`));
      return tagMode === 'all' ? wanted.every(has) : wanted.some(has);
    };
  };
}

/** The tags on the task's line, and the tags of the note that are not on the line of any task. */
function taskTags({ tasks }: NoteOfTasks, tags: readonly Tag[]): (line: number) => string[] {
  const taskLines = new Set(tasks.map(({ line }) => line));
  const shared = tags.filter(({ from, line }) => from === 'properties' || !taskLines.has(line));
  return (line) => {
    const own = tags.filter((tag) => tag.from === 'body' && tag.line === line);
    return [...shared, ...own].map(({ tag }) => foldName(tag));
  };
}

function headingsIn(rows: Rows, file: number): Heading[] {
  return unpackHeadings(rows.value<string>('SELECT headings FROM contents WHERE file = ?', file) ?? '[]');
}

function foundTask({ path }: NoteOfTasks, task: StoredTask, headings: readonly Heading[]): FoundTask {
  const heading = headings.findLast(({ line }) => line < task.line)?.text;
  return { path, ...task, ...(heading === undefined ? {} : { heading }) };
}

/** The sort is stable, so equal dates stay in the order of path and line. */
function compareDays(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  return one < other ? -1 : 1;
}
