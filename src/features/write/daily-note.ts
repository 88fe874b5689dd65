// Which note a day has, by the vault's own settings: `@today`, `@yesterday`, `@tomorrow`, `@2026-11-20`.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { SETTINGS_FILES, type SettingsName, type Vault } from '../../contracts/vault.ts';
import { formatMoment } from './moment-format.ts';

const SHIFTS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const DAY = /^@(?:(today|yesterday|tomorrow)|(\d{4})-(\d{2})-(\d{2}))$/i;

export interface DailyNote {
  readonly path: NotePath;
  /** The day, at the time of day that it is now. */
  readonly date: Date;
  readonly settings: DailyNoteSettings;
}

/** Whether a name means a day; every other name with an `@` is a name. */
export function namesDay(name: string): boolean {
  return DAY.test(name.trim());
}

/** @throws PATH_NOT_ALLOWED for a day that is none, for settings that cannot be read, and for a format with letters not known here */
export async function dailyNote(name: string, vault: Vault, signal: AbortSignal, now: Date): Promise<DailyNote> {
  const date = dateOf(name.trim(), now);
  if (date === undefined) throw refused(name, 'there is no such day');
  const settings = await dailyNoteSettings(vault, signal);
  if (isFault(settings)) throw refused(name, `${settings.fault}; name the note by its path`);
  const written = formatMoment(date, settings.format);
  if ('unknown' in written) {
    const rule = `the format of daily notes in ${settings.from} has \`${written.unknown}\`, which is not known here`;
    throw refused(name, `${rule}; name the note by its path`);
  }
  const path = [settings.folder, written.text].filter((part) => part !== '').join('/');
  return { path: `${path}.md`.normalize('NFC') as NotePath, date, settings };
}

function dateOf(name: string, now: Date): Date | undefined {
  const [, word, year, month, day] = DAY.exec(name) ?? [];
  const date = new Date(now);
  if (word !== undefined) date.setDate(now.getDate() + (SHIFTS[word.toLowerCase()] ?? 0));
  else date.setFullYear(Number(year), Number(month) - 1, Number(day));
  const isDay = word !== undefined || (date.getMonth() === Number(month) - 1 && Number(year) > 0);
  return isDay ? date : undefined;
}

function refused(path: string, rule: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
}

interface DailyNoteSettings {
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
interface SettingsFault {
  readonly fault: string;
}

type Members = Readonly<Record<string, unknown>>;

const PERIODIC = 'periodic-notes';

/** The plugin for periodic notes is asked first where it is turned on, as its users expect. */
async function dailyNoteSettings(vault: Vault, signal: AbortSignal): Promise<DailyNoteSettings | SettingsFault> {
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
