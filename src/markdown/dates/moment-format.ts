// Formats a local date and time with the letters of Moment.js, which Obsidian uses.

import { ENGLISH, halfIn, inDigitsOf, type Language, ordinalIn } from './moment-language.ts';

const MONDAY = 1;
const DAY_MS = 86_400_000;

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');
const hour12 = (date: Date): number => date.getHours() % 12 || 12;
const dayOfYear = (date: Date): number =>
  Math.round((noonOf(date).getTime() - noonOf(new Date(date.getFullYear(), 0, 1)).getTime()) / DAY_MS) + 1;

/** Noon, so that daylight saving changes do not matter. */
function noonOf(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12);
}

interface Week {
  readonly year: number;
  readonly week: number;
}

/** A week belongs to the year of the day that is so many days after its first one. */
function weekOf(date: Date, begins: number, decidesAfter: number): Week {
  const first = date.getDate() - ((date.getDay() - begins + 7) % 7);
  const deciding = new Date(date.getFullYear(), date.getMonth(), first + decidesAfter, 12);
  return { year: deciding.getFullYear(), week: Math.floor((dayOfYear(deciding) - 1) / 7) + 1 };
}

/** Weeks of ISO 8601, to the year of their Thursday. */
const isoWeek = (date: Date): Week => weekOf(date, MONDAY, 3);
const ownWeek = (date: Date, { week: [begins = 0, rule = 6] }: Language): Week => weekOf(date, begins, rule - begins);

/** Where the name of a month follows a day of it, some languages inflect it. */
const MONTH_OF_DAY = /D[oD]?(?:\[[^[\]]*\]|\s)+MMMM?/;
const MONTH_BEFORE_DAY = /MMMM?(?:\[[^[\]]*\]|\s)+D[oD]?/;

interface Writing {
  readonly language: Language;
  readonly format: string;
}

function monthIn(date: Date, { language, format }: Writing): string {
  const { months, monthsAlone = months, monthsBeforeDay = monthsAlone } = language;
  const alone = MONTH_BEFORE_DAY.test(format) ? monthsBeforeDay : monthsAlone;
  return (MONTH_OF_DAY.test(format) ? months : alone)[date.getMonth()] ?? '';
}

function shortMonthIn(date: Date, { language, format }: Writing): string {
  const { monthsShort, monthsShortAlone = monthsShort } = language;
  return (MONTH_OF_DAY.test(format) ? monthsShort : monthsShortAlone)[date.getMonth()] ?? '';
}

const hour24 = (date: Date): number => date.getHours() || 24;
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
let rules: Intl.PluralRules | undefined;

/** The ordinal of a number that is not a day of a month; undefined in other languages, whose forms differ by what is counted. */
function ordinal(value: number, language: Language): string | undefined {
  if (language !== ENGLISH) return undefined;
  rules ??= new Intl.PluralRules('en', { type: 'ordinal' });
  return `${value}${ENDINGS[rules.select(value)]}`;
}

/** @param sign between hours and minutes */
function offsetOf(date: Date, sign: string): string {
  const minutes = -date.getTimezoneOffset();
  const [hours, rest] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${padded(Math.trunc(hours))}${sign}${padded(rest)}`;
}

const quarter = (date: Date): number => Math.floor(date.getMonth() / 3) + 1;
const fraction = (date: Date, digits: number): string =>
  padded(date.getMilliseconds(), 3).padEnd(9, '0').slice(0, digits);
const minutesPadded = (date: Date): string => padded(date.getMinutes());
const secondsPadded = (date: Date): string => padded(date.getSeconds());

/** Undefined for what is known in English only. */
type Write = (date: Date, writing: Writing) => string | undefined;

const LETTERS: Readonly<Record<string, Write>> = {
  YYYYYY: (date) => `+${padded(date.getFullYear(), 6)}`,
  YYYYY: (date) => padded(date.getFullYear(), 5),
  YYYY: (date) => padded(date.getFullYear(), 4),
  YY: (date) => padded(date.getFullYear() % 100),
  Y: (date) => padded(date.getFullYear(), 4),
  yyyy: (date) => padded(date.getFullYear(), 4),
  yyy: (date) => padded(date.getFullYear(), 3),
  yy: (date) => padded(date.getFullYear(), 2),
  y: (date) => String(date.getFullYear()),
  yo: (date, { language }) => ordinal(date.getFullYear(), language),
  Q: (date) => String(quarter(date)),
  Qo: (date, { language }) => ordinal(quarter(date), language),
  MMMM: monthIn,
  MMM: shortMonthIn,
  MM: (date) => padded(date.getMonth() + 1),
  M: (date) => String(date.getMonth() + 1),
  Mo: (date, { language }) => ordinal(date.getMonth() + 1, language),
  DDDD: (date) => padded(dayOfYear(date), 3),
  DDDo: (date, { language }) => ordinal(dayOfYear(date), language),
  DDD: (date) => String(dayOfYear(date)),
  DD: (date) => padded(date.getDate()),
  D: (date) => String(date.getDate()),
  Do: (date, { language }) => ordinalIn(language, date.getDate()),
  dddd: (date, { language }) => language.days[date.getDay()] ?? '',
  ddd: (date, { language }) => language.daysShort[date.getDay()] ?? '',
  dd: (date, { language }) => language.daysMin[date.getDay()] ?? '',
  do: (date, { language }) => ordinal(date.getDay(), language),
  d: (date) => String(date.getDay()),
  e: (date, { language }) => String((date.getDay() - (language.week[0] ?? 0) + 7) % 7),
  E: (date) => String(date.getDay() || 7),
  GGGGG: (date) => padded(isoWeek(date).year, 5),
  GGGG: (date) => padded(isoWeek(date).year, 4),
  GG: (date) => padded(isoWeek(date).year % 100),
  WW: (date) => padded(isoWeek(date).week),
  Wo: (date, { language }) => ordinal(isoWeek(date).week, language),
  W: (date) => String(isoWeek(date).week),
  ggggg: (date, { language }) => padded(ownWeek(date, language).year, 5),
  gggg: (date, { language }) => padded(ownWeek(date, language).year, 4),
  gg: (date, { language }) => padded(ownWeek(date, language).year % 100),
  ww: (date, { language }) => padded(ownWeek(date, language).week),
  wo: (date, { language }) => ordinal(ownWeek(date, language).week, language),
  w: (date, { language }) => String(ownWeek(date, language).week),
  HH: (date) => padded(date.getHours()),
  H: (date) => String(date.getHours()),
  Hmm: (date) => `${date.getHours()}${minutesPadded(date)}`,
  Hmmss: (date) => `${date.getHours()}${minutesPadded(date)}${secondsPadded(date)}`,
  hh: (date) => padded(hour12(date)),
  h: (date) => String(hour12(date)),
  hmm: (date) => `${hour12(date)}${minutesPadded(date)}`,
  hmmss: (date) => `${hour12(date)}${minutesPadded(date)}${secondsPadded(date)}`,
  kk: (date) => padded(hour24(date)),
  k: (date) => String(hour24(date)),
  mm: minutesPadded,
  m: (date) => String(date.getMinutes()),
  ss: secondsPadded,
  s: (date) => String(date.getSeconds()),
  A: (date, { language }) => halfIn(language, date.getHours(), false),
  a: (date, { language }) => halfIn(language, date.getHours(), true),
  X: (date) => String(Math.floor(date.getTime() / 1000)),
  x: (date) => String(date.getTime()),
  Z: (date) => offsetOf(date, ':'),
  ZZ: (date) => offsetOf(date, ''),
  // A local time has no name of its zone.
  zz: () => '',
  z: () => '',
  NNNN: (_, { language }) => (language === ENGLISH ? 'Anno Domini' : undefined),
};

/** Short names of whole formats, in English. */
const WHOLE_FORMATS: Readonly<Record<string, string>> = {
  LTS: 'h:mm:ss A',
  LT: 'h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  LLL: 'MMMM D, YYYY h:mm A',
  LL: 'MMMM D, YYYY',
  L: 'MM/DD/YYYY',
  llll: 'ddd, MMM D, YYYY h:mm A',
  lll: 'MMM D, YYYY h:mm A',
  ll: 'MMM D, YYYY',
  l: 'M/D/YYYY',
};

/** `[as it is]`, `\` before letters that stay as they are, and the letters that mean something, the longest first. */
const TOKENS =
  /\[([^[]*)\]|\\?(?:[Hh]mm(?:ss)?|Mo|M{1,4}|DDDo|Do|D{1,4}|do|d{1,4}|[wW]o|[wW]{1,2}|Qo|N{1,5}|YYYYYY|YYYYY|YYYY|YY|y{2,4}|yo|gg(?:ggg?)?|GG(?:GGG?)?|hh|HH|kk|mm|ss|S{1,9}|zz|ZZ|LTS|LT|L{1,4}|l{1,4}|[\s\S])/g;
const WHOLE = /\[[^[]*\]|\\?(?:LTS|LT|L{1,4}|l{1,4})/g;

export type Formatted = { readonly text: string } | { readonly unknown: string };

/** The letters whose text is not the same in all languages, digits aside. */
const OF_A_LANGUAGE: ReadonlySet<string> = new Set([
  'MMMM',
  'MMM',
  'Do',
  'dddd',
  'ddd',
  'dd',
  'e',
  'ggggg',
  'gggg',
  'gg',
  'ww',
  'w',
  'A',
  'a',
]);

/** Each letter of the format, or sign between two of them. */
export function momentTokens(format: string): readonly string[] {
  return Array.from(format.matchAll(TOKENS), ([token]) => token);
}

export function dependsOnLanguage(format: string): boolean {
  return momentTokens(format).some((token) => OF_A_LANGUAGE.has(token));
}

/** Other characters are copied. `unknown` is a letter that is known in English only. */
export function formatMoment(date: Date, format: string, language: Language = ENGLISH): Formatted {
  const parts: string[] = [];
  const letters = format.replace(WHOLE, (whole) => (language === ENGLISH && WHOLE_FORMATS[whole]) || whole);
  for (const [token, verbatim] of letters.matchAll(TOKENS)) {
    const text = verbatim ?? tokenText(token, date, { language, format });
    if (text === undefined) return { unknown: token };
    parts.push(text);
  }
  return { text: inDigitsOf(language, parts.join('')) };
}

function tokenText(token: string, date: Date, writing: Writing): string | undefined {
  if (token.startsWith('\\')) return token.slice(1);
  if (/^S+$/.test(token)) return fraction(date, token.length);
  if (/^N{1,3}$|^N{5}$/.test(token)) return writing.language === ENGLISH ? 'AD' : undefined;
  if (Object.hasOwn(LETTERS, token)) return LETTERS[token]?.(date, writing);
  return Object.hasOwn(WHOLE_FORMATS, token) ? undefined : token;
}
