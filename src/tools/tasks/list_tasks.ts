// Tool: the checkbox tasks of all notes, sorted by due date.
import * as z from 'zod';
import { NearestNames } from '../../base/nearest.ts';
import type { MarkTypes } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { DaySpan, Store, TaskFilter } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { taskDependencies, taskFields, taskStatus, taskType } from '../../markdown/parse/task.ts';
import { briefFilterShape, periodView } from '../notes/filters.ts';
import { isFault } from '../notes/obsidian-settings.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { dayAfter, dayBefore, parseDate, parseDays } from '../notes/parse-date.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { markTypes, type ReadTask, readTasks, tasksPlugin, tasksWithText } from './task-texts.ts';

const input = z.strictObject({
  text: z.string().min(1).optional().describe('words that the task has'),
  status: z.enum(['open', 'done', 'any']).default('open').describe('done includes cancelled'),
  due: z.string().optional().describe('period: overdue, today, next 7 days, 2026-12'),
  scheduled: z.string().optional().describe('as due'),
  start: z.string().optional().describe('as due'),
  due_before: z.string().optional().describe('exclusive'),
  due_after: z.string().optional().describe('exclusive'),
  heading: z.string().min(1).optional().describe('only below this heading'),
  ...briefFilterShape,
  detail: z.enum(['brief', 'full']).default('brief').describe('full: all dates, priority, recurrence'),
  ...pageShape,
});
const paging = createPaging('list_tasks', input.shape);

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  summary:
    'Lists the checkbox tasks (- [ ]) of all notes, earliest due first. Returns path, line, text, status, due date and heading.',
  others: { edit_note: 'ticking one off (set_task)' },
  example: { due: 'this week', folder: 'Projects' },
  words: 'to-do, overdue, due today, deadline, agenda',
  effect: 'reads',
  across: ['tasks'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
  input,
  run: async (args, { store, vault }, call) => {
    const page = paging.pageOf(args);
    const notes = await vaultFilter(args, store, call);
    const { status, heading } = args;
    const days = daysOf(args);
    warnOfNoDay(days, call);
    const marks = await taskMarks(vault, call);
    const filter = { ...notes, days, status, ...(marks && { marks }), ...(heading === undefined ? {} : { heading }) };
    const { tasks, total, shown } = await tasksOn(page, args.text, filter, { store, vault }, call);
    await warnOfFilters(notes, store, call);
    if (total === 0) await warnOfEmptyHeading(filter, store, call);
    return {
      tasks: tasks.map(args.detail === 'brief' ? (task) => brief(task, marks, days) : (task) => full(task, marks)),
      total,
      ...periodView(notes, daysView(days)),
      ...paging.next(args, page, { shown, total }),
    };
  },
});

/** Settings are read again once they are this old. */
const MAX_SETTINGS_AGE_MS = 10_000;

/** What the Tasks plugin says of marks; undefined if it says nothing. */
export async function taskMarks(vault: Vault, call: CallContext): Promise<MarkTypes | undefined> {
  const settings = await tasksPlugin(vault, call.signal, MAX_SETTINGS_AGE_MS);
  if (settings === undefined) return undefined;
  if (!isFault(settings)) return markTypes(settings);
  call.warn({ code: 'EXTRA_MISSING', message: `the statuses of the Tasks plugin are not known: ${settings.fault}` });
  return undefined;
}

/** `shown` counts the tasks that are left out, too. */
async function tasksOn(
  page: Page,
  text: string | undefined,
  filter: TaskFilter,
  { store, vault }: { readonly store: Store; readonly vault: Vault },
  call: CallContext,
) {
  if (text !== undefined) {
    const tasks = await tasksWithText(text, filter, { store, vault }, call);
    const shown = tasks.slice(page.offset, page.offset + page.limit);
    return { tasks: shown, total: tasks.length, shown: shown.length };
  }
  const { tasks: indexedTasks, total } = await store.listTasks(filter, page, call.signal);
  return { tasks: await readTasks(indexedTasks, vault, call), total, shown: indexedTasks.length };
}

async function warnOfEmptyHeading({ heading }: TaskFilter, store: Store, call: CallContext): Promise<void> {
  if (heading === undefined) return;
  const { total } = await store.listTasks({ heading, status: 'any' }, { limit: 1, offset: 0 }, call.signal);
  if (total > 0) return;
  const similar = await similarHeadings(heading, store, call);
  const near = similar.length === 0 ? '' : `; similar: ${similar.map((each) => JSON.stringify(each)).join(', ')}`;
  const message = `no task is under a heading ${JSON.stringify(heading)}${near}`;
  call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
}

const MAX_SIMILAR = 3;
const TASKS_AT_ONCE = 500;
/** Whose headings are compared, so that a vault of any size takes a few milliseconds. */
const MAX_COMPARED = 5_000;
const MAX_LENGTH = 200;

/** Lists the headings right above tasks that are spelled like this one or contain it. */
async function similarHeadings(heading: string, store: Store, call: CallContext): Promise<readonly string[]> {
  const title = heading.replace(/^#+\s*/, '').slice(0, MAX_LENGTH);
  const near = new NearestNames();
  for (let offset = 0; offset < MAX_COMPARED; offset += TASKS_AT_ONCE) {
    const page = { limit: TASKS_AT_ONCE, offset };
    const { tasks } = await store.listTasks({ status: 'any' }, page, call.signal);
    for (const each of tasks) if (each.heading !== undefined) near.add(each.heading.slice(0, MAX_LENGTH));
    if (tasks.length < TASKS_AT_ONCE) break;
    await letOthersRun();
  }
  const containing = title.length < MAX_SIMILAR ? [] : near.containing(title.toLowerCase(), MAX_SIMILAR);
  const names = [...near.near(title, MAX_SIMILAR).map(({ name }) => name), ...containing];
  return [...new Set(names)].slice(0, MAX_SIMILAR);
}

/** `mark` only if it says more than the status, as an unusual blank does. The days are shown that the filter compares. */
function brief(task: ReadTask, marks: MarkTypes | undefined, days: Days = {}) {
  const { path, line, text, mark, due, scheduled, start, heading } = task;
  const status = taskType(mark, marks);
  const isPlain = mark.trim() === '' || (taskStatus(mark) !== 'open' && taskStatus(mark) === status);
  const compared = { ...(days.scheduled && { scheduled }), ...(days.start && { start }) };
  return { path, line, text, status, mark: isPlain ? undefined : mark, due, ...compared, heading };
}

const EVERY_DAY: Days = { scheduled: {}, start: {} };

function full(task: ReadTask, marks: MarkTypes | undefined) {
  return { ...brief(task, marks, EVERY_DAY), ...taskFields(task.text), ...taskDependencies(task.text) };
}

type Days = NonNullable<TaskFilter['days']>;
type DayArguments = Partial<Pick<z.infer<typeof input>, 'due' | 'scheduled' | 'start' | 'due_before' | 'due_after'>>;

/**
 * The days that the dates of a task have to be on. `due_before` and `due_after` exclude the named day, or the whole of a period such
 * as `next week`.
 * @throws INVALID_QUERY
 */
export function daysOf({ due_before, due_after, ...periods }: DayArguments, now = new Date()): Days {
  const days: { [name in keyof Days]: DaySpan } = {};
  for (const name of ['due', 'scheduled', 'start'] as const) {
    const period = periods[name];
    if (period !== undefined) days[name] = parseDays(period, name, now);
  }
  if (due_before === undefined && due_after === undefined) return days;
  const before = due_before === undefined ? undefined : localDay(new Date(parseDate(due_before, 'due_before', now)));
  // A period ends where the next day starts.
  const from = due_after === undefined ? undefined : dayAfter(parseDate(due_after, 'due_after', now) - 1);
  return { ...days, due: both(days.due, { ...(from && { from }), ...(before && { before }) }) };
}

function both(one: DaySpan | undefined, other: DaySpan): DaySpan {
  const [from] = [one?.from, other.from]
    .filter((day) => day !== undefined)
    .sort()
    .reverse();
  const [before] = [one?.before, other.before].filter((day) => day !== undefined).sort();
  return { ...(from && { from }), ...(before && { before }) };
}

/** The first and the last day of each period, for the answer. */
function daysView(days: Days): Readonly<Record<string, string>> {
  const views = Object.entries(days).map(([name, { from, before }]) => ({
    ...(from && { [`${name}_from`]: from }),
    ...(before && { [`${name}_until`]: dayBefore(before) }),
  }));
  return Object.assign({}, ...views);
}

function warnOfNoDay(days: Days, call: CallContext): void {
  for (const [name, { from, before }] of Object.entries(days)) {
    if (from === undefined || before === undefined || from < before) continue;
    const message = `no day is from ${from} to ${dayBefore(before)}; for one period write it in ${name}, such as ${name}: "this week"`;
    call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
  }
}
