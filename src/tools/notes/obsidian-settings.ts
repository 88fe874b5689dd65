// Reads the settings of Obsidian that tools use.
import { isObject } from '../../base/plain-object.ts';
import type { SettingsName, Vault } from '../../contracts/vault.ts';

/** Settings that cannot be used. */
export interface SettingsFault {
  /** The path of the file, relative to the vault. */
  readonly path: string;
  /** Names the file. */
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
  const settings = await membersOf('templates', vault, signal, maxAgeMs);
  if (isFault(settings)) return settings;
  const defaults = { folder: '', dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' };
  const texts = textsOf(settings.members, settings.path, defaults);
  return isFault(texts) ? texts : { ...texts, folder: folderIn(texts.folder) };
}

/** QuickAdd had one folder before it had several. */
const FOLDERS = { templater: ['templates_folder'], quickadd: ['templateFolderPath', 'templateFolderPaths'] } as const;

/** The folders of a plugin for templates. */
export async function pluginTemplates(
  plugin: keyof typeof FOLDERS,
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs: number,
): Promise<{ readonly folders: readonly string[] } | SettingsFault> {
  const settings = await membersOf(plugin, vault, signal, maxAgeMs);
  if (isFault(settings)) return settings;
  const { path, members } = settings;
  const folders: string[] = [];
  for (const name of FOLDERS[plugin])
    for (const folder of [members[name] ?? []].flat()) {
      if (typeof folder !== 'string') return { path, fault: `${name} in ${path} is not a string` };
      folders.push(folderIn(folder));
    }
  return { folders };
}

/** A folder as settings write it, without slashes at its ends. */
export function folderIn(folder: string): string {
  return folder
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
    if (typeof value !== 'string') return { path: file, fault: `${name} in ${file} is not a string` };
    if (value.trim() !== '') texts[name] = value;
  }
  return texts as T;
}

/** The members of the file's object, none if it does not exist. `path`: of the file, relative to the vault. */
export async function membersOf(
  name: SettingsName,
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs = 0,
): Promise<{ readonly path: string; readonly members: Members } | SettingsFault> {
  const settings = await readSettings(name, vault, signal, maxAgeMs);
  if (isFault(settings)) return settings;
  const { path, value = {} } = settings;
  return isObject(value) ? { path, members: value } : { path, fault: `${path} is not a JSON object` };
}

/** The value is absent if the file does not exist. */
export async function readSettings(
  name: SettingsName,
  vault: Vault,
  signal: AbortSignal,
  maxAgeMs = 0,
): Promise<{ readonly path: string; readonly value?: unknown } | SettingsFault> {
  const file = await vault.settings(name, signal, maxAgeMs);
  const { path } = file;
  if (file.result === 'nothing') return { path };
  if (file.result === 'fault') return { path, fault: `${path}: ${file.reason}` };
  const [parsed] = await Promise.allSettled([new Promise<unknown>((resolve) => resolve(JSON.parse(file.text)))]);
  return parsed.status === 'fulfilled' ? { path, value: parsed.value } : { path, fault: `${path} is not valid JSON` };
}

export function isFault(value: unknown): value is SettingsFault {
  return isObject(value) && typeof value.fault === 'string';
}
