// Reads from the settings of the Tasks plugin which days the vault records in its tasks.
import { VaultgraphError } from '../../base/errors.ts';
import type { ComputeTaskDates } from '../../contracts/compute.ts';
import { SETTINGS_FILES, type Vault } from '../../contracts/vault.ts';
import { localDay } from '../../markdown/frontmatter/note-date.ts';
import { isFault, jsonOf, membersOf } from '../notes/obsidian-settings.ts';

const PLUGIN = 'obsidian-tasks-plugin';

/** Undefined if the plugin is not enabled. @throws PATH_NOT_ALLOWED for settings that cannot be read */
export async function taskDates(vault: Vault, signal: AbortSignal, now: Date): Promise<ComputeTaskDates | undefined> {
  const enabled = await jsonOf('community-plugins', vault, signal);
  if (isFault(enabled)) throw unusable('community-plugins', enabled.fault);
  if (!Array.isArray(enabled) || !enabled.includes(PLUGIN)) return undefined;
  const members = await membersOf(PLUGIN, vault, signal);
  if (isFault(members)) throw unusable(PLUGIN, members.fault);
  const { setDoneDate, setCancelledDate, taskFormat, globalFilter } = members;
  return {
    day: localDay(now),
    format: taskFormat === 'dataview' ? 'dataview' : 'emoji',
    done: setDoneDate !== false,
    cancelled: setCancelledDate !== false,
    filter: typeof globalFilter === 'string' ? globalFilter : '',
  };
}

function unusable(name: keyof typeof SETTINGS_FILES, rule: string): VaultgraphError {
  const instead = 'Fix this file in Obsidian; it says whether the day is added to a task that is done.';
  return new VaultgraphError('PATH_NOT_ALLOWED', { path: SETTINGS_FILES[name], rule, instead });
}
