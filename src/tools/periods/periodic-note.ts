// Finds the note of a day, week, month, quarter or year (`@today`, `@next friday`, `@2026-W47`) by the settings of the vault.
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath, withoutNoteExtension } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { DayNames } from '../../markdown/dates/day-names.ts';
import { dependsOnLanguage, formatMoment, momentTokens } from '../../markdown/dates/moment-format.ts';
import { ENGLISH, everyLanguage, type Language, startOfOwnWeek } from '../../markdown/dates/moment-language.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { isFault } from '../notes/obsidian-settings.ts';
import { addUnits } from './calendar.ts';
import { isPeriodFault, type Period, type PeriodUnit, parsePeriod } from './period.ts';
import { adjectiveOf, type PeriodicSettings, periodicSettings } from './periodic-settings.ts';

/** Refused if there is no such day or month; other names may begin with `@`, too. */
const CALENDAR = /^@\d{4}(?:-\d{2}(?:-\d{2})?|-?w\d{2})?$/i;
const ONE_WORD = /^@\p{L}+$/u;
const WEEKDAY = /^@(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;
const WEEK_NUMBER = /w(?:eek )?(\d{1,2})/i;
const ISO_WEEK: readonly string[] = ['GGGG', 'WW', 'W'];

const CORRECT_SETTINGS = 'Give the path of the note, or ask the user to correct these settings.';

type Sources = Granted<'store' | 'vault'>;

export interface PeriodicNote {
  readonly path: NotePath;
  /** A day of the period, at the time of day that it is now. */
  readonly date: Date;
  readonly unit: PeriodUnit;
  readonly settings: PeriodicSettings;
  readonly language: Language;
  /** Why a name that depends on the language is written in this one; absent for other names. */
  readonly languageFrom?: LanguageSource;
}

type LanguageSource = 'existing notes' | 'vault.language' | 'default';

/** Whether a name is a period such as `@today` or `@2026-W47`. */
export function namesPeriod(name: string): boolean {
  const trimmed = name.trim();
  if (!trimmed.startsWith('@')) return false;
  if (CALENDAR.test(trimmed) || unitOf(parsePeriod(trimmed, 'none', new Date())) !== undefined) return true;
  // A word alone can be a name (`@april`), except that of a weekday.
  return (!ONE_WORD.test(trimmed) || WEEKDAY.test(trimmed)) && !isPeriodFault(parsePeriod(trimmed, 'past', new Date()));
}

function unitOf(period: ReturnType<typeof parsePeriod>): PeriodUnit | undefined {
  return isPeriodFault(period) ? undefined : period.unit;
}

/** @throws PATH_NOT_ALLOWED for a period that does not exist or has no notes, unreadable settings or an unsupported format letter */
export async function periodicNote(
  name: string,
  sources: Sources,
  context: ReadContext,
  now: Date,
): Promise<PeriodicNote> {
  const period = parsePeriod(name, 'none', now);
  const unit = unitOf(period);
  if (isPeriodFault(period) || unit === undefined) throw noOneNote(name);
  const settings = await periodicSettings(unit, sources, context);
  if (settings === undefined) {
    const instead = `Ask the user to turn on ${adjectiveOf(unit)} notes in the Periodic Notes plugin, or give the path of the note.`;
    throw refused(name, `the vault has no settings for ${adjectiveOf(unit)} notes`, instead);
  }
  if (isFault(settings)) throw refused(name, settings.fault, CORRECT_SETTINGS);
  const dateIn = dateOf(name, { ...period, unit }, settings.format, now);
  const { path, language, languageFrom } = await pathOf(settings, unit, dateIn, sources, context);
  // The settings name a folder that does not exist for this client.
  if (settings.isInferred === undefined && sources.vault.view?.shows(path) === false)
    throw refused(
      name,
      `this server may not read the ${adjectiveOf(unit)} notes`,
      'Give the path of a note that it may read.',
    );
  return { path, date: dateIn(language), unit, settings, language, ...(languageFrom && { languageFrom }) };
}

function noOneNote(name: string): VaultgraphError {
  if (CALENDAR.test(name.trim()))
    return refused(name, 'this date does not exist', 'Write a day that exists, such as `@2026-11-20`.');
  const instead =
    'Write one day, week, month, quarter or year: `@2026-11-20`, `@last friday`, `@in 3 days`, `@2026-W47`, `@last month`, `@2026-Q4`.';
  return refused(name, 'it is no one day, week, month, quarter or year', instead);
}

function nameOf(date: Date, { format, from }: PeriodicSettings, language: Language): string {
  const formatted = formatMoment(date, format, language);
  if ('text' in formatted) return formatted.text;
  const rule = `the format of the note in ${from} uses the letter \`${formatted.unknown}\`, which is supported in English only`;
  throw refused(format, rule, CORRECT_SETTINGS);
}

/**
 * The day whose name the note has. `@last week` is the week of the day a week ago. A week by its number is counted as the format
 * counts it: by ISO 8601, or as in the language.
 */
function dateOf(
  name: string,
  { from = 0, unit }: Period & { readonly unit: PeriodUnit },
  format: string,
  now: Date,
): (language: Language) => Date {
  const number = unit === 'week' ? WEEK_NUMBER.exec(name)?.[1] : undefined;
  const isIso = momentTokens(format).some((token) => ISO_WEEK.includes(token));
  const atNow = (day: Date): Date => {
    const date = new Date(now);
    date.setFullYear(day.getFullYear(), day.getMonth(), day.getDate());
    return date;
  };
  const first = new Date(from);
  if (number === undefined || isIso) {
    const weekday = unit === 'week' && number === undefined ? (now.getDay() + 6) % 7 : 0;
    return () => atNow(addUnits(first, weekday, 'day'));
  }
  // The Thursday of an ISO week is in the year that the number is of.
  const year = addUnits(first, 3, 'day').getFullYear();
  return (language) => atNow(startOfOwnWeek(language, year, Number(number)));
}

interface NamedNote {
  readonly path: NotePath;
  readonly language: Language;
  readonly languageFrom?: LanguageSource;
}

/** The path of the existing note, in whichever language, or else of a new one. */
async function pathOf(
  settings: PeriodicSettings,
  unit: PeriodUnit,
  dateIn: (language: Language) => Date,
  sources: Sources,
  context: ReadContext,
): Promise<NamedNote> {
  const names = await existingNames(settings, sources, context);
  const { language, from } = await preferredLanguage(settings, unit, sources, context);
  const existing = names.noteOf(dateIn, language);
  const by = dependsOnLanguage(settings.format) || language.digits !== undefined ? { languageFrom: from } : {};
  if (existing !== undefined) return { path: existing, language, ...by };
  const name = nameOf(dateIn(language), settings, language);
  const path = [settings.folder, name].filter((part) => part !== '').join('/');
  return { path: `${path}.md`.normalize('NFC') as NotePath, language, ...by };
}

/** That of the existing notes, else that of the daily notes for the others, else that of the config, else English. */
async function preferredLanguage(
  settings: PeriodicSettings,
  unit: PeriodUnit,
  sources: Sources,
  context: ReadContext,
): Promise<{ readonly language: Language; readonly from: LanguageSource }> {
  const code = sources.vault.language;
  const existing = await (await existingNames(settings, sources, context)).language(code);
  if (existing !== undefined) return { language: existing, from: 'existing notes' };
  const daily = unit === 'day' ? undefined : await dailyNotesLanguage(sources, context);
  if (daily !== undefined) return { language: daily, from: 'existing notes' };
  const set = code === undefined ? undefined : (await everyLanguage()).find((language) => language.code === code);
  return set === undefined ? { language: ENGLISH, from: 'default' } : { language: set, from: 'vault.language' };
}

/** Undefined if their names do not say it. */
async function dailyNotesLanguage(sources: Sources, context: ReadContext): Promise<Language | undefined> {
  const settings = await periodicSettings('day', sources, context);
  if (settings === undefined || isFault(settings) || !dependsOnLanguage(settings.format)) return undefined;
  return (await existingNames(settings, sources, context)).language(sources.vault.language);
}

/** The language of dates in the text of a new note: that of the daily notes, else that of the config, else English. */
export async function vaultLanguage(sources: Sources, context: ReadContext): Promise<Language> {
  const code = sources.vault.language;
  const daily = await dailyNotesLanguage(sources, context);
  return daily ?? (await everyLanguage()).find((language) => language.code === code) ?? ENGLISH;
}

function refused(path: string, rule: string, instead?: string): VaultgraphError {
  return new VaultgraphError('PATH_NOT_ALLOWED', { path, rule, ...(instead === undefined ? {} : { instead }) });
}

const NAMES_PER_TURN = 500;
/** The latest notes determine the language. Each name is compared with the names of the date in every language. */
const COMPARED_NAMES = 60;
const NAMES_COMPARED_PER_TURN = 4;

type Naming = Pick<PeriodicSettings, 'folder' | 'format'>;

/** The notes of one folder and format. */
class ExistingNames {
  readonly #names: DayNames;
  /** By what follows the folder, folded, without the extension. */
  readonly #paths: ReadonlyMap<string, NotePath>;
  #language: Promise<Language | undefined> | undefined;

  constructor(names: DayNames, paths: ReadonlyMap<string, NotePath>) {
    this.#names = names;
    this.#paths = paths;
  }

  /** The note of a date, in the preferred language or else in another one. */
  noteOf(dateIn: (language: Language) => Date, preferred: Language): NotePath | undefined {
    const names = [...this.#names.inEachLanguage(dateIn, preferred)].filter((name) => this.#paths.has(name));
    return names[0] === undefined ? undefined : this.#paths.get(names[0]);
  }

  /** The language of most of the latest notes; undefined if their names do not say it. */
  language(preferred: string | undefined): Promise<Language | undefined> {
    this.#language ??= this.#mostFrequent(preferred);
    return this.#language;
  }

  /** Returns the language that matches most names; of equal ones the preferred, or else the first. */
  async #mostFrequent(preferred: string | undefined): Promise<Language | undefined> {
    const counts = new Map<Language, number>();
    let compared = 0;
    for (const [at, name] of [...this.#paths.keys()].sort().reverse().entries()) {
      if (at % NAMES_COMPARED_PER_TURN === 0) await letOthersRun();
      const languages = this.#names.languagesOf(name);
      for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
      if (languages.length > 0) compared += 1;
      if (compared === COMPARED_NAMES) break;
    }
    const most = Math.max(...counts.values());
    const best = this.#names.languages.filter((language) => counts.get(language) === most);
    return best.find(({ code }) => code === preferred) ?? best[0];
  }
}

/** Made once for each revision of the index, folder and format. */
async function existingNames(
  naming: Naming,
  { store, vault }: Granted<'store' | 'vault'>,
  { storeCache, signal }: ReadContext,
): Promise<ExistingNames> {
  // Before the first scan the index does not know every file.
  const { scannedAt } = await store.progress(signal);
  if (scannedAt === null) return readNames(naming, (await vault.list(signal)).files);
  const cached = await storeCache.get(namesByFormat, store, signal);
  const key = JSON.stringify([naming.folder, naming.format]);
  const names = cached.get(key) ?? (await readNames(naming, await store.fileStates(signal)));
  cached.set(key, names);
  return names;
}

async function namesByFormat(): Promise<Map<string, ExistingNames>> {
  return new Map();
}

async function readNames({ folder, format }: Naming, files: readonly { readonly path: NotePath }[]) {
  const all = await everyLanguage();
  // Where no name depends on the language, some still have digits of their own.
  const languages = dependsOnLanguage(format) ? all : all.filter((one) => one === ENGLISH || one.digits !== undefined);
  const names = new DayNames(format, languages);
  const paths = new Map<string, NotePath>();
  const prefix = folder === '' ? '' : `${foldName(folder)}/`;
  for (const [at, { path }] of files.entries()) {
    if (at % NAMES_PER_TURN === 0) await letOthersRun();
    if (fileKindOf(path) !== 'note' || !foldName(path).startsWith(prefix)) continue;
    const name = names.fold(withoutNoteExtension(path).slice(prefix.length));
    if (!paths.has(name)) paths.set(name, path);
  }
  return new ExistingNames(names, paths);
}
