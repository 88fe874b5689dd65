// Finds the daily note of `@today`, `@yesterday`, `@tomorrow` or `@2026-11-20` by the vault's settings.
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

/** Whether a name is a date such as `@today`; other names may begin with `@`, too. */
export function namesDay(name: string): boolean {
  return DAY.test(name.trim());
}

/** @throws PATH_NOT_ALLOWED for an invalid date, unreadable settings or an unsupported format letter */
export async function dailyNote(name: string, vault: Vault, signal: AbortSignal, now: Date): Promise<DailyNote> {
  const date = dateOf(name.trim(), now);
  if (date === undefined) throw refused(name, 'this date does not exist');
  const settings = await dailyNoteSettings(vault, signal);
  if (isFault(settings)) throw refused(name, `${settings.fault}; give the path of the note`);
  const written = formatMoment(date, settings.format);
  if ('unknown' in written) {
    const rule = `the daily note format in ${settings.from} uses the unsupported letter \`${written.unknown}\``;
    throw refused(name, `${rule}; give the path of the note`);
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
  /** The path of the template note as the settings give it; empty if there is none. */
  readonly template: string;
  /** The settings file. */
  readonly from: string;
}

export interface TemplateSettings {
  readonly dateFormat: string;
  readonly timeFormat: string;
}

/** Settings that cannot be used. */
interface SettingsFault {
  readonly fault: string;
}

type Members = Readonly<Record<string, unknown>>;

const PERIODIC = 'periodic-notes';

/** The Periodic Notes plugin takes precedence if it is enabled. */
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

/** The file's value of each member of `defaults`; the default if it is absent or empty. */
function textsOf<T extends Record<string, string>>(members: Members, file: string, defaults: T): T | SettingsFault {
  const texts: Record<string, string> = { ...defaults };
  for (const name of Object.keys(defaults)) {
    const value = members[name] ?? '';
    if (typeof value !== 'string') return { fault: `${name} in ${file} is not a string` };
    if (value.trim() !== '') texts[name] = value;
  }
  return texts as T;
}

async function membersOf(name: SettingsName, vault: Vault, signal: AbortSignal): Promise<Members | SettingsFault> {
  const value = await jsonOf(name, vault, signal);
  if (value === undefined) return {};
  return isMembers(value) ? value : { fault: `${SETTINGS_FILES[name]} is not a JSON object` };
}

/** Undefined if the file does not exist. */
async function jsonOf(name: SettingsName, vault: Vault, signal: AbortSignal): Promise<unknown> {
  const file = await vault.settings(name, signal);
  if (file.found === 'nothing') return undefined;
  if (file.found === 'fault') return { fault: `${SETTINGS_FILES[name]}: ${file.reason}` };
  const [parsed] = await Promise.allSettled([new Promise<unknown>((resolve) => resolve(JSON.parse(file.text)))]);
  return parsed.status === 'fulfilled' ? parsed.value : { fault: `${SETTINGS_FILES[name]} is not valid JSON` };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFault(value: unknown): value is SettingsFault {
  return isMembers(value) && Object.keys(value).length === 1 && typeof value.fault === 'string';
}
