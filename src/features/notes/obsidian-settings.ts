// Reads the settings of Obsidian that tools use.
import { isObject } from '../../base/plain-object.ts';
import { SETTINGS_FILES, type SettingsName, type Vault } from '../../contracts/vault.ts';

/** Settings that cannot be used. */
export interface SettingsFault {
  readonly fault: string;
}

export type Members = Readonly<Record<string, unknown>>;

export interface TemplateSettings {
  /** The folder with templates; empty if there is none. */
  readonly folder: string;
  readonly dateFormat: string;
  readonly timeFormat: string;
}

/** @param maxAgeMs how long ago the settings may have been read */
export async function templateSettings(
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs = 0,
): Promise<TemplateSettings | SettingsFault> {
  const members = await membersOf('templates', vault, signal, maxAgeMs);
  if (isFault(members)) return members;
  const defaults = { folder: '', dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' };
  const texts = textsOf(members, SETTINGS_FILES.templates, defaults);
  return isFault(texts) ? texts : { ...texts, folder: folderIn(texts.folder) };
}

/** A folder as settings write it, without slashes at its ends. */
export function folderIn(written: string): string {
  return written
    .trim()
    .replace(/^\/+|\/+$/g, '')
    .normalize('NFC');
}

/** The file's value of each member of `defaults`; the default if it is absent or empty. */
export function textsOf<T extends Record<string, string>>(
  members: Members,
  file: string,
  defaults: T,
): T | SettingsFault {
  const texts: Record<string, string> = { ...defaults };
  for (const name of Object.keys(defaults)) {
    const value = members[name] ?? '';
    if (typeof value !== 'string') return { fault: `${name} in ${file} is not a string` };
    if (value.trim() !== '') texts[name] = value;
  }
  return texts as T;
}

export async function membersOf(
  name: SettingsName,
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs = 0,
): Promise<Members | SettingsFault> {
  const value = await jsonOf(name, vault, signal, maxAgeMs);
  if (value === undefined) return {};
  return isObject(value) ? value : { fault: `${SETTINGS_FILES[name]} is not a JSON object` };
}

/** Undefined if the file does not exist. */
export async function jsonOf(name: SettingsName, vault: Vault, signal: AbortSignal, maxAgeMs = 0): Promise<unknown> {
  const file = await vault.settings(name, signal, maxAgeMs);
  if (file.found === 'nothing') return undefined;
  if (file.found === 'fault') return { fault: `${SETTINGS_FILES[name]}: ${file.reason}` };
  const [parsed] = await Promise.allSettled([new Promise<unknown>((resolve) => resolve(JSON.parse(file.text)))]);
  return parsed.status === 'fulfilled' ? parsed.value : { fault: `${SETTINGS_FILES[name]} is not valid JSON` };
}

export function isFault(value: unknown): value is SettingsFault {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.fault === 'string';
}
