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

const LETTERS: Readonly<Record<string, (date: Date, writing: Writing) => string>> = {
  YYYY: (date) => padded(date.getFullYear(), 4),
  YY: (date) => padded(date.getFullYear() % 100),
  Q: (date) => String(Math.floor(date.getMonth() / 3) + 1),
  MMMM: monthIn,
  MMM: shortMonthIn,
  MM: (date) => padded(date.getMonth() + 1),
  M: (date) => String(date.getMonth() + 1),
  DDDD: (date) => padded(dayOfYear(date), 3),
  DDD: (date) => String(dayOfYear(date)),
  DD: (date) => padded(date.getDate()),
  D: (date) => String(date.getDate()),
  Do: (date, { language }) => ordinalIn(language, date.getDate()),
  dddd: (date, { language }) => language.days[date.getDay()] ?? '',
  ddd: (date, { language }) => language.daysShort[date.getDay()] ?? '',
  dd: (date, { language }) => language.daysMin[date.getDay()] ?? '',
  d: (date) => String(date.getDay()),
  E: (date) => String(date.getDay() || 7),
  GGGG: (date) => padded(isoWeek(date).year, 4),
  WW: (date) => padded(isoWeek(date).week),
  W: (date) => String(isoWeek(date).week),
  gggg: (date, { language }) => padded(ownWeek(date, language).year, 4),
  ww: (date, { language }) => padded(ownWeek(date, language).week),
  w: (date, { language }) => String(ownWeek(date, language).week),
  HH: (date) => padded(date.getHours()),
  H: (date) => String(date.getHours()),
  hh: (date) => padded(hour12(date)),
  h: (date) => String(hour12(date)),
  mm: (date) => padded(date.getMinutes()),
  m: (date) => String(date.getMinutes()),
  ss: (date) => padded(date.getSeconds()),
  s: (date) => String(date.getSeconds()),
  A: (date, { language }) => halfIn(language, date.getHours(), false),
  a: (date, { language }) => halfIn(language, date.getHours(), true),
};

/** `[as it is]`, then the letters of a format: a run of one of them, followed by an `o` for an ordinal. */
const TOKENS = /\[([^\]]*)\]|(?:([MDdwWQYygGeEaAhHkmsSxXzZLlN])\2*)(?:(?<=[MDdwWQy])o)?|[\s\S]/g;
const MEANS_SOMETHING = /^[MDdwWQYygGeEaAhHkmsSxXzZLlN\\]/;

export type Formatted = { readonly text: string } | { readonly unknown: string };

/** The letters whose text is not the same in all languages, digits aside. */
const OF_A_LANGUAGE: ReadonlySet<string> = new Set([
  'MMMM',
  'MMM',
  'Do',
  'dddd',
  'ddd',
  'dd',
  'gggg',
  'ww',
  'w',
  'A',
  'a',
]);

/** Each letter of the format, or text between two of them. */
export function momentTokens(format: string): readonly string[] {
  return Array.from(format.matchAll(TOKENS), ([token]) => token);
}

export function dependsOnLanguage(format: string): boolean {
  return momentTokens(format).some((token) => OF_A_LANGUAGE.has(token));
}

/** Other characters are copied. `unknown` is an unsupported letter. */
export function formatMoment(date: Date, format: string, language: Language = ENGLISH): Formatted {
  const parts: string[] = [];
  for (const [token, verbatim] of format.matchAll(TOKENS)) {
    const write = Object.hasOwn(LETTERS, token) ? LETTERS[token] : undefined;
    if (verbatim !== undefined) parts.push(verbatim);
    else if (write !== undefined) parts.push(write(date, { language, format }));
    else if (MEANS_SOMETHING.test(token)) return { unknown: token };
    else parts.push(token);
  }
  return { text: inDigitsOf(language, parts.join('')) };
}
