// Which note a day has, by the vault's own settings: `@today`, `@yesterday`, `@tomorrow`, `@2026-11-20`.
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { formatMoment } from './moment-format.ts';
import { type DailyNoteSettings, dailyNoteSettings, isFault } from './vault-settings.ts';

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
