// Lists the tasks that pass a filter, ordered by due date.
import type { Heading, NotePath, Tag } from '../../../base/note.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { DaySpan, FoundTask, FoundTasks, Store, TaskFilter } from '../../../contracts/store.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { foldHeading, headingsAbove } from '../../../markdown/links/section.ts';
import { isOpenTask } from '../../../markdown/parse/task.ts';
import { createRevisionCache, memoize } from '../database/cache.ts';
import { DamagedRow } from '../database/checksum.ts';
import { FILES_PER_SLICE, readAndFinish, type Slice, type Source } from '../database/read-in-slices.ts';
import { checkPage, type Rows } from '../database/rows.ts';
import { NO_TAGS, type StoredTask, unpackHeadings, unpackTags, unpackTasks } from '../write/packed-note.ts';
import { noteConditions } from './note-conditions.ts';
import { type ContentRow, contentOf, fileById, storedTasks } from './note-rows.ts';

interface NoteOfTasks {
  readonly file: number;
  readonly tasks: readonly StoredTask[];
}

type Test = (task: StoredTask) => boolean;
/** Makes the test of one note's tasks; undefined if the filter does not need it. */
type TestOf = ((note: NoteOfTasks) => Test) | undefined;
type ContentOfNote = (file: number) => ContentRow | undefined;

/** Four megabytes. A longer list is made again for each page. */
const MAX_KEPT_TASKS = 500_000;

/** The earliest due date first, tasks without one last; then by path and line. Keeps the last list for its other pages. */
export function createTaskLists({ rows, read }: Source): Store['listTasks'] {
  const op = 'listTasks';
  const lists = createRevisionCache<string, KeptList>(rows, Number.POSITIVE_INFINITY);
  return async (filter, page, signal) => {
    checkPage(page);
    const key = JSON.stringify(filter);
    const cached = await read(op, signal, () => {
      const list = lists().get(key);
      return list && foundTasks(rows, keptPage(rows, list, page), list.files.length);
    });
    if (cached !== undefined) return cached;
    const after = (path: NotePath | undefined) => tasksAfter(rows, filter, path);
    return readAndFinish({ rows, read, op, signal }, after, (items, isOfOneRevision) => {
      const present = isOfOneRevision ? items : withoutRemoved(rows, items);
      const tasks = byDay(present);
      const last = lists();
      last.clear();
      if (isOfOneRevision && tasks.length <= MAX_KEPT_TASKS) last.set(key, keptList(tasks));
      return foundTasks(rows, tasks.slice(page.offset, page.offset + page.limit), tasks.length);
    });
  };
}

/** Those of a day stay in their order; to sort a hundred thousand takes several times as long. */
function byDay(tasks: readonly PassingTask[]): PassingTask[] {
  const days = [...Map.groupBy(tasks, ({ task }) => task.due)];
  return days.sort(([one], [other]) => compareDays(one, other)).flatMap(([, ofDay]) => ofDay);
}

/** A task with the id of its file. */
interface PassingTask {
  readonly file: number;
  readonly task: StoredTask;
}

/** Tasks in their order, by the ids of their files and their lines. */
interface KeptList {
  readonly files: Int32Array;
  readonly lines: Int32Array;
}

function keptList(tasks: readonly PassingTask[]): KeptList {
  return { files: Int32Array.from(tasks, ({ file }) => file), lines: Int32Array.from(tasks, ({ task }) => task.line) };
}

/** In the revision of the list. */
function keptPage(rows: Rows, { files, lines }: KeptList, { limit, offset }: Page): PassingTask[] {
  const tasksOf = memoize((file: number) => storedTasks(rows, file));
  return Array.from(files.subarray(offset, offset + limit), (file, at) => {
    const task = tasksOf(file).find(({ line }) => line === lines[offset + at]);
    if (task === undefined) throw new DamagedRow('a task is missing in its file');
    return { file, task };
  });
}

/** The tasks of the next notes after a path that pass the filter, ascending by path and line. */
function tasksAfter(rows: Rows, filter: TaskFilter, after: NotePath | undefined): Slice<PassingTask, NotePath> {
  const contentOfNote = memoize((file: number) => contentOf(rows, fileById(rows, file)));
  const tests = [sectionTest(filter, contentOfNote), tagTest(filter, contentOfNote)];
  const notes = notesWithTasks(rows, filter, after);
  const tasks = notes.flatMap((note) => {
    const passes = [stateTest(filter), ...tests.flatMap((testOf) => testOf?.(note) ?? [])];
    const kept = note.tasks.filter((task) => passes.every((test) => test(task)));
    return kept.map((task) => ({ file: note.file, task }));
  });
  const last = notes.length < FILES_PER_SLICE ? undefined : notes.at(-1);
  return { items: tasks, next: last === undefined ? undefined : fileById(rows, last.file).path };
}

/** Without those of files that were removed after their slice. */
function withoutRemoved(rows: Rows, tasks: readonly PassingTask[]): PassingTask[] {
  const isKnown = memoize((file: number) => rows.value<number>('SELECT 1 FROM files WHERE id = ?', file) === 1);
  return tasks.filter(({ file }) => isKnown(file));
}

function foundTasks(rows: Rows, page: readonly PassingTask[], total: number): FoundTasks {
  const fileOf = memoize((id: number) => fileById(rows, id));
  const headingsOf = memoize((id: number) => unpackHeadings(contentOf(rows, fileOf(id))?.headings ?? '[]'));
  const tasks = page.map(({ file, task }) => foundTask(fileOf(file).path, task, headingsOf(file)));
  return { tasks, total };
}

/** Ascending by path. The tags of a task are also tags of its note, so filtering the notes by tag loses no task. */
function notesWithTasks(rows: Rows, filter: TaskFilter, after: NotePath | undefined): NoteOfTasks[] {
  const { sql, values } = noteConditions(filter);
  const packed = rows.checked<{ file: number; tasks: string }>(
    `SELECT tasks.* FROM files CROSS JOIN tasks ON tasks.file = files.id WHERE ${sql} AND path > ? ORDER BY path LIMIT ?`,
    ...values,
    after ?? '',
    FILES_PER_SLICE,
  );
  return packed.map(({ file, tasks }) => ({ file, tasks: unpackTasks(tasks) }));
}

function stateTest({ status, marks, days: { due, scheduled, start } = {} }: TaskFilter): Test {
  return (task) => {
    if (status !== 'any' && isOpenTask(task.mark, marks) !== (status === 'open')) return false;
    return isWithin(task.due, due) && isWithin(task.scheduled, scheduled) && isWithin(task.start, start);
  };
}

function isWithin(day: string | undefined, span: DaySpan | undefined): boolean {
  if (span === undefined) return true;
  return day !== undefined && day >= (span.from ?? '') && (span.before === undefined || day < span.before);
}

function sectionTest({ heading }: TaskFilter, contentOfNote: ContentOfNote): TestOf {
  if (heading === undefined) return undefined;
  const folded = foldHeading(heading);
  return (note) => {
    const headings = unpackHeadings(contentOfNote(note.file)?.headings ?? '[]');
    return ({ line }) => headingsAbove(headings, line).some(({ text }) => foldHeading(text) === folded);
  };
}

function tagTest({ tags = [], tagMode }: TaskFilter, contentOfNote: ContentOfNote): TestOf {
  if (tags.length === 0) return undefined;
  const folded = tags.map(foldName);
  return (note) => {
    const keysOf = taskTags(note, unpackTags(contentOfNote(note.file)?.tag_places ?? NO_TAGS));
    return ({ line }) => {
      const keys = keysOf(line);
      const has = (tag: string): boolean => keys.some((key) => key === tag || key.startsWith(`${tag}/`));
      return tagMode === 'all' ? folded.every(has) : folded.some(has);
    };
  };
}

/** The tags on the task's line, and the tags of the note that are not on the line of any task. */
function taskTags({ tasks }: NoteOfTasks, tags: readonly Tag[]): (line: number) => string[] {
  const taskLines = new Set(tasks.map(({ line }) => line));
  const shared = tags.filter(({ from, line }) => from === 'properties' || !taskLines.has(line));
  return (line) => {
    const lineTags = tags.filter((tag) => tag.from === 'body' && tag.line === line);
    return [...shared, ...lineTags].map(({ tag }) => foldName(tag));
  };
}

function foundTask(path: NotePath, task: StoredTask, headings: readonly Heading[]): FoundTask {
  const heading = headings.findLast(({ line }) => line < task.line)?.text;
  return { path, ...task, ...(heading === undefined ? {} : { heading }) };
}

/** The sort is stable, so equal dates stay in the order of path and line. */
function compareDays(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  return one < other ? -1 : 1;
}
