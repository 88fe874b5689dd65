// Sets the status of a task: the mark in its checkbox, and the day it was done if the vault records it.
import type { Task } from '../../base/note.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import { checkboxAt, taskFields, taskStatus } from '../parse/task.ts';
import { missingText } from './exact-text.ts';
import type { Splice } from './splice.ts';
import { ambiguousTarget, editRefusal, locateTarget, type TargetName } from './target.ts';
import { type EditView, lineAt } from './view.ts';

export interface TaskEdit {
  /** The text of the task or a part of it, or `#^block`; the task on `line` if it is absent. */
  readonly target?: string | undefined;
  readonly line?: number | undefined;
  readonly status?: string | undefined;
  /** Completes a recurring task without creating its next occurrence. */
  readonly recurring?: 'tick_only' | undefined;
}

/** The days that the vault records in its tasks, as the Tasks plugin writes them. */
export interface TaskDates {
  /** Such as `2026-11-20`. */
  readonly day: string;
  readonly format: 'emoji' | 'dataview';
  readonly done: boolean;
  readonly cancelled: boolean;
  /** Only tasks with this text get dates; empty for all. */
  readonly filter: string;
}

const MARKS: Readonly<Record<string, string>> = { open: ' ', done: 'x', cancelled: '-' };
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

/**
 * Empty if the task has the status already.
 * @param at the path of the edit in the arguments
 * @throws INVALID_INPUT, EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS
 */
export function setTask(view: EditView, edit: TaskEdit, at: string, dates: TaskDates | undefined): Splice[] {
  const mark = markOf(edit.status, at);
  const task = taskAt(view, edit, at);
  const [before, after] = [taskStatus(task.mark), taskStatus(mark)];
  if (task.mark === mark || (before === after && after !== 'open')) return [];
  if (after === 'done') refuseRecurring(task, edit, at);
  const { markFrom, textFrom } = placesOf(view, task);
  const box = { from: markFrom, to: markFrom + task.mark.length, text: mark };
  return [box, ...removedDays(task, textFrom, before), ...addedDay(task, textFrom, after, dates)];
}

function markOf(status: string | undefined, at: string): string {
  const mark = Object.hasOwn(MARKS, status ?? '') ? MARKS[status ?? ''] : status;
  const isMark =
    mark !== undefined && !/\p{Cc}/u.test(mark) && checkboxAt(`[${mark}] x`, 0, mark.length + 4)?.mark === mark;
  if (isMark) return mark;
  throw editRefusal('edit_note', `${at}.status`, 'set_task needs open, done, cancelled or one character such as `/`');
}

function refuseRecurring({ text }: Task, { recurring }: TaskEdit, at: string): void {
  const { recurrence } = taskFields(text) as { recurrence?: string };
  if (recurrence === undefined || recurring !== undefined) return;
  const rule = `the task recurs (${recurrence}): its next occurrence would be missing, which only the Tasks plugin creates; pass recurring: tick_only to complete this occurrence without it, and add the next one yourself`;
  throw editRefusal('edit_note', `${at}.recurring`, rule);
}

function taskAt(view: EditView, { target, line }: TaskEdit, at: string): Task {
  const { tasks } = view.note;
  if (target === undefined) {
    if (line === undefined) throw editRefusal('edit_note', `${at}.target`, 'set_task needs a target or a line');
    const task = tasks.find((each) => each.line === line);
    if (task === undefined) throw editRefusal('edit_note', `${at}.line`, `line ${line} is not a task`);
    return task;
  }
  const name = { target, line, at };
  return /^#?\^/.test(target.trim()) ? taskOfBlock(view, name) : taskWithText(view, name);
}

function taskOfBlock(view: EditView, name: TargetName): Task {
  const block = locateTarget(view, name);
  const task = view.note.tasks.find(({ line }) => line === block.first + 1);
  if (task === undefined) throw editRefusal('edit_note', `${name.at}.target`, `${name.target} is not a task`);
  return task;
}

const BULLET_AND_BOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.{1,2}\][ \t]+/u;

/** The task with exactly this text, else the one that contains it. */
function taskWithText(view: EditView, name: TargetName): Task {
  const wanted = name.target.replace(BULLET_AND_BOX, '').trim();
  const same = view.note.tasks.filter(({ text }) => text === wanted);
  const found = same.length > 0 || wanted === '' ? same : view.note.tasks.filter(({ text }) => text.includes(wanted));
  const [task, ...others] = name.line === undefined ? found : found.filter(({ line }) => line === name.line);
  if (task === undefined) throw missingText(view, name.target, 'task');
  if (others.length === 0) return task;
  const lines = [task, ...others].map(({ line }) => line);
  throw ambiguousTarget(view, name, lines);
}

/** The offsets of the mark and of the text; the text is the last thing on its line. */
function placesOf(view: EditView, { line, text, mark }: Task) {
  const written = lineAt(view, line - 1);
  const textAt = written.lastIndexOf(text);
  const markAt = written.lastIndexOf(`[${mark}]`, textAt - 1) + 1;
  const start = view.lines.starts[line - 1] ?? 0;
  return { markFrom: start + markAt, textFrom: start + textAt };
}

function removedDays({ text }: Task, textFrom: number, before: string): Splice[] {
  if (before === 'open') return [];
  const { pattern } = WRITTEN[before === 'done' ? 'done' : 'cancelled'];
  return [...text.matchAll(pattern)].map(({ index, 0: written }) => {
    return { from: textFrom + index, to: textFrom + index + written.length, text: '' };
  });
}

/** At the end of the text, before a block id. */
function addedDay({ text }: Task, textFrom: number, after: string, dates: TaskDates | undefined): Splice[] {
  if (dates === undefined || after === 'open' || !text.includes(dates.filter)) return [];
  const kind = after === 'done' ? 'done' : 'cancelled';
  if (!dates[kind] || taskFields(text)[kind] !== undefined) return [];
  const { emoji, dataview } = WRITTEN[kind];
  const day = dates.format === 'emoji' ? ` ${emoji} ${dates.day}` : `  [${dataview}:: ${dates.day}]`;
  const id = blockIdAt(text, 0, text.length);
  const end = id === undefined ? text.length : text.slice(0, text.length - id.id.length - 1).trimEnd().length;
  return [{ from: textFrom + end, to: textFrom + end, text: day }];
}
