// Counts in the units of the local calendar: the week that contains a time, the day three months later.

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** The end is exclusive. */
export type Span = readonly [from: Date, to: Date];

/** By the ways in which people write them; `m` is missing, because it can mean minutes and months. */
export const UNITS: Readonly<Record<string, Unit>> = {
  ...spelled('minute', 'min', 'mins', 'minute', 'minutes'),
  ...spelled('hour', 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...spelled('day', 'd', 'day', 'days'),
  ...spelled('week', 'w', 'wk', 'wks', 'week', 'weeks'),
  ...spelled('month', 'mo', 'mos', 'month', 'months'),
  ...spelled('quarter', 'q', 'quarter', 'quarters'),
  ...spelled('year', 'y', 'yr', 'yrs', 'year', 'years'),
};

function spelled(unit: Unit, ...words: readonly string[]): Record<string, Unit> {
  return Object.fromEntries(words.map((word) => [word, unit]));
}

const MS_OF: Partial<Record<Unit, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 };
const DAYS_OF: Partial<Record<Unit, number>> = { day: 1, week: 7 };
const MONTHS_OF: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 };

/** The day, week (from Monday), month, quarter or year that contains `at`, shifted by `shift` units. */
export function spanAt(at: Date, unit: Exclude<Unit, 'second' | 'minute' | 'hour'>, shift: number): Span {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  const months = MONTHS_OF[unit];
  if (months !== undefined) {
    const first = month - (month % months) + months * shift;
    return [new Date(year, first), new Date(year, first + months)];
  }
  const [from, days] = unit === 'day' ? [day + shift, 1] : [day - ((at.getDay() + 6) % 7) + 7 * shift, 7];
  return [new Date(year, month, from), new Date(year, month, from + days)];
}

/** So many units with today as the last day, or the first if `count` is positive. Hours and minutes are counted from now. */
export function spanOfUnits(now: Date, count: number, unit: Unit): Span {
  const other = addUnits(now, count, unit);
  if (unit === 'second' || unit === 'minute' || unit === 'hour') return count < 0 ? [other, now] : [now, other];
  const [today, tomorrow] = spanAt(now, 'day', 0);
  const [day, dayAfter] = spanAt(other, 'day', 0);
  return count < 0 ? [dayAfter, tomorrow] : [today, day];
}

/** The same time of day; the last day of the month if the month is too short. Hours and minutes are exact lengths of time. */
export function addUnits(at: Date, count: number, unit: Unit): Date {
  const date = new Date(at);
  const [days, months] = [DAYS_OF[unit], MONTHS_OF[unit]];
  if (days !== undefined) date.setDate(at.getDate() + count * days);
  else if (months !== undefined) addMonths(date, count * months);
  else date.setTime(at.getTime() + count * (MS_OF[unit] ?? 0));
  return date;
}

function addMonths(date: Date, count: number): void {
  const day = date.getDate();
  date.setMonth(date.getMonth() + count);
  if (date.getDate() !== day) date.setDate(0);
}
