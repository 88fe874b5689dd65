// Sets the status of a task, with the day it was done if the vault records it, and its dates and priority.
import type { MarkType, MarkTypes, Task } from '../../base/note.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import {
  checkboxAt,
  dayPlaces,
  type FieldPlace,
  type Priority,
  priorityPlaces,
  taskFields,
  taskStatus,
  taskType,
} from '../parse/task.ts';
import { type EditedNote, isBoard, lineAt } from './edited-note.ts';
import { missingText } from './exact-text.ts';
import type { Splice } from './splice.ts';
import { ambiguousTarget, editRefusal, locateTarget, type TargetName } from './target.ts';

export interface TaskEdit {
  /** The text of the task or a part of it, or `#^block`; the task on `line` if it is absent. */
  readonly target?: string | undefined;
  readonly line?: number | undefined;
  readonly status?: string | undefined;
  /** A day such as `2026-11-20`, or `none`. */
  readonly due?: string | undefined;
  readonly scheduled?: string | undefined;
  readonly start?: string | undefined;
  readonly priority?: Priority | 'none' | undefined;
  /** Completes a recurring task without creating its next occurrence. */
  readonly recurring?: 'tick_only' | undefined;
}

/** What is added to a task that is done or cancelled. */
export interface TaskDates {
  /** Such as `2026-11-20`. */
  readonly day: string;
  /** The setting of the Tasks plugin; without it a task gets the day where most other tasks of the note have it. */
  readonly plugin?: {
    readonly format: Format;
    readonly done: boolean;
    readonly cancelled: boolean;
    /** Only tasks with this text get dates; empty for all. */
    readonly filter: string;
    readonly marks?: MarkTypes;
  };
}

type Format = 'emoji' | 'dataview';

interface Writing {
  readonly format: Format;
  /** Whether the note is a board of the Kanban plugin, which knows only its own form of a due date. */
  readonly isBoard: boolean;
}

const MARKS: Readonly<Record<string, string>> = { open: ' ', done: 'x', cancelled: '-', in_progress: '/' };
const WRITTEN = {
  done: { emoji: '✅', dataview: 'completion', pattern: dayPattern('✅', 'completion') },
  cancelled: { emoji: '❌', dataview: 'cancelled', pattern: dayPattern('❌', 'cancelled') },
} as const;

/** A day with the blanks before it. */
function dayPattern(emoji: string, field: string): RegExp {
  const day = String.raw`[ \t]*\d{4}-\d{2}-\d{2}(?!\d)`;
  return new RegExp(
    String.raw`[ \t]*(?:${emoji}\uFE0F?${day}|\[${field}[ \t]*::${day}[ \t]*\]|\(${field}[ \t]*::${day}[ \t]*\))`,
    'giu',
  );
}

const SIGNS = {
  start: { emoji: '🛫', dataview: 'start' },
  scheduled: { emoji: '⏳', dataview: 'scheduled' },
  due: { emoji: '📅', dataview: 'due' },
} as const;
const PRIORITY_SIGNS: Readonly<Record<Priority, string>> = {
  highest: '🔺',
  high: '⏫',
  medium: '🔼',
  low: '🔽',
  lowest: '⏬',
};
const DATES = ['start', 'scheduled', 'due'] as const;

const OF_LOGSEQ = 'is a task of Logseq or Roam, which is read and not changed; replace its word with `replace_text`';

/** Replacements within the text of a task, and what is added at its end. */
interface TaskChange {
  readonly splices: readonly Splice[];
  readonly added: string;
}

const NO_CHANGE: TaskChange = { splices: [], added: '' };

/**
 * Empty if the task is like that already.
 * @param at the path of the edit in the arguments
 * @throws INVALID_INPUT, EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS
 */
export function setTask(edited: EditedNote, edit: TaskEdit, at: string, dates: TaskDates | undefined): Splice[] {
  const changesField = DATES.some((name) => edit[name] !== undefined) || edit.priority !== undefined;
  const { marks } = dates?.plugin ?? {};
  if (edit.status !== undefined || !changesField) refuseNoMark(edit.status, at, marks);
  const task = taskAt(edited, edit, at);
  const mark = edit.status === undefined ? undefined : markOf(edit.status, task.mark, marks);
  const { markFrom, textFrom } = placesOf(edited, task);
  const own = edit.due !== undefined && isBoard(edited) ? ownDates(edited.text) : undefined;
  if (own !== undefined)
    throw editRefusal('edit_note', at, `cannot set due: this board writes dates as ${own}; use replace_text`);
  if (edited.text.charAt(markFrom - 1) !== '[') throw editRefusal('edit_note', at, OF_LOGSEQ);
  const format = dates?.plugin?.format ?? formatOf(edited, task);
  const fields = [
    priorityChange(task, edit, format),
    ...DATES.map((name) => dayChange(task, name, edit[name], { format, isBoard: isBoard(edited) })),
  ];
  const status = mark === undefined ? undefined : statusChange(edited, task, mark, edit, at, dates);
  const splices = [...fields, ...(status === undefined ? [] : [status])].flatMap((change) => change.splices);
  const added = fields.map((change) => change.added).join('') + (status?.added ?? '');
  const end = endOfText(task);
  const inText = [...splices, ...(added === '' ? [] : [{ from: end, to: end, text: added }])];
  return [
    ...(status === undefined ? [] : [{ from: markFrom, to: markFrom + task.mark.length, text: mark ?? '' }]),
    ...inText.map(({ from, to, text }) => ({ from: textFrom + from, to: textFrom + to, text })),
  ];
}

/** The form of dates in the settings of a board, if it is not that of the plugin. */
function ownDates(text: string): string | undefined {
  const settings = text.slice(text.lastIndexOf('%% kanban:settings'));
  const setting = (name: string, usual: string): string =>
    new RegExp(String.raw`"date-${name}"\s*:\s*"([^"\\]+)"`).exec(settings)?.[1] ?? usual;
  const form = `${setting('trigger', '@')}{${setting('format', USUAL_DAY)}}`;
  return form === `@{${USUAL_DAY}}` ? undefined : form;
}

const USUAL_DAY = 'YYYY-MM-DD';

/** Undefined if the task has the status already. */
function statusChange(
  edited: EditedNote,
  task: Task,
  mark: string,
  edit: TaskEdit,
  at: string,
  dates: TaskDates | undefined,
): TaskChange | undefined {
  const marks = dates?.plugin?.marks;
  const [before, after] = [taskStatus(task.mark, marks), taskStatus(mark, marks)];
  if (task.mark === mark) return undefined;
  const isSame = before === after && after !== 'open';
  // The day stays where both marks have one status.
  if (isSame) return edit.status === mark && marks !== undefined && Object.hasOwn(marks, mark) ? NO_CHANGE : undefined;
  if (after === 'done') refuseRecurring(task, edit, at);
  return { splices: removedDays(task, before), added: addedDay(edited, task, after, dates) };
}

/** How the task writes its fields, else how most tasks of the note do. */
function formatOf(edited: EditedNote, task: Task): Format {
  const countIn = (tasks: readonly Task[], pattern: RegExp): number =>
    tasks.filter(({ text }) => pattern.test(text)).length;
  for (const tasks of [[task], edited.note.tasks]) {
    const [emoji, dataview] = [
      countIn(tasks, /[📅📆🗓⏳⌛🛫✅❌➕🔺⏫🔼🔽⏬]/u),
      countIn(tasks, /[[(][a-z]+[ \t]*::/iu),
    ];
    if (emoji + dataview > 0) return dataview > emoji ? 'dataview' : 'emoji';
  }
  return 'emoji';
}

function dayChange(
  { text }: Task,
  name: (typeof DATES)[number],
  day: string | undefined,
  { format, isBoard }: Writing,
): TaskChange {
  if (day === undefined) return { splices: [], added: '' };
  const places = dayPlaces(text, name);
  if (day === 'none') return { splices: places.map((place) => removedField(text, place)), added: '' };
  const place = places.find(({ isRead }) => isRead) ?? places[0];
  if (place !== undefined) return { splices: [{ from: place.from, to: place.to, text: day }], added: '' };
  const { emoji, dataview } = SIGNS[name];
  if (name === 'due' && isBoard) return { splices: [], added: ` @{${day}}` };
  return { splices: [], added: format === 'emoji' ? ` ${emoji} ${day}` : `  [${dataview}:: ${day}]` };
}

function priorityChange({ text }: Task, { priority }: TaskEdit, format: Format): TaskChange {
  if (priority === undefined) return { splices: [], added: '' };
  const places = priorityPlaces(text);
  if (priority === 'none') return { splices: places.map((place) => removedField(text, place)), added: '' };
  const place = places.find(({ isRead }) => isRead);
  const shown = ({ sign }: FieldPlace): string => (sign === 'emoji' ? PRIORITY_SIGNS[priority] : priority);
  if (place !== undefined) return { splices: [{ from: place.from, to: place.to, text: shown(place) }], added: '' };
  return { splices: [], added: format === 'emoji' ? ` ${PRIORITY_SIGNS[priority]}` : `  [priority:: ${priority}]` };
}

/** What is before the value of a field, and after it. */
const AROUND: Readonly<Record<FieldPlace['sign'], readonly [before: RegExp, after: RegExp]>> = {
  emoji: [/[ \t]*(?:[📅📆🗓⏳⌛🛫]\uFE0F?)? *$/u, /^/],
  dataview: [/[ \t]*[[(]?[a-z]+[ \t]*::[ \t]*$/iu, /^[ \t]*[\])]/],
  // A time of that day goes with it.
  card: [/[ \t]*@(?:\{|\[\[)$/, /^(?:\}|\]\])(?:[ \t]*@@\{[^{}]*\})?/],
};

/** The whole field with the blanks before it. */
function removedField(text: string, { from, to, sign }: FieldPlace): Splice {
  const before = text.slice(0, from);
  const [head, tail] = AROUND[sign].map((pattern, at) => pattern.exec(at === 0 ? before : text.slice(to)));
  return { from: head?.index ?? from, to: to + (tail?.[0].length ?? 0), text: '' };
}

/** The mark that the plugin ticks this task with if it is done; for other types of the plugin, the first mark of the type. */
function markOf(status: string, before: string, marks: MarkTypes = {}): string {
  const { next } = Object.hasOwn(marks, before) ? (marks[before] as MarkType) : {};
  if (status === 'done' && next !== undefined && taskType(next, marks) === 'done' && isMark(next)) return next;
  if (!PLUGIN_TYPES.includes(status)) return MARKS[status] ?? status;
  return Object.keys(marks).find((mark) => marks[mark]?.type === status && isMark(mark)) ?? MARKS[status] ?? status;
}

const PLUGIN_TYPES: readonly string[] = ['in_progress', 'on_hold', 'non_task'];

function isMark(mark: string): boolean {
  return !/\p{Cc}/u.test(mark) && checkboxAt(`[${mark}] x`, 0, mark.length + 4)?.mark === mark;
}

function refuseNoMark(status: string | undefined, at: string, marks: MarkTypes | undefined): void {
  if (status !== undefined && isMark(markOf(status, ' ', marks))) return;
  throw editRefusal(
    'edit_note',
    `${at}.status`,
    'set_task needs open, done, cancelled, in_progress, a type of the Tasks plugin that has a mark, or one character such as `/`, or due, scheduled, start or priority',
  );
}

function refuseRecurring({ text }: Task, { recurring }: TaskEdit, at: string): void {
  const { recurrence } = taskFields(text) as { recurrence?: string };
  if (recurrence === undefined || recurring !== undefined) return;
  const rule = `the task recurs (${recurrence}): its next occurrence would be missing, which only the Tasks plugin creates; pass recurring: tick_only to complete this occurrence without it, and add the next one yourself`;
  throw editRefusal('edit_note', `${at}.recurring`, rule);
}

function taskAt(edited: EditedNote, { target, line }: TaskEdit, at: string): Task {
  const { tasks } = edited.note;
  if (target === undefined) {
    if (line === undefined) throw editRefusal('edit_note', `${at}.target`, 'set_task needs a target or a line');
    const task = tasks.find((each) => each.line === line);
    if (task === undefined) throw editRefusal('edit_note', `${at}.line`, `line ${line} is not a task`);
    return task;
  }
  const name = { target, line, at };
  return /^#?\^/.test(target.trim()) ? taskOfBlock(edited, name) : taskWithText(edited, name);
}

function taskOfBlock(edited: EditedNote, name: TargetName): Task {
  const block = locateTarget(edited, name);
  const task = edited.note.tasks.find(({ line }) => line === block.first + 1);
  if (task === undefined) throw editRefusal('edit_note', `${name.at}.target`, `${name.target} is not a task`);
  return task;
}

const BULLET_AND_BOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.{1,2}\][ \t]+/u;

/** The text of a task that is written with or without its checkbox. */
export function taskText(line: string): string {
  return line.replace(BULLET_AND_BOX, '').trim();
}

/** The task with exactly this text, else the one that contains it. */
function taskWithText(edited: EditedNote, name: TargetName): Task {
  const target = taskText(name.target);
  const same = edited.note.tasks.filter(({ text }) => text === target);
  const tasks = same.length > 0 || target === '' ? same : edited.note.tasks.filter(({ text }) => text.includes(target));
  const [task, ...others] = name.line === undefined ? tasks : tasks.filter(({ line }) => line === name.line);
  if (task === undefined) throw missingText(edited, name.target, 'task');
  if (others.length === 0) return task;
  const lines = [task, ...others].map(({ line }) => line);
  throw ambiguousTarget(edited, name, lines);
}

/** The offsets of the mark and of the text; the text is the last thing on its line. */
function placesOf(edited: EditedNote, { line, text, mark }: Task) {
  const taskLine = lineAt(edited, line - 1);
  const textAt = taskLine.lastIndexOf(text);
  const markAt = taskLine.lastIndexOf(`[${mark}]`, textAt - 1) + 1;
  const start = edited.lines.starts[line - 1] ?? 0;
  return { markFrom: start + markAt, textFrom: start + textAt };
}

function removedDays({ text }: Task, before: string): Splice[] {
  if (before === 'open') return [];
  const { pattern } = WRITTEN[before === 'done' ? 'done' : 'cancelled'];
  return [...text.matchAll(pattern)].map(({ index, 0: written }) => {
    return { from: index, to: index + written.length, text: '' };
  });
}

function addedDay(edited: EditedNote, task: Task, after: string, dates: TaskDates | undefined): string {
  if (dates === undefined || after === 'open') return '';
  const kind = after === 'done' ? 'done' : 'cancelled';
  const format = dates.plugin === undefined ? usualFormat(edited, task, kind) : dates.plugin.format;
  const isWanted = dates.plugin === undefined || (dates.plugin[kind] && task.text.includes(dates.plugin.filter));
  if (!isWanted || format === undefined || taskFields(task.text)[kind] !== undefined) return '';
  const { emoji, dataview } = WRITTEN[kind];
  return format === 'emoji' ? ` ${emoji} ${dates.day}` : `  [${dataview}:: ${dates.day}]`;
}

/** How the other tasks of that status in the note record the day; undefined if most of them do not. */
function usualFormat(edited: EditedNote, task: Task, kind: 'done' | 'cancelled'): Format | undefined {
  const others = edited.note.tasks.filter(({ line, mark }) => line !== task.line && taskStatus(mark) === kind);
  const places = others.flatMap(({ text }) => dayPlaces(text, kind).filter(({ isRead }) => isRead));
  if (places.length === 0 || places.length * 2 < others.length) return undefined;
  return places.filter(({ sign }) => sign === 'emoji').length * 2 >= places.length ? 'emoji' : 'dataview';
}

/** Before a block id. */
function endOfText({ text }: Task): number {
  const id = blockIdAt(text, 0, text.length);
  return id === undefined ? text.length : text.slice(0, text.length - id.id.length - 1).trimEnd().length;
}
