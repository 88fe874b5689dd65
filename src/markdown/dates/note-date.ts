// Finds the date of a note in its properties or its name.
import type { Properties, PropertyValue } from '../../base/note.ts';

/** Where the date of a note comes from. A note without a date is dated by the modification time of its file. */
export type DatedBy = 'property' | 'name';

export interface NoteDate {
  /** Local time: `2026-11-20`, `2026-11-20T09:30` or `2026-11-20T09:30:15`; midnight is written as the day alone. */
  readonly date: string;
  readonly by: DatedBy;
}

/** The properties that can hold the date, by precedence; names are compared without case, blanks, `_` and `-`. */
export const DATE_PROPERTIES = [
  'date',
  'day',
  'created',
  'created at',
  'date created',
  'creation date',
  'published',
] as const;

const KEYS = DATE_PROPERTIES.map(keyOf);

/** The date from the properties, else from the file name; undefined if neither has one. */
export function noteDate(path: string, properties: Properties): NoteDate | undefined {
  const date = propertyDate(properties);
  return date === undefined ? nameDate(path) : { date, by: 'property' };
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

function propertyDate(properties: Properties): string | undefined {
  const dates = new Map<string, string>();
  for (const [name, value] of Object.entries(properties)) {
    const key = keyOf(name);
    const date = KEYS.includes(key) && !dates.has(key) ? valueDate(value) : undefined;
    if (date !== undefined) dates.set(key, date);
  }
  const key = KEYS.find((one) => dates.has(one));
  return key === undefined ? undefined : dates.get(key);
}

/** Eight digits without separators count as a day only in the 20th and 21st century. */
const DAY = String.raw`(?=\d{4}[-/._]|(?:19|20)\d{6})(\d{4})([-/._]?)(\d{2})\2(\d{2})`;
/** The Chinese, Japanese and Korean notation. */
const CJK_DAY = /(?<!\d)(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일]/u;
const VALUE = new RegExp(
  String.raw`^${DAY}(?:(?:T|\s+)(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$`,
);
const LINKED = /^\[\[(?:[^[\]|#]*\/)?([^[\]|#/]+)(?:[|#][^[\]]*)?\]\]$/;
const SECONDS = /^\d{10}$/;
const MILLISECONDS = /^\d{13}$/;

/** Parses a date, a date and time, a link to a daily note, or seconds or milliseconds since 1970. */
function valueDate(value: PropertyValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  if (MILLISECONDS.test(text)) return localDate(Number(text));
  if (SECONDS.test(text)) return localDate(Number(text) * 1_000);
  const plain = LINKED.exec(text)?.[1] ?? text;
  const match = VALUE.exec(plain);
  if (match === null) return cjkDate(plain);
  const [, year, , month, day, hours, minutes, seconds, zone] = match;
  const date = dateFromDigits([year, month, day], [hours, minutes, seconds]);
  return date === undefined || zone === undefined ? date : toLocalZone(date, zone);
}

/** Converts a time with an explicit zone to local time. */
function toLocalZone(date: string, zone: string): string | undefined {
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const time = date.includes('T') ? date : `${date}T00:00`;
  const ms = Date.parse(`${time}${offset}`);
  return Number.isNaN(ms) ? undefined : localDate(ms);
}

const NOT_IN_WORD = '(?<![0-9A-Za-z])';
const NAME_DATE = new RegExp(
  String.raw`${NOT_IN_WORD}${DAY}(?:[ T_-]*(\d{2})[.h-]?(\d{2})(?:[.-]?(\d{2}))?)?(?!\d)`,
  'g',
);
const NAME_DAY = new RegExp(String.raw`${NOT_IN_WORD}${DAY}(?!\d)`, 'g');
const FOLDERS = /(?:^|\/)(\d{4})\/(\d{1,2})\/(\d{1,2})$/;
const WEEK = /^(\d{4})-?W(\d{2})$/i;
const MONTH = /^(\d{4})-(\d{2})$/;

/** The first date in the file name; for a week or a month, its first day. A path like `2026/11/20` counts too. */
export function nameDate(path: string): NoteDate | undefined {
  const whole = path.replace(/\.[^./]*$/, '');
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  const date = dateIn(name) ?? periodDate(name) ?? folderDate(whole);
  return date === undefined ? undefined : { date, by: 'name' };
}

function dateIn(name: string): string | undefined {
  if (!/\d{4}/.test(name)) return undefined;
  for (const [, year, , month, day, ...time] of name.matchAll(NAME_DATE)) {
    const date = dateFromDigits([year, month, day], time);
    if (date !== undefined) return date;
  }
  // Digits after a day that are not a valid time are ignored.
  for (const [, year, , month, day] of name.matchAll(NAME_DAY)) {
    const date = dateFromDigits([year, month, day], []);
    if (date !== undefined) return date;
  }
  return cjkDate(name);
}

function cjkDate(text: string): string | undefined {
  const [, year, month, day] = CJK_DAY.exec(text) ?? [];
  return day === undefined ? undefined : dateFromDigits([year, month?.padStart(2, '0'), day.padStart(2, '0')], []);
}

function periodDate(name: string): string | undefined {
  const [, year, month] = MONTH.exec(name) ?? [];
  if (month !== undefined) return dateFromDigits([year, month, '01'], []);
  const [, weekYear, week] = WEEK.exec(name) ?? [];
  return week === undefined ? undefined : weekStart(Number(weekYear), Number(week));
}

function folderDate(whole: string): string | undefined {
  const [, year, month, day] = FOLDERS.exec(whole) ?? [];
  return day === undefined ? undefined : dateFromDigits([year, month?.padStart(2, '0'), day.padStart(2, '0')], []);
}

/** The Monday of an ISO week. */
export function weekStart(year: number, week: number): string | undefined {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = new Date(Date.UTC(year, 0, 4 - ((fourth.getUTCDay() + 6) % 7) + 7 * (week - 1)));
  const thursday = new Date(monday.getTime() + 3 * 86_400_000);
  if (week < 1 || thursday.getUTCFullYear() !== year) return undefined;
  return monday.toISOString().slice(0, 10);
}

type Digits = readonly (string | undefined)[];

/** Undefined for a day or time that does not exist, and for years before 1000. */
function dateFromDigits([year, month, day]: Digits, [hours, minutes, seconds]: Digits): string | undefined {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (Number(year) < 1_000 || at.getUTCMonth() !== Number(month) - 1 || Number(day) === 0) return undefined;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59 || Number(seconds ?? 0) > 59) return undefined;
  return withoutZeroTime(`${year}-${month}-${day}T${hours ?? '00'}:${minutes ?? '00'}:${seconds ?? '00'}`);
}

/** The local time at `ms`, in the format of note dates. */
export function localDate(ms: number): string {
  const at = new Date(ms);
  const year = at.getFullYear();
  // Years without four digits sort before or after every date.
  if (Number.isNaN(year) || year < 1_000) return '';
  if (year > 9_999) return '~';
  const rest = at.getMilliseconds() === 0 ? '' : `.${String(at.getMilliseconds()).padStart(3, '0')}`;
  return withoutZeroTime(
    `${localDay(at)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}${rest}`,
  );
}

/** The local calendar day. */
export function localDay(at: Date): string {
  return `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** Drops trailing zeros of the time, so that a shorter form sorts correctly. */
function withoutZeroTime(date: string): string {
  return date.replace(/(?:T00:00:00|:00)$/, '');
}
