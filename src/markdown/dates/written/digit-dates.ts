// Reads the dates that are written in digits: 2024-03-12, 12.3.2024, 3/12/2024, 2024-W12, 2024-Q1.
import { existing, existingWeek, type PlainDate } from './plain-date.ts';

/** What is known of the order in which the text writes the day and the month. */
export type DayOrder = 'day first' | 'month first' | undefined;

export interface FoundDate {
  readonly date: PlainDate;
  /** Where it ends. */
  readonly to: number;
}

export interface Reading {
  /** With plain digits. */
  readonly text: string;
  readonly order: DayOrder;
  /** A code of Moment.js. */
  readonly language: string | undefined;
}

const YEAR = String.raw`((?:1\d|20)\d\d)`;
const DASH = '[-/\u2010\u2011]';

type Read = (groups: readonly string[], reading: Reading) => PlainDate | undefined;

const form = (pattern: string, read: Read): readonly [RegExp, Read] => [new RegExp(pattern, 'iuy'), read];

/** The first that fits decides. */
const FORMS: readonly (readonly [RegExp, Read])[] = [
  form(String.raw`${YEAR}(${DASH})(\d{1,2})\2(\d{1,2})`, ([year, , month, day]) => existing(year, month, day)),
  form(String.raw`${YEAR}(\. ?)(\d{1,2})\2(\d{1,2})\b`, dottedFromYear),
  form(String.raw`(\d{1,2})(\. ?)(\d{1,2})\2${YEAR}`, ([day, , month, year]) => existing(year, month, day)),
  form(String.raw`(\d{1,2})(${DASH})(\d{1,2})\2${YEAR}`, ([first, , second, year], { order }) =>
    inOrder(first, second, year, order),
  ),
  form(String.raw`${YEAR}-?w(\d\d)(?:-[1-7])?`, ([year, week]) => existingWeek(year, week)),
  form(`${YEAR}[- ]?q([1-4])`, ([year, quarter]) => ({ year: Number(year), quarter: Number(quarter) })),
  form(`${YEAR}[-/](0[1-9]|1[0-2])`, ([year, month]) => monthOrSeason(year, month)),
  form(`(0[1-9]|1[0-2])/${YEAR}`, ([month, year]) => existing(year, month)),
];

/** Letters and digits before or after it make it a part of something else, as do these signs. */
const BEFORE =
  /(?:[\p{N}_./\\+#=$€£¥%&\-\u2010\u2011\u2013]|[\p{L}\p{N}]@|\p{N}:|(?=\p{L})[^\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])$/u;
/** A second date may follow after a slash or dots, and `г` for a year. */
const AFTER =
  /^(?:[\p{N}_%°]|[.:,\\-]\p{N}|[\\@=]|\/(?!\d{4}-)|(?=\p{L})[^\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}г])/u;

/** Whether a date may begin at `from`: nothing that it could be a part of is before it. */
export function beginsApart(text: string, from: number): boolean {
  return from === 0 || !BEFORE.test(text.slice(Math.max(0, from - 2), from));
}

export function endsApart(text: string, to: number): boolean {
  return !AFTER.test(text.slice(to, to + 6));
}

/** The date in digits at `from`, where a number begins that `beginsApart`. */
export function digitDate(reading: Reading, from: number): FoundDate | undefined {
  const { text } = reading;
  for (const [pattern, read] of FORMS) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    const date = match === null ? undefined : read(match.slice(1), reading);
    if (match === null || date === undefined) continue;
    const whole = withTime({ date, to: from + match[0].length }, text);
    if (endsApart(text, whole.to)) return whole;
  }
  return undefined;
}

const numbers = (texts: readonly (string | undefined)[]): number[] => texts.map(Number);

/** Where dates begin with the year, also `2024.3.1`; elsewhere that is a version. */
const YEAR_FIRST: ReadonlySet<string> = new Set(['zh', 'ja', 'ko', 'hu', 'lt', 'mn']);

function dottedFromYear([year, , month, day]: readonly string[], { language = '' }: Reading): PlainDate | undefined {
  const isPadded = month?.length === 2 && day?.length === 2;
  return isPadded || YEAR_FIRST.has(language) ? existing(year, month, day) : undefined;
}

/** Only the year of `3/4/2024` is known where neither the text nor its language shows the order. */
function inOrder(first = '', second = '', year = '', order: DayOrder): PlainDate | undefined {
  const dayFirst = existing(year, second, first);
  const monthFirst = existing(year, first, second);
  if (dayFirst === undefined || monthFirst === undefined) return dayFirst ?? monthFirst;
  if (Number(first) === Number(second)) return dayFirst;
  if (order === undefined) return { year: Number(year) };
  return order === 'day first' ? dayFirst : monthFirst;
}

/** `2011-12` can be a month and a season of two years. */
function monthOrSeason(year?: string, month?: string): PlainDate | undefined {
  const [of = 0, at] = numbers([year, month]);
  return at === (of % 100) + 1 ? undefined : existing(year, month);
}

/** A day of the week may be between in brackets. */
const TIME = new RegExp(
  [
    String.raw`(?: ?[（(][^()（）\d]{1,12}[)）])?`,
    String.raw`(?:T|,? {1,2}(?:(?:at|um|gegen|à|a las|às|alle|в|kl\.?|klo|om|o|lúc|في|الساعة|को) )?|(?<=[)）日]))`,
    String.raw`(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?: ?([ap])\.?m\b\.?)?`,
    String.raw`(?: ?(Z|UTC|GMT)\b| ?([+-]\d\d):?(\d\d)\b)?(?![:\d])`,
  ].join(''),
  'iuy',
);

/** With the time of day that follows a day; a time in another zone becomes local. */
export function withTime({ date, to }: FoundDate, text: string): FoundDate {
  if (date.day === undefined || date.year === undefined) return { date, to };
  TIME.lastIndex = to;
  const match = TIME.exec(text);
  if (match === null) return { date, to };
  const [whole, hour = '', minute = '', second, half, utc, zone, rest] = match;
  const hours = hourOf(Number(hour), half);
  if (hours === undefined) return { date, to };
  const time = [String(hours).padStart(2, '0'), minute, ...(second === undefined ? [] : [second])].join(':');
  const offset = utc === undefined ? zone && `${zone}:${rest}` : 'Z';
  const there = { ...date, time };
  return { date: offset === undefined ? there : localTime(there, offset), to: to + whole.length };
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function localTime(date: PlainDate, offset: string): PlainDate {
  const { year = 0, month = 1, day = 1, time = '' } = date;
  const [hours = 0, minutes = 0, seconds = 0] = numbers(time.split(':'));
  const [, sign = '+', away = '0', more = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(away) * 60 + Number(more));
  const at = new Date(Date.UTC(year, month - 1, day, hours, minutes - shift, seconds));
  const local = [at.getHours(), at.getMinutes(), ...(time.length > 5 ? [at.getSeconds()] : [])];
  return {
    year: at.getFullYear(),
    month: at.getMonth() + 1,
    day: at.getDate(),
    time: local.map((part) => String(part).padStart(2, '0')).join(':'),
  };
}
