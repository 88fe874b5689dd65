// Parses periods as people write them (`2026-W47`, `last 2 weeks`, `in 3 days`, `next friday`), in the local time zone.
import { localDay, weekStart } from '../../markdown/dates/note-date.ts';
import { addUnits, type Span, spanAt, spanOfUnits, UNITS, type Unit } from './calendar.ts';

export type PeriodUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** In milliseconds since 1970. */
export interface Period {
  /** Absent for a period that has no beginning, such as `until friday`. */
  readonly from?: number;
  /** Exclusive, and equal to `from` for a point in time; absent for a period without end. */
  readonly to?: number;
  /** Only of one whole day, week, month, quarter or year. */
  readonly unit?: PeriodUnit;
  /** Only of a bare length of time, such as `7d`, which is a point in time itself: the days that it covers. */
  readonly covers?: { readonly from: number; readonly to: number };
}

export interface PeriodFault {
  readonly position: number;
  readonly reason: string;
}

/** Which way a bare length of time (`7d`) or name (`friday`, `Q3`) lies; `none` where these are no periods. */
export type Bare = 'past' | 'ahead' | 'none';

interface Reading {
  readonly now: Date;
  readonly bare: Bare;
}

/** Undefined for another form. */
type Read = (groups: readonly (string | undefined)[], reading: Reading) => Period | PeriodFault | undefined;

export function isPeriodFault(read: Period | PeriodFault): read is PeriodFault {
  return 'reason' in read;
}

export function parsePeriod(text: string, bare: Bare, now: Date): Period | PeriodFault {
  if (text.length > MAX_LENGTH) return { position: 0, reason: UNKNOWN };
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/^@/, '');
  const period = periodIn(plain.replace(FILLERS, ''), { now, bare });
  if (period === undefined) return { position: 0, reason: UNKNOWN };
  return isPeriodFault(period) || isNear(period) ? period : { position: 0, reason: 'that is too far from today' };
}

/** Years without four digits do not compare as text. */
function isNear({ from, to }: Period): boolean {
  return [from, to].every((at = 0) => {
    const year = new Date(at).getFullYear();
    return year >= 1_000 && year <= 9_999;
  });
}

function periodIn(written: string, reading: Reading, forms = ALL_FORMS): ReturnType<Read> {
  for (const [pattern, read] of forms) {
    const [, ...groups] = pattern.exec(written) ?? [];
    const period = groups.length === 0 ? undefined : read(groups, reading);
    if (period !== undefined) return period;
  }
  return undefined;
}

const MAX_LENGTH = 100;
/** The reason against a text of another form. */
export const UNKNOWN = 'unknown format';
const FILLERS = /^(?:(?:on|during|over|for) |(?:(?:in|on|during|over|for|within) )?the )/;
const COUNTS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const COUNT = `(\\d{1,5}|(?:an?|${COUNTS.join('|')})(?= ))`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const WEEKDAY =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r?s?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)';
const YEAR = '([1-9]\\d{3})';
const DAY_OF_MONTH = '(\\d{1,2})(?:st|nd|rd|th)?';
const SHIFTS: Readonly<Record<string, number>> = { last: -1, previous: -1, this: 0, current: 0, next: 1, coming: 1 };
const WHICH = `(${Object.keys(SHIFTS).join('|')})`;
const DAYS: Readonly<Record<string, number>> = {
  'day before yesterday': -2,
  yesterday: -1,
  today: 0,
  tomorrow: 1,
  'day after tomorrow': 2,
};
/** The hours from and to. A night is also the evening before it. */
const PARTS_OF_DAY: Readonly<Record<string, readonly [number, number]>> = {
  morning: [4, 12],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [18, 28],
};
const TIME = `${YEAR}-(\\d{2})-(\\d{2})[t ](\\d{2}):(\\d{2})(?::(\\d{2}(?:\\.\\d{1,9})?))?(z|[+-]\\d{2}:\\d{2})?`;

const form = (pattern: string, read: Read): readonly [RegExp, Read] => [new RegExp(`^${pattern}$`), read];

/** The first that fits decides. */
const FORMS: readonly (readonly [RegExp, Read])[] = [
  form(`(${Object.keys(DAYS).join('|')})`, ([day = ''], { now }) => whole(now, 'day', DAYS[day])),
  form('(now)', (_, { now }) => point(now)),
  form(`${WHICH} (week|month|quarter|year)`, ([which = '', unit], { now }) =>
    whole(now, unit as PeriodUnit, SHIFTS[which]),
  ),
  form(`${WHICH} (weekend)`, ([which = ''], { now }) => {
    const [, monday] = spanAt(now, 'week', SHIFTS[which] ?? 0);
    return ofSpan([addUnits(monday, -2, 'day'), monday]);
  }),
  form(`${WHICH} ${WEEKDAY}`, ([which = '', day], { now }) => weekday(day, SHIFTS[which] ?? 0, now)),
  form(`(last|past|previous|next|coming)(?: ${COUNT})? ?([a-z]+)`, ([which = '', count, unit], { now }) => {
    // `last week` is a week of the calendar and was read above; `past week` are the last seven days.
    if (count === undefined && which !== 'past' && unit !== 'hour') return undefined;
    return length(count, unit, (many, of) => ofSpan(spanOfUnits(now, (SHIFTS[which] ?? -1) * many, of)));
  }),
  form(`${COUNT} ?([a-z]+) ago`, ([count, unit], { now }) => length(count, unit, (many, of) => away(now, -many, of))),
  form(`in ${COUNT} ?([a-z]+)`, ([count, unit], { now }) => length(count, unit, (many, of) => away(now, many, of))),
  form(`${COUNT} ?([a-z]+) from (?:now|today)`, ([count, unit], { now }) =>
    length(count, unit, (many, of) => away(now, many, of)),
  ),
  form(`(q[1-4])[ -]?${YEAR}`, ([quarter, year]) => quarterOf(year, quarter)),
  form(`${YEAR}[ -]?(q[1-4])`, ([year, quarter]) => quarterOf(year, quarter)),
  form('(q[1-4])', ([quarter], reading) => nearest(reading, (year) => quarterOf(String(year), quarter))),
  form(`${YEAR}-?w(\\d{2})`, ([year, week]) => weekOf(year, week)),
  form(`(?:w|week )(\\d{1,2})(?:,? ${YEAR})?`, ([week, year], reading) =>
    year === undefined ? nearest(reading, (near) => weekOf(String(near), week)) : weekOf(year, week),
  ),
  form(`${MONTH}(?: ${YEAR})?`, ([name = '', year], reading) => named(reading, year, name)),
  form(`${WHICH} ${MONTH}`, ([which = '', name = ''], { now }) => monthBeside(now, SHIFTS[which] ?? 0, name)),
  form(`${DAY_OF_MONTH}\\.? ${MONTH}(?:,? ${YEAR})?`, ([day, name = '', year], reading) =>
    named(reading, year, name, day),
  ),
  form(`${MONTH} ${DAY_OF_MONTH}(?:,? ${YEAR})?`, ([name = '', day, year], reading) => named(reading, year, name, day)),
  form(WEEKDAY, ([day], { now, bare }) => {
    if (bare === 'none') return undefined;
    const isToday = WEEKDAYS[(now.getDay() + 6) % 7] === day?.slice(0, 3);
    return isToday ? whole(now, 'day', 0) : weekday(day, bare === 'past' ? -1 : 1, now);
  }),
  form(`${YEAR}(?:-(\\d{2}))?`, ([year, month]) => {
    if (month === undefined) return whole(new Date(Number(year), 0), 'year', 0);
    if (Number(month) < 1 || Number(month) > 12) return fault(5, 'no such month');
    return whole(new Date(Number(year), Number(month) - 1), 'month', 0);
  }),
  form(`${YEAR}-(\\d{2})-(\\d{2})`, ([year, month, day]) => dayOf(year, Number(month), day)),
  form(TIME, timeOf),
  form('(\\d{1,2})\\. ?(\\d{1,2})\\. ?([1-9]\\d{3})', ([day, month, year], { bare }) => {
    return bare === 'none' ? undefined : dayOf(year, Number(month), day);
  }),
  form(`${YEAR}([/.])(\\d{1,2})\\2(\\d{1,2})`, ([year, , month, day], { bare }) => {
    return bare === 'none' ? undefined : dayOf(year, Number(month), day);
  }),
  form(`(\\d{1,2})/(\\d{1,2})/${YEAR}`, withSlashes),
  form(`${YEAR} ?[年년] ?(\\d{1,2}) ?[月월](?: ?(\\d{1,2}) ?[日일])?`, ([year, month, day], { bare }) => {
    if (bare === 'none') return undefined;
    const first = dayOf(year, Number(month), day ?? '1');
    return day !== undefined || isPeriodFault(first) ? first : whole(new Date(first.from ?? 0), 'month', 0);
  }),
  form(`${COUNT} ?([a-z]+)`, ([count, unit], { now, bare }) => {
    if (bare === 'none') return undefined;
    return length(count, unit, (many, of) => {
      const signed = bare === 'past' ? -many : many;
      return { ...point(addUnits(now, signed, of)), covers: ofSpan(spanOfUnits(now, signed, of)) };
    });
  }),
];

/** They name a part of a day, a time on it, or a longer period, by one of the forms above. */
const FORMS_OF_DAYS: typeof FORMS = [
  form(`(?:(.+) |to)(${Object.keys(PARTS_OF_DAY).join('|')})`, partOfDay),
  form("(.+?),? (at )?(\\d{1,2})(?::(\\d{2}))?(?: ?([ap]m)| o'clock)?", clockOf),
  form('in (.+)', ([rest = ''], reading) => {
    const period = periodIn(rest, reading, FORMS);
    const isLong =
      period !== undefined && !isPeriodFault(period) && hasUnit(period, 'week', 'month', 'quarter', 'year');
    return isLong ? period : undefined;
  }),
];

const SIMPLE_FORMS: typeof FORMS = [...FORMS, ...FORMS_OF_DAYS];

/** What they are made of is one of the simple forms. */
const FORMS_OF_FORMS: typeof FORMS = [
  form('(?:between )?(.+?) (?:and|to|until|–) (.+)', range),
  form('from (.+?) (?:and|to|until|–) (.+)', range),
  form('(.+?) ?\\.\\. ?(.+)', range),
  form('(?:since|from) (.+)', ([rest = ''], { now }) => side(rest, { now, bare: 'past' }, ({ from }) => ({ from }))),
  form('after (.+)', ([rest = ''], reading) => side(rest, reading, ({ to }) => ({ from: to }))),
  form('(?:until|till|by) (.+)', ([rest = ''], reading) => side(rest, reading, ({ to }) => ({ to }))),
  form('before (.+)', ([rest = ''], reading) => side(rest, reading, ({ from }) => ({ to: from }))),
];

const ALL_FORMS: typeof FORMS = [...SIMPLE_FORMS, ...FORMS_OF_FORMS];

const fault = (position: number, reason: string): PeriodFault => ({ position, reason });
const point = (at: Date): Period => ({ from: at.getTime(), to: at.getTime() });
const ofSpan = ([from, to]: Span) => ({ from: from.getTime(), to: to.getTime() });

function whole(at: Date, unit: PeriodUnit, shift = 0): Period {
  return { ...ofSpan(spanAt(at, unit, shift)), unit };
}

/** The unit may be written in several ways. `m` is refused, because it is read as minutes and as months. */
function length(
  count: string | undefined,
  written: string | undefined,
  read: (many: number, unit: Unit) => Period,
): Period | PeriodFault | undefined {
  const many = countIn(count);
  if (written === 'm') return fault(0, `\`m\` can be minutes or months; write \`${many}min\` or \`${many}mo\``);
  const unit = Object.hasOwn(UNITS, written ?? '') ? UNITS[written ?? ''] : undefined;
  return unit === undefined ? undefined : read(many, unit);
}

function countIn(written = 'one'): number {
  if (/^\d/.test(written)) return Number(written);
  return written.startsWith('a') ? 1 : COUNTS.indexOf(written);
}

/** A point in time for hours and minutes, otherwise the whole day. */
function away(now: Date, count: number, unit: Unit): Period {
  const at = addUnits(now, count, unit);
  return unit === 'minute' || unit === 'hour' ? point(at) : whole(at, 'day', 0);
}

/** `this`: in this week. `last` and `next`: the nearest one that is not today. */
function weekday(name = '', which: number, now: Date): Period {
  const [monday] = spanAt(now, 'week', 0);
  const today = (now.getDay() + 6) % 7;
  const day = WEEKDAYS.indexOf(name.slice(0, 3));
  const isOver = which < 0 ? day >= today : day <= today;
  return whole(addUnits(monday, day + (which !== 0 && isOver ? 7 * which : 0), 'day'), 'day', 0);
}

/** `last`: the nearest one that is over. `next`: the nearest one that has not begun. */
function monthBeside(now: Date, which: number, name: string): Period | undefined {
  const month = MONTHS.indexOf(name.slice(0, 3));
  const at = now.getTime();
  const [before, current, after] = [-1, 0, 1].map((shift) =>
    whole(new Date(now.getFullYear() + shift, month), 'month', 0),
  ) as [Period, Period, Period];
  if (which < 0) return (current.to ?? 0) <= at ? current : before;
  return which > 0 && (current.from ?? 0) <= at ? after : current;
}

function quarterOf(year: string | undefined, quarter: string | undefined): Period {
  return whole(new Date(Number(year), (Number(quarter?.slice(1)) - 1) * 3), 'quarter', 0);
}

function weekOf(year: string | undefined, week: string | undefined): Period | PeriodFault {
  const monday = weekStart(Number(year), Number(week));
  return monday === undefined ? fault(5, 'no such week') : whole(new Date(`${monday}T00:00`), 'week', 0);
}

/** A month, or a day of it. */
function named(reading: Reading, year: string | undefined, name: string, day?: string): ReturnType<Read> {
  const month = MONTHS.indexOf(name.slice(0, 3)) + 1;
  const of = (each: string): Period | PeriodFault =>
    day === undefined ? whole(new Date(Number(each), month - 1), 'month', 0) : dayOf(each, month, day);
  return year === undefined ? nearest(reading, (each) => of(String(each))) : of(year);
}

/** The last that has begun, or the next that is not over. */
function nearest({ now, bare }: Reading, of: (year: number) => Period | PeriodFault): ReturnType<Read> {
  if (bare === 'none') return undefined;
  const years = [-1, 0, 1].map((shift) => of(now.getFullYear() + shift));
  const periods = years.filter((year) => !isPeriodFault(year)) as Period[];
  const at = now.getTime();
  if (bare === 'past') return periods.findLast(({ from = 0 }) => from <= at) ?? years[1];
  return periods.find(({ to = 0 }) => to > at) ?? years[1];
}

function dayOf(year: string | undefined, month: number, day: string | undefined): Period | PeriodFault {
  const date = new Date(Number(year), month - 1, Number(day));
  if (date.getMonth() !== month - 1 || Number(day) === 0) return fault(5, 'no such day');
  return whole(date, 'day', 0);
}

function timeOf([year, month, day, hours, minutes, seconds = '00', zone]: Parameters<Read>[0]): Period | PeriodFault {
  const date = dayOf(year, Number(month), day);
  if (isPeriodFault(date)) return date;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60) return fault(11, 'no such time of day');
  const at = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}${zone?.toUpperCase() ?? ''}`);
  return Number.isNaN(at) ? fault(16, 'no such time zone') : point(new Date(at));
}

/** Americans write the month first. */
function withSlashes([first, second, year]: Parameters<Read>[0], { bare }: Reading): ReturnType<Read> {
  if (bare === 'none') return undefined;
  const [dayFirst, monthFirst] = [dayOf(year, Number(second), first), dayOf(year, Number(first), second)];
  if (isPeriodFault(dayFirst) || first === second) return monthFirst;
  if (isPeriodFault(monthFirst)) return dayFirst;
  const [one, other] = [dayFirst, monthFirst].map(({ from = 0 }) => localDay(new Date(from)));
  return fault(0, `the day or the month can be first; write \`${one}\` or \`${other}\``);
}

/** `yesterday evening`, `monday morning`, `this afternoon`, `last night`, `tonight`. */
function partOfDay([day, part = '']: Parameters<Read>[0], reading: Reading): ReturnType<Read> {
  if (day === undefined && part !== 'night') return undefined;
  const date = dayIn({ last: 'yesterday', this: 'today' }[day ?? 'this'] ?? day ?? '', reading);
  const [from = 0, to = 0] = PARTS_OF_DAY[part] ?? [];
  return date && ofSpan([hourOf(date, from), hourOf(date, to)]);
}

/** `yesterday at 18:30`, `monday 6pm`. A number alone can be a day. */
function clockOf(
  [day = '', at, hours, minutes, half]: Parameters<Read>[0],
  reading: Reading,
): Period | PeriodFault | undefined {
  const date = at === undefined && minutes === undefined && half === undefined ? undefined : dayIn(day, reading);
  if (date === undefined) return undefined;
  const isTwelve = half !== undefined;
  const hour = isTwelve ? (Number(hours) % 12) + (half === 'pm' ? 12 : 0) : Number(hours);
  const exists = hour <= 23 && Number(minutes ?? 0) <= 59 && (!isTwelve || (Number(hours) >= 1 && Number(hours) <= 12));
  return exists ? point(hourOf(date, hour, Number(minutes ?? 0))) : fault(day.length + 1, 'no such time of day');
}

/** Undefined for what is not one day. */
function dayIn(written: string, reading: Reading): Date | undefined {
  const period = periodIn(written.replace(FILLERS, ''), reading, FORMS);
  if (period === undefined || isPeriodFault(period) || !hasUnit(period, 'day')) return undefined;
  return new Date(period.from ?? 0);
}

const hasUnit = ({ unit }: Period, ...units: readonly PeriodUnit[]): boolean =>
  unit !== undefined && units.includes(unit);

/** By the clock, also on a day on which it is changed. */
const hourOf = (day: Date, hours: number, minutes = 0): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours, minutes);

function range([first = '', last = '']: Parameters<Read>[0], reading: Reading): ReturnType<Read> {
  const isBare = reading.bare !== 'none';
  const one = periodIn(first, isBare ? { ...reading, bare: 'past' } : reading, SIMPLE_FORMS);
  const other = periodIn(last, isBare ? { ...reading, bare: 'ahead' } : reading, SIMPLE_FORMS);
  if (one === undefined || other === undefined) return undefined;
  if (isPeriodFault(one)) return one;
  if (isPeriodFault(other)) return other;
  const { from } = one;
  const { to } = other;
  if (from === undefined || to === undefined) return undefined;
  return from <= to ? { from, to } : fault(0, 'it ends before it begins');
}

function side(rest: string, reading: Reading, of: (period: Period) => object): ReturnType<Read> {
  const period = periodIn(rest.replace(FILLERS, ''), reading, SIMPLE_FORMS);
  return period === undefined || isPeriodFault(period) ? period : of(period);
}
