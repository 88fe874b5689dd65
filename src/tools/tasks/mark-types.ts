// Reads what the marks of tasks mean from the settings of the Tasks plugin.
import type { MarkType, MarkTypes, TaskType } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Vault } from '../../contracts/vault.ts';
import { isFault, type Members, membersOf, readSettings, type SettingsFault } from '../notes/obsidian-settings.ts';

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
  const read = await membersOf(PLUGIN, vault, signal, maxAgeMs);
  return isFault(read) ? read : read.members;
}

const TYPES: Readonly<Record<string, TaskType>> = {
  TODO: 'open',
  IN_PROGRESS: 'in_progress',
  ON_HOLD: 'on_hold',
  DONE: 'done',
  CANCELLED: 'cancelled',
  NON_TASK: 'non_task',
};

/** Of several statuses with one symbol the first counts; one of an unknown type is left out. */
export function markTypes({ statusSettings }: Members): MarkTypes {
  const { coreStatuses, customStatuses } = isObject(statusSettings) ? statusSettings : {};
  const statuses = [coreStatuses, customStatuses].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject);
  const types = new Map<string, MarkType>();
  for (const { symbol, type, nextStatusSymbol: next } of statuses) {
    const known = Object.hasOwn(TYPES, String(type)) ? TYPES[String(type)] : undefined;
    if (typeof symbol !== 'string' || known === undefined || types.has(symbol)) continue;
    types.set(symbol, { type: known, ...(typeof next === 'string' && { next }) });
  }
  return Object.fromEntries(types);
}
