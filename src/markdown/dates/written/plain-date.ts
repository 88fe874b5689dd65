// A date as a text writes it, with no more precision than the text has.
import { weekStart } from '../note-date.ts';

/** Absent parts are not written; without a year it is a day of some year. */
export interface PlainDate {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
  readonly quarter?: number | undefined;
  readonly week?: number | undefined;
  /** `14:30` or `14:30:05`, in local time. */
  readonly time?: string | undefined;
}

export type Precision = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'time';

const MONTHS_OF_QUARTER = 3;
export const digits = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Undefined for a day or a month that does not exist. */
export function existing(year?: string, month?: string, day?: string): PlainDate | undefined {
  const date = { year: Number(year), month: Number(month), ...(day !== undefined && { day: Number(day) }) };
  return exists(date) ? date : undefined;
}

export function existingWeek(year?: string, week?: string): PlainDate | undefined {
  const date = { year: Number(year), week: Number(week) };
  return weekStart(date.year, date.week) === undefined ? undefined : date;
}

/** In a leap year if it has no year. */
export function exists({ year = 2000, month = 1, day = 1 }: PlainDate): boolean {
  const at = new Date(Date.UTC(year, month - 1, day));
  return month >= 1 && at.getUTCMonth() === month - 1 && day >= 1;
}

export function precisionOf({ month, day, quarter, week, time }: PlainDate): Precision {
  if (time !== undefined) return 'time';
  if (day !== undefined) return 'day';
  if (week !== undefined) return 'week';
  if (month !== undefined) return 'month';
  return quarter === undefined ? 'year' : 'quarter';
}

/** `2024`, `2024-Q1`, `2024-W12`, `2024-03`, `2024-03-12` or `2024-03-12T14:30`. The date has a year. */
export function isoOf({ year = 0, month, day, quarter, week, time }: PlainDate): string {
  const start = digits(year, 4);
  if (quarter !== undefined) return `${start}-Q${quarter}`;
  if (week !== undefined) return `${start}-W${digits(week)}`;
  if (month === undefined) return start;
  if (day === undefined) return `${start}-${digits(month)}`;
  const whole = `${start}-${digits(month)}-${digits(day)}`;
  return time === undefined ? whole : `${whole}T${time}`;
}

/** What `isoOf` writes, or the date of a note. */
export function plainDate(iso: string): PlainDate {
  const [, year, part = '', day, time] = ISO.exec(iso) ?? [];
  const start = { year: Number(year) };
  const [kind] = part;
  if (part === '') return start;
  if (kind === 'Q') return { ...start, quarter: Number(part.slice(1)) };
  if (kind === 'W') return { ...start, week: Number(part.slice(1)) };
  const month = { ...start, month: Number(part) };
  return day === undefined ? month : { ...month, day: Number(day), ...(time !== undefined && { time }) };
}

const ISO = /^(\d{4})(?:-(Q\d|W\d\d|\d\d)(?:-(\d\d)(?:T(.+))?)?)?$/;

/** The first moment of a date, and the first one after it, as texts that sort by time. The date has a year. */
export function spanOf(date: PlainDate): { readonly start: string; readonly end: string } {
  const { year = 0, month = 1, day = 1, quarter, week } = date;
  const precision = precisionOf(date);
  if (precision === 'time') return { start: isoOf(date), end: `${isoOf(date)}~` };
  if (week !== undefined) {
    const [of = 0, at = 1, first = 1] = (weekStart(year, week) ?? '').split('-').map(Number);
    return { start: dayText(of, at, first), end: dayText(of, at, first + 7) };
  }
  if (quarter !== undefined) {
    const last = quarter * MONTHS_OF_QUARTER;
    return { start: dayText(year, last - 2, 1), end: dayText(year, last + 1, 1) };
  }
  if (precision === 'year') return { start: dayText(year, 1, 1), end: dayText(year + 1, 1, 1) };
  if (precision === 'month') return { start: dayText(year, month, 1), end: dayText(year, month + 1, 1) };
  return { start: dayText(year, month, day), end: dayText(year, month, day + 1) };
}

/** Months and days beyond the last one are those of the next. Years have four digits. */
function dayText(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
/** So near, every other year is at least nine months away. */
const MAX_DAYS = 92;

/** The year of a day without one that is near another date; undefined where it is not certain. @param around with a year */
export function resolvedYear(day: PlainDate, around: PlainDate): number | undefined {
  const { start, end } = spanOf(around);
  const [from, to] = [start, end].map((iso) => Date.parse(iso.slice(0, 10))) as [number, number];
  const years = [0, -1, 1].map((by) => (around.year ?? 0) + by);
  const distances = years.map((year) => {
    const at = Date.parse(spanOf({ ...day, year }).start.slice(0, 10));
    return { year, days: Math.max(from - at, at - to, 0) / DAY_MS };
  });
  const nearest = distances.toSorted((one, other) => one.days - other.days)[0];
  return nearest !== undefined && nearest.days <= MAX_DAYS ? nearest.year : undefined;
}
