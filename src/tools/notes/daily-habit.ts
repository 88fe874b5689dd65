// Infers from the names of existing daily notes where a vault without settings keeps them, and how it names them.
import { fileKindOf, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Store } from '../../contracts/store.ts';
import { DayNames } from '../../markdown/dates/day-names.ts';
import { formatMoment } from '../../markdown/dates/moment-format.ts';
import { ENGLISH, everyLanguage, type Language } from '../../markdown/dates/moment-language.ts';
import { localDay } from '../../markdown/dates/note-date.ts';

export interface DailyHabit {
  /** Moment.js formats of the folder, empty for the vault's root, and of the name. */
  readonly folder: string;
  readonly format: string;
}

interface NamedDay {
  readonly date: Date;
  readonly format: string;
  readonly language: Language;
}

type ReadName = (name: string) => NamedDay | undefined;
type Files = readonly { readonly path: string; readonly excluded?: boolean }[];

const USUAL: DailyHabit = { folder: '', format: 'YYYY-MM-DD' };
/** A day as a whole file name, with one separator or none. */
const DAY_NAME = /^(\d{4})([-_.]?)(\d{2})\2(\d{2})$/;
/** Formats with the name of a month or a weekday, in any language. */
const SPELLED_FORMATS = [
  ...[
    'YYYY-MM-DD dddd',
    'YYYY-MM-DD ddd',
    'YYYY-MM-DD dd',
    'YYYY-MM-DD, dddd',
    'YYYY-MM-DD (dddd)',
    'YYYY-MM-DD (ddd)',
  ],
  ...['YYYY-MM-DD-dddd', 'YYYY-MM-DD-ddd', 'YYYY-MM-DD_dddd', 'YYYY-MM-DD_ddd', 'dddd YYYY-MM-DD', 'ddd YYYY-MM-DD'],
  ...['D MMMM YYYY', 'DD MMMM YYYY', 'D MMM YYYY', 'DD MMM YYYY', 'Do MMMM YYYY', 'MMMM D, YYYY', 'MMMM Do, YYYY'],
  ...['MMMM D YYYY', 'dddd D MMMM YYYY', 'dddd, D MMMM YYYY', 'dddd, MMMM D, YYYY', 'YYYY MMMM D', 'YYYY MMM D'],
  ...[
    'YYYY[년] M[월] D[일]',
    'YYYY[년] M[월] D[일] dddd',
    'YYYY[年]M[月]D[日]',
    'YYYY[年]MM[月]DD[日]',
    'YYYY[年]M[月]D[日] dddd',
  ],
];
const MAY_BE_SPELLED = /(?=.*\d{4})(?=.*\p{L})/u;
const MAX_SPELLED_LENGTH = 60;
/** Folders that change with the day. */
const FOLDER_FORMATS = ['YYYY', 'MM', 'YYYY-MM', 'MM-MMMM', 'MMMM'];
const ROWS_PER_TURN = 2_000;
const SPELLED_NAMES_PER_TURN = 4;
/** Each is compared with all languages. */
const MAX_SPELLED_NAMES = 2_000;

export async function dailyHabit(store: Store, signal: AbortSignal): Promise<DailyHabit> {
  return habitIn(await store.fileStates(signal));
}

/** The folder and name of most daily notes; of two equally frequent ones the one with the later day. Excluded ones count if there are no others. */
export async function habitIn(files: Files): Promise<DailyHabit> {
  const listed = files.filter(({ excluded }) => excluded !== true);
  const habit = await habitOfAll(listed);
  return habit ?? (listed.length < files.length ? await habitOfAll(files) : undefined) ?? USUAL;
}

const habitOfAll = async (files: Files): Promise<DailyHabit | undefined> =>
  (await mostFrequent(files, dayInDigits, ROWS_PER_TURN)) ?? (await spelledHabit(files));

async function spelledHabit(files: Files): Promise<DailyHabit | undefined> {
  const spelled = files.filter(({ path }) => isSpelled(path)).slice(-MAX_SPELLED_NAMES);
  if (spelled.length === 0) return undefined;
  const languages = await everyLanguage();
  const formats = SPELLED_FORMATS.map((format) => ({ format, names: new DayNames(format, languages) }));
  const read: ReadName = (name) => {
    for (const { format, names } of formats) {
      const [language] = names.languagesOf(names.fold(name));
      const [date] = language === undefined ? [] : names.datesIn(names.fold(name));
      if (language !== undefined && date !== undefined) return { date, format, language };
    }
    return undefined;
  };
  return mostFrequent(spelled, read, SPELLED_NAMES_PER_TURN);
}

function isSpelled(path: string): boolean {
  const name = fileKindOf(path) === 'note' ? noteName(path) : '';
  return name.length <= MAX_SPELLED_LENGTH && MAY_BE_SPELLED.test(name);
}

async function mostFrequent(files: Files, read: ReadName, perTurn: number): Promise<DailyHabit | undefined> {
  const habits = new Map<string, { count: number; latest: string; habit: DailyHabit }>();
  for (const [row, { path }] of files.entries()) {
    if (row % perTurn === 0) await letOthersRun();
    const named = fileKindOf(path) === 'note' ? read(noteName(path)) : undefined;
    if (named === undefined) continue;
    const day = localDay(named.date);
    const habit = habitOf(path, named);
    const key = JSON.stringify(habit);
    const { count = 0, latest = day } = habits.get(key) ?? {};
    habits.set(key, { count: count + 1, latest: latest > day ? latest : day, habit });
  }
  const order = [...habits.values()].sort(
    (one, other) => other.count - one.count || (one.latest > other.latest ? -1 : 1),
  );
  return order[0]?.habit;
}

function dayInDigits(name: string): NamedDay | undefined {
  const [, year, sign = '', month, day] = DAY_NAME.exec(name) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const exists = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  if (year === undefined || !exists) return undefined;
  return { date, format: ['YYYY', 'MM', 'DD'].join(sign), language: ENGLISH };
}

function habitOf(path: string, { date, format, language }: NamedDay): DailyHabit {
  const folder = path.split('/').slice(0, -1);
  return { folder: folder.map((segment) => formatOf(segment, date, language)).join('/'), format };
}

/** The format that gives the segment on that day, or else the segment itself, quoted. */
function formatOf(segment: string, date: Date, language: Language): string {
  const format = FOLDER_FORMATS.find((each) => {
    const formatted = formatMoment(date, each, language);
    return 'text' in formatted && formatted.text === segment;
  });
  return format ?? segment.replace(/[^[\]]+/g, '[$&]');
}
