// Reads dates and durations, and calculates with them in local time.
import { formatMoment } from '../../markdown/dates/moment-format.ts';
import { CellFault, type DateValue, type DurationValue } from './value.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Undefined for a text that is not a date such as `2026-11-20`, with or without a time. */
export function parseDateValue(text: string): DateValue | undefined {
  const [, year, month, day, hour, minute = '0', second = '0', fraction = '0', zone] = DATE.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute), Number(second)];
  const date = new Date(Number(year), Number(month) - 1, Number(day), hours, minutes, seconds);
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const local = date.getTime() + Number(fraction.padEnd(3, '0'));
  const ms = zone === undefined ? local : Date.parse(text.trim().replace(' ', 'T'));
  return Number.isNaN(ms) ? undefined : { kind: 'date', ms, hasTime: hour !== undefined };
}

/** Year, month, and day, also without signs between them, and a time; or the month first, as in the United States. */
const OTHER_DATES = [
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T(?<time>\d{4}(?:\d\d)?))?$/,
  /^(?<year>\d{4})[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?(?:[T ]+(?<time>\d{1,2}:\d\d(?::\d\d)?))?$/,
  /^(?<month>\d{1,2})[-/](?<day>\d{1,2})[-/](?<year>\d{4})(?:,? +(?<time>\d{1,2}:\d\d(?::\d\d)?))?$/,
  /^(?<year>\d{4})$/,
];
/** A text with the name of a month, which JavaScript reads. */
const WITH_MONTH =
  /^(?:[a-z]+\.?,? +)?(?:\d{1,2} +[a-z]{3,9}\.?|[a-z]{3,9}\.? +\d{1,2}),? +\d{4}(?:,? +\d{1,2}:\d\d(?::\d\d)?)?$/i;

/** What `date()` makes of a text: besides the dates of properties also `20250527`, `01/31/2025`, `2025-05` and `May 27, 2025`. */
export function readDate(written: string): DateValue | undefined {
  const text = written.trim();
  const iso = parseDateValue(text);
  if (iso !== undefined) return iso;
  for (const form of OTHER_DATES) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return parseDateValue(isoText(parts));
  }
  const ms = WITH_MONTH.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : { kind: 'date', ms, hasTime: text.includes(':') };
}

function isoText({ year, month = '1', day = '1', time }: Readonly<Record<string, string | undefined>>): string {
  const padded = (part: string): string => part.padStart(2, '0');
  const clock = time?.includes(':') ? time.split(':') : time?.match(/\d\d/g);
  const at = clock === undefined || clock === null ? '' : `T${clock.map(padded).join(':')}`;
  return `${year}-${padded(month)}-${padded(day)}${at}`;
}

const SECOND = 1000;
const DAY = 86_400_000;
/** Months and milliseconds of each unit; `M` is a month and `m` a minute. */
const UNITS: Readonly<Record<string, readonly [months: number, ms: number]>> = {
  y: [12, 0],
  year: [12, 0],
  years: [12, 0],
  M: [1, 0],
  month: [1, 0],
  months: [1, 0],
  w: [0, 7 * DAY],
  week: [0, 7 * DAY],
  weeks: [0, 7 * DAY],
  d: [0, DAY],
  day: [0, DAY],
  days: [0, DAY],
  h: [0, 3600 * SECOND],
  hour: [0, 3600 * SECOND],
  hours: [0, 3600 * SECOND],
  m: [0, 60 * SECOND],
  minute: [0, 60 * SECOND],
  minutes: [0, 60 * SECOND],
  s: [0, SECOND],
  second: [0, SECOND],
  seconds: [0, SECOND],
};
const PART = /\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*,?/y;

/** Undefined for a text that is not a duration such as `1d`, `2 weeks` or `1h 30m`. */
export function parseDuration(text: string): DurationValue | undefined {
  let [months, ms, at] = [0, 0, 0];
  do {
    PART.lastIndex = at;
    const [part = '', count, name = ''] = PART.exec(text) ?? [];
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
    if (unit === undefined) return undefined;
    months += Number(count) * unit[0];
    ms += Number(count) * unit[1];
    at += part.length;
  } while (at < text.trimEnd().length);
  return { kind: 'duration', months, ms, isDifference: false };
}

/** The milliseconds of a duration that begins on 1 January 1970, as Obsidian compares durations. */
export function millisecondsOf({ months, ms }: DurationValue): number {
  return months === 0 ? ms : Date.UTC(1970, Math.trunc(months), 1) + (months % 1) * 31 * DAY + ms;
}

export function difference(ms: number): DurationValue {
  return { kind: 'duration', months: 0, ms, isDifference: true };
}

/** A month later is the same day of the next month, or its last day; the time of day stays. @param sign 1 or -1 */
export function shifted(date: DateValue, duration: DurationValue, sign: 1 | -1): DateValue {
  const at = new Date(date.ms);
  const months = Math.trunc(duration.months) * sign;
  if (months !== 0) {
    const day = at.getDate();
    at.setMonth(at.getMonth() + months);
    if (at.getDate() !== day) at.setDate(0);
  }
  const ms = duration.ms + (duration.months % 1) * 31 * DAY;
  // Whole days keep the time of day when the clocks change.
  const days = ms % DAY === 0 ? ms / DAY : 0;
  at.setDate(at.getDate() + days * sign);
  at.setTime(at.getTime() + (ms - days * DAY) * sign);
  return datedValue(at.getTime(), date.hasTime || ms % DAY !== 0);
}

/** @throws CellFault for a time beyond what a date can hold */
export function datedValue(ms: number, hasTime: boolean): DateValue {
  if (Number.isNaN(new Date(ms).getTime())) throw new CellFault('the date is out of range');
  return { kind: 'date', ms, hasTime };
}

export function dayOf({ ms }: DateValue): DateValue {
  const date = new Date(ms);
  return { kind: 'date', ms: new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime(), hasTime: false };
}

/** @throws CellFault for a letter that is not supported */
export function formatted({ ms }: DateValue, format: string): string {
  const result = formatMoment(new Date(ms), format);
  if ('unknown' in result) throw new CellFault(`the date format letter ${result.unknown} is not supported`);
  return result.text;
}

/** `2026-11-20`, or `2026-11-20 09:30:00` with a time. */
export function dateText(date: DateValue): string {
  return formatted(date, date.hasTime ? 'YYYY-MM-DD HH:mm:ss' : 'YYYY-MM-DD');
}

/** A year of 365.2425 days. */
const MONTH = 30.436875 * DAY;

const DURATION_UNITS: Readonly<Record<string, number>> = {
  years: 12 * MONTH,
  months: MONTH,
  weeks: 7 * DAY,
  days: DAY,
  hours: 3600 * SECOND,
  minutes: 60 * SECOND,
  seconds: SECOND,
  milliseconds: 1,
};

/** The whole duration in this unit, with a fraction; undefined for a name that is not a unit. */
export function durationIn(duration: DurationValue, unit: string): number | undefined {
  const size = Object.hasOwn(DURATION_UNITS, unit) ? DURATION_UNITS[unit] : undefined;
  return size === undefined ? undefined : (duration.months * MONTH + duration.ms) / size;
}

/** The name of each step, its length in milliseconds, and how many of it are the next step. */
const STEPS: readonly (readonly [name: string, ms: number, most: number])[] = [
  ['second', SECOND, 45],
  ['minute', 60 * SECOND, 45],
  ['hour', 3600 * SECOND, 22],
  ['day', DAY, 26],
  ['month', MONTH, 11],
  ['year', 12 * MONTH, Number.POSITIVE_INFINITY],
];

/** `3 days ago` or `in 2 hours`, with the roundings of Moment.js. */
export function relativeText(date: DateValue, now: Date): string {
  const past = now.getTime() - date.ms;
  const size = Math.abs(past);
  const [name, ms] = STEPS.find(([, length, most]) => Math.round(size / length) < most) ?? ['year', 12 * MONTH];
  const count = Math.max(1, Math.round(size / ms));
  const one = name === 'hour' ? 'an hour' : `a ${name}`;
  const length = name === 'second' ? 'a few seconds' : count === 1 ? one : `${count} ${name}s`;
  return past >= 0 ? `${length} ago` : `in ${length}`;
}
