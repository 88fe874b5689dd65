// Parses dates and periods in filters, in the local time zone.
import { VaultgraphError } from '../../base/errors.ts';
import { weekStart } from '../../markdown/frontmatter/note-date.ts';

/** `due_before` uses the start of a period like `since`, `due_after` the end like `until`. */
type Edge = 'before' | 'since' | 'until' | 'modified_since' | 'due_before' | 'due_after';
type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The end is exclusive. */
type Span = readonly [from: Date, to: Date];

const UNITS: Readonly<Record<string, Unit>> = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' };
const SHORT_DURATION = /^(\d{1,5})([hdwmy])$/;
const UNITS_AGO = /^(\d{1,5}|an?|one) (hour|day|week|month|year)s? ago$/;
const LAST_N_UNITS = /^(?:last|past) (\d{1,5}) (hour|day|week|month|year)s?$/;
const NAMED_SPAN = /^(last|this|next) (week|month|year)$/;
const SHIFTS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const MONTH = /^([1-9]\d{3})(?:-(\d{2}))?$/;
const WEEK = /^([1-9]\d{3})-w(\d{2})$/;
const TIME = /^([1-9]\d{3}-\d{2}-\d{2})[t ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(z|[+-]\d{2}:\d{2})?$/;
const DAY = /^([1-9]\d{3})-(\d{2})-(\d{2})(?![^t ])/;

/** The fields that mean the end of a period. */
const ENDS: ReadonlySet<Edge> = new Set(['until', 'due_after']);

/**
 * The point in time in milliseconds since 1970. For a day (`2026-11-20`, `today`, `3 days ago`), week (`2026-W47`, `next week`, from Monday),
 * month (`2026-11`, `this month`) or year (`2026`) this is the start for `since` and the end for `until`. A time (`2026-11-20T09:30`, with
 * or without zone) or a duration (`12h`, `7d`, `2w`, `3m` months, `1y`, `last 7 days`) is the same point in time for both.
 * @throws INVALID_QUERY
 */
export function parseDate(text: string, field: Edge, now: Date): number {
  const written = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/^@/, '');
  const span = parseSpan(written, field, now);
  if (span !== undefined) return (ENDS.has(field) ? span[1] : span[0]).getTime();
  const moment = parseTime(written, field, now);
  if (moment === undefined) throw invalidDate(field, 0, 'unknown format');
  return moment;
}

function parseSpan(written: string, field: Edge, now: Date): Span | undefined {
  const day = DAYS[written];
  if (day !== undefined) return spanAt(now, 'day', day);
  const [, which = '', named] = NAMED_SPAN.exec(written) ?? [];
  if (named !== undefined) return spanAt(now, named as Unit, SHIFTS[which] ?? 0);
  const [, count, unit] = UNITS_AGO.exec(written) ?? [];
  if (unit !== undefined && unit !== 'hour') return spanAt(subtract(now, parseCount(count), unit as Unit), 'day', 0);
  return calendarSpan(written, field);
}

/** Parses a year, month, week or day; undefined for a time of day. */
function calendarSpan(written: string, field: Edge): Span | undefined {
  const [, year, month] = MONTH.exec(written) ?? [];
  if (month !== undefined && (month === '00' || Number(month) > 12)) throw invalidDate(field, 5, 'no such month');
  if (year !== undefined) return spanAt(new Date(Number(year), Number(month ?? 1) - 1), month ? 'month' : 'year', 0);
  const [, weekYear, week] = WEEK.exec(written) ?? [];
  if (week !== undefined) return weekSpan(Number(weekYear), Number(week), field);
  const day = DAY.exec(written);
  if (day === null) return undefined;
  const date = dayOf(day, field);
  return written.length === '2026-11-20'.length ? spanAt(date, 'day', 0) : undefined;
}

function weekSpan(year: number, week: number, field: Edge): Span {
  const monday = weekStart(year, week);
  if (monday === undefined) throw invalidDate(field, 5, 'no such week');
  return spanAt(new Date(`${monday}T00:00`), 'week', 0);
}

function dayOf([, year, month, day]: RegExpExecArray, field: Edge): Date {
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (date.getMonth() !== Number(month) - 1 || Number(day) === 0) throw invalidDate(field, 5, 'no such day');
  return date;
}

/** Parses a time of day or a duration. */
function parseTime(written: string, field: Edge, now: Date): number | undefined {
  const [, count, named = ''] = SHORT_DURATION.exec(written) ?? LAST_N_UNITS.exec(written) ?? [];
  if (count !== undefined) return subtract(now, Number(count), UNITS[named] ?? (named as Unit)).getTime();
  const [, hours] = UNITS_AGO.exec(written) ?? [];
  if (hours !== undefined) return subtract(now, parseCount(hours), 'hour').getTime();
  const time = TIME.exec(written);
  return time === null ? undefined : timeOf(time, field);
}

function timeOf([written, , hours, minutes, seconds]: RegExpExecArray, field: Edge): number {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) {
    throw invalidDate(field, 11, 'no such time of day');
  }
  const moment = Date.parse(written.replace(' ', 'T').toUpperCase());
  if (Number.isNaN(moment)) throw invalidDate(field, 16, 'no such time zone');
  return moment;
}

const parseCount = (written: string | undefined): number => (/^\d/.test(written ?? '') ? Number(written) : 1);

/** The day, week, month or year that contains `at`, shifted by `shift` units. */
function spanAt(at: Date, unit: Unit, shift: number): Span {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === 'year') return [new Date(year + shift, 0), new Date(year + shift + 1, 0)];
  if (unit === 'month') return [new Date(year, month + shift), new Date(year, month + shift + 1)];
  const [from, days] = unit === 'day' ? [day + shift, 1] : [day - ((at.getDay() + 6) % 7) + 7 * shift, 7];
  return [new Date(year, month, from), new Date(year, month, from + days)];
}

/** The same time of day, earlier; the last day of the month if the month is too short. */
function subtract(now: Date, count: number, unit: Unit): Date {
  const date = new Date(now);
  if (unit === 'hour') date.setTime(now.getTime() - count * 3_600_000);
  else if (unit === 'day' || unit === 'week') date.setDate(now.getDate() - count * (unit === 'week' ? 7 : 1));
  else subtractMonths(date, count * (unit === 'year' ? 12 : 1));
  return date;
}

function subtractMonths(date: Date, count: number): void {
  const day = date.getDate();
  date.setMonth(date.getMonth() - count);
  if (date.getDate() !== day) date.setDate(0);
}

function invalidDate(field: Edge, position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field, position, reason });
}
