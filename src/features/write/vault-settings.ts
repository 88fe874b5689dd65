// What the vault's own settings say of daily notes and templates, with what holds where they say nothing.
import type { Vault } from '../../contracts/vault.ts';
import { SETTINGS_FILES, type SettingsName } from '../../contracts/vault-settings.ts';

export interface DailyNoteSettings {
  /** Empty for the vault's root. */
  readonly folder: string;
  readonly format: string;
  /** The path of the note that a new one begins as, as written there; empty for none. */
  readonly template: string;
  /** Where it is said. */
  readonly from: string;
}

export interface TemplateSettings {
  readonly dateFormat: string;
  readonly timeFormat: string;
}

/** Settings that are there and cannot be read as such. */
export interface SettingsFault {
  readonly fault: string;
}

type Members = Readonly<Record<string, unknown>>;

const PERIODIC = 'periodic-notes';

/** The plugin for periodic notes is asked first where it is turned on, as its users expect. */
export async function dailyNoteSettings(vault: Vault, signal: AbortSignal): Promise<DailyNoteSettings | SettingsFault> {
  const periodic = await periodicSettings(vault, signal);
  if (periodic !== undefined) return periodic;
  const core = await membersOf('daily-notes', vault, signal);
  return isFault(core) ? core : dailyFrom(core, SETTINGS_FILES['daily-notes']);
}

async function periodicSettings(
  vault: Vault,
  signal: AbortSignal,
): Promise<DailyNoteSettings | SettingsFault | undefined> {
  const enabled = await jsonOf('community-plugins', vault, signal);
  if (!Array.isArray(enabled) || !enabled.includes(PERIODIC)) return isFault(enabled) ? enabled : undefined;
  const members = await membersOf(PERIODIC, vault, signal);
  if (isFault(members)) return members;
  const { daily } = members;
  return isMembers(daily) && daily.enabled === true ? dailyFrom(daily, SETTINGS_FILES[PERIODIC]) : undefined;
}

export async function templateSettings(vault: Vault, signal: AbortSignal): Promise<TemplateSettings | SettingsFault> {
  const members = await membersOf('templates', vault, signal);
  if (isFault(members)) return members;
  const texts = textsOf(members, SETTINGS_FILES.templates, { dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' });
  return texts;
}

function dailyFrom(members: Members, from: string): DailyNoteSettings | SettingsFault {
  const texts = textsOf(members, from, { folder: '', format: 'YYYY-MM-DD', template: '' });
  return isFault(texts) ? texts : { ...texts, folder: texts.folder.trim().replace(/^\/+|\/+$/g, ''), from };
}

/** Each member of `defaults` as the file has it; what is absent or empty has its default. */
function textsOf<T extends Record<string, string>>(members: Members, file: string, defaults: T): T | SettingsFault {
  const texts: Record<string, string> = { ...defaults };
  for (const name of Object.keys(defaults)) {
    const value = members[name] ?? '';
    if (typeof value !== 'string') return { fault: `${file} has a ${name} that is no text` };
    if (value.trim() !== '') texts[name] = value;
  }
  return texts as T;
}

async function membersOf(name: SettingsName, vault: Vault, signal: AbortSignal): Promise<Members | SettingsFault> {
  const value = await jsonOf(name, vault, signal);
  if (value === undefined) return {};
  return isMembers(value) ? value : { fault: `${SETTINGS_FILES[name]} is no JSON object` };
}

/** Undefined where there is no such file. */
async function jsonOf(name: SettingsName, vault: Vault, signal: AbortSignal): Promise<unknown> {
  const file = await vault.settings(name, signal);
  if (file.found === 'nothing') return undefined;
  if (file.found === 'fault') return { fault: `${SETTINGS_FILES[name]}: ${file.reason}` };
  const [parsed] = await Promise.allSettled([new Promise<unknown>((resolve) => resolve(JSON.parse(file.text)))]);
  return parsed.status === 'fulfilled' ? parsed.value : { fault: `${SETTINGS_FILES[name]} is no JSON` };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFault(value: unknown): value is SettingsFault {
  return isMembers(value) && Object.keys(value).length === 1 && typeof value.fault === 'string';
}
