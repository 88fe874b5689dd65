// Finds the daily note of `@today`, `@yesterday`, `@tomorrow` or `@2026-11-20` by the vault's settings.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { SETTINGS_FILES, type Vault } from '../../contracts/vault.ts';
import { formatMoment } from '../../markdown/frontmatter/moment-format.ts';
import { dailyHabit, habitIn } from './daily-habit.ts';
import {
  folderIn,
  isFault,
  jsonOf,
  type Members,
  membersOf,
  type SettingsFault,
  textsOf,
} from './obsidian-settings.ts';

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
export async function dailyNote(
  name: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
  now: Date,
): Promise<DailyNote> {
  const date = dateOf(name.trim(), now);
  if (date === undefined)
    throw refused(name, 'this date does not exist', 'Write a day that exists, such as `@2026-11-20`.');
  const settings = await dailyNoteSettings(sources, context);
  if (isFault(settings)) throw refused(name, `${settings.fault}; give the path of the note`);
  const written = formatMoment(date, settings.format);
  if ('unknown' in written) {
    const rule = `the daily note format in ${settings.from} uses the unsupported letter \`${written.unknown}\``;
    throw refused(name, `${rule}; give the path of the note`);
  }
  const path = [settings.folder, written.text].filter((part) => part !== '').join('/');
  const note = `${path}.md`.normalize('NFC') as NotePath;
  // The settings name a folder that does not exist for this client.
  if (settings.isInferred === undefined && sources.vault.view?.shows(note) === false)
    throw refused(name, 'this server may not read the daily notes; give the path of the note');
  return { path: note, date, settings };
}

function dateOf(name: string, now: Date): Date | undefined {
  const [, word, year, month, day] = DAY.exec(name) ?? [];
  const date = new Date(now);
  if (word !== undefined) date.setDate(now.getDate() + (SHIFTS[word.toLowerCase()] ?? 0));
  else date.setFullYear(Number(year), Number(month) - 1, Number(day));
  const isDay = word !== undefined || (date.getMonth() === Number(month) - 1 && Number(year) > 0);
  return isDay ? date : undefined;
}

function refused(path: string, rule: string, instead?: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule, ...(instead === undefined ? {} : { instead }) });
}

interface DailyNoteSettings {
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

const PERIODIC = 'periodic-notes';

/** The Periodic Notes plugin takes precedence if it is enabled. Without settings, new daily notes are like the existing ones. */
async function dailyNoteSettings(
  { store, vault }: Granted<'store' | 'vault'>,
  { storeCache, signal }: ReadContext,
): Promise<DailyNoteSettings | SettingsFault> {
  const periodic = await periodicSettings(vault, signal);
  if (periodic !== undefined) return periodic;
  const core = await membersOf('daily-notes', vault, signal);
  if (isFault(core)) return core;
  const from = SETTINGS_FILES['daily-notes'];
  if (Object.keys(core).length > 0) return dailyFrom(core, from);
  // Before the first scan the index does not know every file.
  const { scannedAt } = await store.progress(signal);
  const isKnown = scannedAt !== null;
  const { folder, format } = isKnown
    ? await storeCache.get(dailyHabit, store, signal)
    : await habitIn((await vault.list(signal)).files);
  return {
    folder: '',
    format: [folder, format].filter((part) => part !== '').join('/'),
    template: '',
    from,
    isInferred: true,
  };
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
  return isObject(daily) && daily.enabled === true ? dailyFrom(daily, SETTINGS_FILES[PERIODIC]) : undefined;
}

function dailyFrom(members: Members, from: string): DailyNoteSettings | SettingsFault {
  const texts = textsOf(members, from, { folder: '', format: 'YYYY-MM-DD', template: '' });
  return isFault(texts) ? texts : { ...texts, folder: folderIn(texts.folder), from };
}
