// Reads where the vault keeps its daily, weekly, monthly, quarterly and yearly notes, and how it names them.
import { isObject } from '../../base/plain-object.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { dailyHabit, habitIn } from '../notes/daily-habit.ts';
import {
  folderIn,
  isFault,
  type Members,
  membersOf,
  readSettings,
  type SettingsFault,
  textsOf,
} from '../notes/obsidian-settings.ts';
import type { PeriodUnit } from './period.ts';

export interface PeriodicSettings {
  /** Empty for the vault's root. */
  readonly folder: string;
  readonly format: string;
  /** The path of the template note as the settings give it; empty if there is none. */
  readonly template: string;
  /** The settings file. */
  readonly from: string;
  /** Whether the names of existing notes decide. */
  readonly isInferred?: true;
}

/** The adjective of the settings before version 1.0 of the plugin, and the format that the plugin uses without one. */
const UNITS: Readonly<Record<PeriodUnit, { readonly adjective: string; readonly format: string }>> = {
  day: { adjective: 'daily', format: 'YYYY-MM-DD' },
  week: { adjective: 'weekly', format: 'gggg-[W]ww' },
  month: { adjective: 'monthly', format: 'YYYY-MM' },
  quarter: { adjective: 'quarterly', format: 'YYYY-[Q]Q' },
  year: { adjective: 'yearly', format: 'YYYY' },
};

export const adjectiveOf = (unit: PeriodUnit): string => UNITS[unit].adjective;

/**
 * The Periodic Notes plugin takes precedence if it is enabled, then the Calendar plugin for weekly notes and Obsidian's own settings for
 * daily ones. Without settings, new daily notes are like the existing ones; undefined for the others.
 */
export async function periodicSettings(
  unit: PeriodUnit,
  { store, vault }: Granted<'store' | 'vault'>,
  { storeCache, signal }: ReadContext,
): Promise<PeriodicSettings | SettingsFault | undefined> {
  const plugin = await pluginSettings(unit, vault, signal);
  if (plugin !== undefined || unit !== 'day') return plugin;
  const core = await membersOf('daily-notes', vault, signal);
  if (isFault(core)) return core;
  const { members, path: from } = core;
  if (Object.keys(members).length > 0) return settingsIn(members, from, unit);
  // Before the first scan the index does not know every file.
  const { scannedAt } = await store.progress(signal);
  const { folder, format } =
    scannedAt === null
      ? await habitIn((await vault.list(signal)).files)
      : await storeCache.get(dailyHabit, store, signal);
  const inFolder = [folder, format].filter((part) => part !== '').join('/');
  return { folder: '', format: inFolder, template: '', from, isInferred: true };
}

async function pluginSettings(
  unit: PeriodUnit,
  vault: Vault,
  signal: AbortSignal,
): Promise<PeriodicSettings | SettingsFault | undefined> {
  const plugins = await readSettings('community-plugins', vault, signal);
  if (isFault(plugins)) return plugins;
  const enabled = Array.isArray(plugins.value) ? plugins.value : [];
  if (enabled.includes('periodic-notes')) {
    const periodic = await membersOf('periodic-notes', vault, signal);
    if (isFault(periodic)) return periodic;
    const settings = ofUnit(periodic.members, unit);
    if (settings?.enabled === true) return settingsIn(settings, periodic.path, unit);
  }
  if (unit !== 'week' || !enabled.includes('calendar')) return undefined;
  const calendar = await membersOf('calendar', vault, signal);
  if (isFault(calendar)) return calendar;
  const {
    showWeeklyNote,
    weeklyNoteFormat: format,
    weeklyNoteFolder: folder,
    weeklyNoteTemplate: template,
  } = calendar.members;
  return showWeeklyNote === true ? settingsIn({ format, folder, template }, calendar.path, unit) : undefined;
}

/** The settings of one kind of note: of the active set of version 1.0 of the plugin, or of the versions before. */
function ofUnit(members: Members, unit: PeriodUnit): Members | undefined {
  const { calendarSets, activeCalendarSet } = members;
  if (!Array.isArray(calendarSets)) {
    const unitSettings = members[UNITS[unit].adjective];
    return isObject(unitSettings) ? unitSettings : undefined;
  }
  const sets = calendarSets.filter(isObject);
  const activeSettings = (sets.find(({ id }) => id === activeCalendarSet) ?? sets[0])?.[unit];
  return isObject(activeSettings) ? { ...activeSettings, template: activeSettings.templatePath } : undefined;
}

function settingsIn(members: Members, from: string, unit: PeriodUnit): PeriodicSettings | SettingsFault {
  const texts = textsOf(members, from, { folder: '', format: UNITS[unit].format, template: '' });
  return isFault(texts) ? texts : { ...texts, folder: folderIn(texts.folder), from };
}
