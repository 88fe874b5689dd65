// Reads the texts of tasks from their notes, and finds the tasks by their text.
import type { MarkType, MarkTypes, Task, TaskType } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { FoundTask, Store, TaskFilter } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { readTexts } from '../notes/note-content.ts';
import { isFault, type Members, membersOf, readSettings, type SettingsFault } from '../notes/obsidian-settings.ts';

export type ReadTask = FoundTask & Task;

interface Sources {
  readonly store: Store;
  readonly vault: Vault;
}

/** Tasks that are no longer there are left out and counted in a warning. @throws VAULT_UNAVAILABLE */
export async function readTasks(
  indexedTasks: readonly FoundTask[],
  vault: Vault,
  call: CallContext,
): Promise<readonly ReadTask[]> {
  const { tasks, gone } = await tasksInTexts(indexedTasks, vault, call);
  warnOfGone(gone, call);
  return tasks;
}

function warnOfGone(count: number, call: CallContext): void {
  const message = `${count} tasks left out: their notes have changed or cannot be read`;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message, count });
}

const EVERY = (): boolean => true;

/** @param mayMatch whether a note with this text is parsed at all */
async function tasksInTexts(
  indexedTasks: readonly FoundTask[],
  vault: Vault,
  call: CallContext,
  mayMatch: (text: string) => boolean = EVERY,
): Promise<{ readonly tasks: readonly ReadTask[]; readonly gone: number }> {
  const texts = await readTexts([...new Set(indexedTasks.map(({ path }) => path))], vault, call);
  const notes = new Map<string, ReadonlyMap<number, Task>>();
  for (const [path, text] of texts) {
    if (!mayMatch(text)) continue;
    const tasks = await call.compute.run(jobs.tasks, { text }, call.signal);
    notes.set(path, new Map(tasks.map((task) => [task.line, task])));
    await letOthersRun();
  }
  const tasks = indexedTasks.flatMap(({ path, line, heading }) => {
    const task = notes.get(path)?.get(line);
    return task === undefined ? [] : [{ path, ...task, ...(heading === undefined ? {} : { heading }) }];
  });
  const expected = indexedTasks.filter(({ path }) => !texts.has(path) || notes.has(path)).length;
  return { tasks, gone: expected - tasks.length };
}

const TASKS_AT_ONCE = 500;

/** Every task of the filter, in the order of the store, without its text. */
export async function everyTask(filter: TaskFilter, store: Store, signal: AbortSignal): Promise<readonly FoundTask[]> {
  const passing: FoundTask[] = [];
  for (;;) {
    const { tasks } = await store.listTasks(filter, { limit: TASKS_AT_ONCE, offset: passing.length }, signal);
    passing.push(...tasks);
    if (tasks.length < TASKS_AT_ONCE) return passing;
    await letOthersRun(signal);
  }
}

/**
 * Every task of the filter whose line has all words of the text, in the order of the store, without regard to case and accents.
 * @throws VAULT_UNAVAILABLE
 */
export async function tasksWithText(
  text: string,
  filter: TaskFilter,
  { store, vault }: Sources,
  call: CallContext,
): Promise<readonly ReadTask[]> {
  const words = foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const hasAll = (written: string): boolean => {
    const folded = foldText(written);
    return words.every((word) => folded.includes(word));
  };
  const matching: ReadTask[] = [];
  let gone = 0;
  let total = 1;
  for (let offset = 0; offset < total; offset += TASKS_AT_ONCE) {
    const page = await store.listTasks(filter, { limit: TASKS_AT_ONCE, offset }, call.signal);
    total = page.total;
    call.progress(offset, total, 'reading tasks');
    const tasksRead = await tasksInTexts(page.tasks, vault, call, hasAll);
    matching.push(...tasksRead.tasks.filter((task) => hasAll(task.text)));
    gone += tasksRead.gone;
    await letOthersRun();
  }
  warnOfGone(gone, call);
  return matching;
}

// Reads what the marks of tasks mean from the settings of the Tasks plugin.

const PLUGIN = 'obsidian-tasks-plugin';

/** The settings of the Tasks plugin; undefined unless it is enabled. */
export async function tasksPlugin(
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs = 0,
): Promise<Members | SettingsFault | undefined> {
  const enabled = await readSettings('community-plugins', vault, signal, maxAgeMs);
  if (isFault(enabled)) return enabled;
  if (!Array.isArray(enabled.value) || !enabled.value.includes(PLUGIN)) return undefined;
  const settings = await membersOf(PLUGIN, vault, signal, maxAgeMs);
  return isFault(settings) ? settings : settings.members;
}

const TYPES: Readonly<Record<string, TaskType>> = {
  TODO: 'open',
  IN_PROGRESS: 'in_progress',
  ON_HOLD: 'on_hold',
  DONE: 'done',
  CANCELLED: 'cancelled',
  NON_TASK: 'non_task',
};

/** The first of several statuses with one symbol counts; one of an unknown type is left out. */
export function markTypes({ statusSettings }: Members): MarkTypes {
  const { coreStatuses, customStatuses } = isObject(statusSettings) ? statusSettings : {};
  const statuses = [coreStatuses, customStatuses].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject);
  const types = new Map<string, MarkType>();
  for (const { symbol, type, nextStatusSymbol: next } of statuses) {
    const mapped = Object.hasOwn(TYPES, String(type)) ? TYPES[String(type)] : undefined;
    if (typeof symbol !== 'string' || mapped === undefined || types.has(symbol)) continue;
    types.set(symbol, { type: mapped, ...(typeof next === 'string' && { next }) });
  }
  return Object.fromEntries(types);
}
