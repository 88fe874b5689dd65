// Puts the parts of dates that follow each other together: days, months, seasons, parts of these, and ranges.
import type { FoundMonth } from './month-names.ts';
import { weekStart } from './note-date.ts';
import type { YearlyTime } from './period-words.ts';
import { digits, exists, type PlainDate } from './written/plain-date.ts';

/** A part of a date, or `gap`, which no date contains. */
export type Part = (
  | { readonly kind: 'month'; readonly value: number; readonly certain: FoundMonth['certain'] }
  | { readonly kind: 'year' | 'number' | 'day' | 'quarter' | 'week' | 'decade'; readonly value: number }
  | { readonly kind: 'share'; readonly value: number; readonly of: number; readonly follows: boolean }
  | { readonly kind: 'yearly'; readonly time: YearlyTime }
  | { readonly kind: 'dates'; readonly dates: readonly PlainDate[] }
  | { readonly kind: 'half' | 'last' }
) & {
  /** Whether what is before it is the beginning of a range that ends with it. */
  readonly isEnd?: boolean;
};

export interface NamedPeriod {
  /** Only of one whole day, month, quarter or week. */
  readonly date?: PlainDate;
  /** How the ISO dates of its days begin, all of one length; `_` is any digit, where the text names no year. */
  readonly units: readonly string[];
  /** Whether it can only be a date: a year alone is often a number, and a season without a year another word. */
  readonly isSure: boolean;
}

/** With the index of its first part. */
interface Placed extends NamedPeriod {
  readonly first: number;
}

/** Leaves some of the days of a month, the months of a year, … */
type Cut = (units: readonly string[]) => readonly string[];

/** What a part names: the first of its own parts, and how it cuts what is beside it. */
interface Slice {
  readonly first: number;
  readonly cut: Cut;
}

const MONTHS = 12;
const DAYS = 31;
const YEARS_OF_DECADE = 10;
const DAYS_OF_WEEK = 7;
const MAX_WEEK_OF_MONTH = 5;

/** The periods that a run of parts names: a year counts for all parts beside it that have none. @param isBetween whether the second ends a range */
export function periodsOf(cluster: readonly Part[], isBetween: boolean): NamedPeriod[] {
  const placed = cluster.flatMap((_, at) => periodsAt(cluster, at));
  const all = placed.length > 0 ? placed : cluster.flatMap((part, at) => yearsAt(cluster, at, part));
  const existing = all.filter(({ units }) => units.length > 0);
  return withRanges(existing, (at) => cluster[at]?.isEnd === true || isBetween);
}

function periodsAt(cluster: readonly Part[], at: number): Placed[] {
  const part = cluster[at] as Part;
  const year = yearNear(cluster, at);
  switch (part.kind) {
    case 'dates':
      return part.dates.flatMap((date) =>
        sliced(cluster, at, ofDate(date, at), date.month === undefined ? undefined : () => daysOfMonth(date)),
      );
    case 'month':
      return monthsAt(cluster, at, part, year);
    case 'yearly':
      return yearlyAt(cluster, at, part.time, year);
    case 'decade':
      return sliced(cluster, at, { units: decade(part.value), isSure: false });
    case 'quarter':
      return countedOf(cluster, at, part.value, 4).flatMap((quarter) =>
        sliced(cluster, at, ofDate({ year, quarter }, at)),
      );
    case 'week':
      if (year === undefined || cluster.some(({ kind }) => kind === 'month')) return [];
      return countedOf(cluster, at, part.value, 53).flatMap((week) =>
        weekStart(year, week) === undefined ? [] : [ofDate({ year, week }, at)],
      );
    default:
      return [];
  }
}

function yearsAt(cluster: readonly Part[], at: number, part: Part): Placed[] {
  if (part.kind !== 'year') return [];
  return sliced(cluster, at, { ...ofDate({ year: part.value }, at), isSure: false }, () => monthsOf(part.value));
}

function ofDate(date: PlainDate, first: number): Placed {
  return {
    first,
    date,
    units: unitsOf(date),
    isSure: date.month !== undefined || date.quarter !== undefined || date.week !== undefined,
  };
}

/** The whole, and before it the part of it that the words beside it name. @param unitsOf what is cut, if it is smaller than its units */
function sliced(
  cluster: readonly Part[],
  at: number,
  whole: NamedPeriod,
  unitsOf: () => readonly string[] = () => whole.units,
): Placed[] {
  const slice = sliceBefore(cluster, at) ?? sliceAfter(cluster, at);
  const part = slice?.cut(unitsOf()) ?? [];
  if (slice === undefined || part.length === 0 || whole.date?.day !== undefined) return [{ ...whole, first: at }];
  const isSure = whole.isSure || (part[0] ?? '').length > YEAR_LENGTH;
  return [
    { units: part, isSure, first: slice.first },
    { ...whole, first: slice.first },
  ];
}

/** A month, or the days beside it: `3 July`, `July 3`, `July 3 and 5`. */
function monthsAt(
  cluster: readonly Part[],
  at: number,
  { value: month, certain }: Part & { readonly kind: 'month' },
  year: number | undefined,
): Placed[] {
  if (certain === 'with a year' && !hasYearBeside(cluster, at)) return [];
  const whole = ofDate({ year, month }, at);
  const parts = sliced(cluster, at, whole, () => daysOfMonth({ year, month }));
  if (parts.length > 1) return parts;
  const days = daysBeside(cluster, at);
  if (days.length > 0)
    return days.map((place, index) => {
      const date = { year, month, day: (cluster[place] as { value: number }).value };
      const first = index === 0 ? Math.min(place, at) : place;
      return exists(date) ? ofDate(date, first) : { first, units: [], isSure: true };
    });
  const isBesideMonth = [cluster[at - 1], cluster[at + 1]].some(
    (part) => part?.kind === 'month' && part.certain === 'alone',
  );
  return certain === 'alone' || year !== undefined || isBesideMonth ? [whole] : [];
}

/** With at most a day or another month between: `Feb 3 2024`, `Feb–Mar 2024`. */
function hasYearBeside(cluster: readonly Part[], at: number): boolean {
  const isYear = (place: number): boolean => cluster[place]?.kind === 'year';
  const next = cluster[at + 1]?.kind ?? '';
  return isYear(at - 1) || isYear(at + 1) || (/^(?:number|day|month)$/.test(next) && isYear(at + 2));
}

/** Where they are. A day before the next month is of that one. */
function daysBeside(cluster: readonly Part[], at: number): number[] {
  const isDay = (place: number): boolean => {
    const part = cluster[place];
    return part !== undefined && (part.kind === 'number' || part.kind === 'day') && part.value <= DAYS;
  };
  const isMonth = (place: number): boolean => cluster[place]?.kind === 'month';
  const after: number[] = [];
  for (let next = at + 1; isDay(next); next++) after.push(next);
  const before: number[] = [];
  for (let next = at - 1; isDay(next) && (!isMonth(next - 1) || isDay(next - 2)); next--) before.unshift(next);
  const isOfNext = after.length > 0 && isMonth(at + after.length + 1) && before.length > 0;
  return after.length > 0 && !isOfNext ? after : before;
}

function yearlyAt(
  cluster: readonly Part[],
  at: number,
  { parts, third, isSure, isWinter }: YearlyTime,
  year: number | undefined,
): Placed[] {
  if (year === undefined && !isSure) return [];
  const units = isWinter ? winter(cluster, at, year) : parts.map((part) => `${yearText(year)}-${part}`);
  const whole = { units, isSure: year !== undefined };
  if (third === undefined) return sliced(cluster, at, whole);
  return [
    { ...whole, units: thirdOf(third)(units), first: at },
    { ...whole, first: at },
  ];
}

/** `winter 2022/23` is one winter, `winter 2022` any of two. */
function winter(cluster: readonly Part[], at: number, year: number | undefined): string[] {
  const next = cluster.slice(at + 1).filter(({ kind }) => kind === 'year' || kind === 'number')[1];
  const isOfTwo = year !== undefined && next !== undefined && 'value' in next && (year + 1) % 100 === next.value % 100;
  const [first, second] = [yearText(year), yearText(isOfTwo ? year + 1 : year)];
  return [`${first}-12`, `${second}-01`, `${second}-02`];
}

/** A quarter or a week with its number in its own word, before it or after it. */
function countedOf(cluster: readonly Part[], at: number, own: number, max: number): number[] {
  const near = [cluster[at - 1], cluster[at + 1]].flatMap((part) => (part?.kind === 'number' ? [part.value] : []));
  const [value = 0] = own > 0 ? [own] : near;
  return value < 1 || value > max ? [] : [value];
}

/** The next one after the part, else the one before it. */
function yearNear(cluster: readonly Part[], at: number): number | undefined {
  const isYear = ({ kind }: Part): boolean => kind === 'year';
  const year = cluster.slice(at + 1).find(isYear) ?? cluster.slice(0, at).findLast(isYear);
  return year?.kind === 'year' ? year.value : undefined;
}

/** `early May`, `first half of 2023`, `the last two weeks of June`, `الأسبوع الأول من يونيو`. */
function sliceBefore(cluster: readonly Part[], at: number): Slice | undefined {
  const part = cluster[at - 1];
  if (part?.kind === 'share' && !part.follows) return { first: at - 1, cut: share(part.of)(part.value) };
  if (part?.kind === 'half' || part?.kind === 'week') return countedSlice(cluster, at - 1, at - 2, -1);
  const isCounted = part?.kind === 'number' || part?.kind === 'last';
  const word = cluster[at - 2]?.kind;
  if (isCounted && (word === 'half' || word === 'week')) return countedSlice(cluster, at - 2, at - 1, 1);
  return undefined;
}

/** `6月上旬`, `6月第一周`, `जून का पहला सप्ताह`: in some languages the part follows, also after the year. */
function sliceAfter(cluster: readonly Part[], at: number): Slice | undefined {
  const next = at + (cluster[at + 1]?.kind === 'year' ? 2 : 1);
  const part = cluster[next];
  const slice = (cut: Cut): Slice => ({ first: at, cut });
  if (part?.kind === 'share' && part.follows) return slice(share(part.of)(part.value));
  if (part?.kind === 'week' && part.value > 0) return slice(weekOf(part.value));
  const word = cluster[next + 1];
  if (part?.kind !== 'number' && part?.kind !== 'last') return undefined;
  if (word?.kind !== 'half' && word?.kind !== 'week') return undefined;
  const counted = countedSlice(cluster, next + 1, next, -1);
  return counted && { ...counted, first: at };
}

/** @param countAt where its number is, or the last of several in this direction */
function countedSlice(cluster: readonly Part[], wordAt: number, countAt: number, step: 1 | -1): Slice | undefined {
  const word = cluster[wordAt] as Part;
  const [count, other] = [cluster[countAt], cluster[countAt + step]];
  const own = word.kind === 'week' ? word.value : 0;
  const isLast = count?.kind === 'last' || other?.kind === 'last';
  const value = count?.kind === 'number' ? count.value : own;
  const isFew = count?.kind === 'number' && ((other?.kind === 'number' && other.value === 1) || isLast);
  const first = Math.min(wordAt, isFew ? countAt + step : countAt);
  if (word.kind === 'half') return { first, cut: isLast || value === 2 ? halfOf(1) : value === 1 ? halfOf(0) : none };
  if (isLast) return { first, cut: (units) => ofMonth(units, -DAYS_OF_WEEK * Math.max(1, value)) };
  if (value < 1 || value > MAX_WEEK_OF_MONTH) return undefined;
  return { first, cut: isFew ? (units) => ofMonth(units, 0, DAYS_OF_WEEK * value) : weekOf(value) };
}

const none: Cut = () => [];
const ofMonth = (units: readonly string[], from: number, to?: number): readonly string[] =>
  units.length < DAYS_OF_MONTH ? [] : units.slice(from, to);
const weekOf =
  (week: number): Cut =>
  (units) =>
    ofMonth(units, DAYS_OF_WEEK * (week - 1), DAYS_OF_WEEK * week);
const DAYS_OF_MONTH = 28;
const share =
  (of: number) =>
  (at: number): Cut =>
  (units) =>
    units.slice(Math.floor((at * units.length) / of), Math.ceil(((at + 1) * units.length) / of));
const thirdOf = share(3);
const halfOf = share(2);

const YEAR_LENGTH = 4;
const ANY_YEAR = '____';
const yearText = (year: number | undefined): string => (year === undefined ? ANY_YEAR : digits(year, YEAR_LENGTH));
const counted = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const monthsOf = (year: number | undefined): string[] =>
  counted(MONTHS).map((month) => `${yearText(year)}-${digits(month)}`);
const decade = (first: number): string[] => counted(YEARS_OF_DECADE).map((at) => yearText(first + at - 1));

function daysOfMonth({ year, month = 1 }: PlainDate): string[] {
  const days = counted(DAYS).filter((day) => exists({ year, month, day }));
  return days.map((day) => `${yearText(year)}-${digits(month)}-${digits(day)}`);
}

function unitsOf({ year, month, day, quarter, week }: PlainDate): string[] {
  const start = yearText(year);
  if (week !== undefined) return daysFrom(weekStart(year ?? 0, week) ?? '', 0);
  if (quarter !== undefined) return monthsOf(year).slice(3 * quarter - 3, 3 * quarter);
  if (month === undefined) return [start];
  return [`${start}-${digits(month)}${day === undefined ? '' : `-${digits(day)}`}`];
}

const DAY_MS = 86_400_000;

/** A week of days. */
export function daysFrom(day: string, before: number): string[] {
  const first = Date.parse(day) + before * DAY_MS;
  return [0, 1, 2, 3, 4, 5, 6].map((after) => new Date(first + after * DAY_MS).toISOString().slice(0, 10));
}

/** Puts the two ends of a range together; the others stay. @param isEnd whether the period that begins there ends one */
function withRanges(periods: readonly Placed[], isEnd: (first: number) => boolean): NamedPeriod[] {
  const joined: (readonly Placed[])[] = [];
  for (const [first, named] of Map.groupBy(periods, (period) => period.first)) {
    const [before] = joined.at(-1) ?? [];
    const range = before !== undefined && isEnd(first) ? rangeFrom(before, named[0] as Placed) : undefined;
    if (range === undefined) joined.push(named);
    else joined.splice(-1, 1, [range]);
  }
  return joined.flat();
}

/** More are named by their months, or by their years. */
const MAX_UNITS = 100;

function rangeFrom(first: Placed, last: Placed): Placed | undefined {
  const [from = '', to = ''] = [first.units[0], last.units.at(-1)];
  const start = to.startsWith(from.slice(0, YEAR_LENGTH)) && from > to ? yearBefore(from) : from;
  for (const length of LENGTHS.filter((one) => one <= Math.min(start.length, to.length))) {
    const units = unitsBetween(start.slice(0, length), to.slice(0, length));
    if (units !== undefined) return { units, isSure: length > YEAR_LENGTH, first: first.first };
  }
  return undefined;
}

const LENGTHS = [10, 7, YEAR_LENGTH];

/** `December to February 2024` begins in the year before. */
function yearBefore(unit: string): string {
  const year = unit.slice(0, YEAR_LENGTH);
  return year === ANY_YEAR ? unit : `${yearText(Number(year) - 1)}${unit.slice(YEAR_LENGTH)}`;
}

/** Undefined if there are too many, or none. Without years they are in one year or in two. */
function unitsBetween(from: string, to: string): string[] | undefined {
  const isAnyYear = from.startsWith(ANY_YEAR);
  if (isAnyYear !== to.startsWith(ANY_YEAR)) return undefined;
  const [first, last] = [from, to].map((unit) => unit.replace(ANY_YEAR, '2000')) as [string, string];
  const end = isAnyYear && first > last ? last.replace('2000', '2001') : last;
  const units: string[] = [];
  for (let at = first; at <= end; at = nextUnit(at)) {
    if (units.length === MAX_UNITS) return undefined;
    units.push(isAnyYear ? `${ANY_YEAR}${at.slice(YEAR_LENGTH)}` : at);
  }
  return units.length === 0 ? undefined : units;
}

/** The year, month or day after it. */
function nextUnit(unit: string): string {
  const [year = 0, month, day] = unit.split('-').map(Number);
  const next = new Date(
    Date.UTC(
      month === undefined ? year + 1 : year,
      (month ?? 1) - (day === undefined && month !== undefined ? 0 : 1),
      (day ?? 0) + 1,
    ),
  );
  return next.toISOString().slice(0, unit.length);
}
