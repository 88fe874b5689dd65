// Formats a local date and time with the letters of Moment.js, which Obsidian uses.

/** English, Obsidian's default. */
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SUNDAY = 0;
const MONDAY = 1;
const THURSDAY = 4;
const SATURDAY = 6;
const DAY_MS = 86_400_000;

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0');
const month = (date: Date): string => MONTHS[date.getMonth()] ?? '';
const day = (date: Date): string => DAYS[date.getDay()] ?? '';
const hour12 = (date: Date): number => date.getHours() % 12 || 12;
const half = (date: Date): string => (date.getHours() < 12 ? 'AM' : 'PM');
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

/** A week belongs to the year of its day `decides`. */
function weekOf(date: Date, begins: number, decides: number): Week {
  const first = date.getDate() - ((date.getDay() - begins + 7) % 7);
  const deciding = new Date(date.getFullYear(), date.getMonth(), first + ((decides - begins + 7) % 7), 12);
  return { year: deciding.getFullYear(), week: Math.floor((dayOfYear(deciding) - 1) / 7) + 1 };
}

/** ISO 8601 weeks, and the weeks of American English, which begin on Sunday. */
const isoWeek = (date: Date): Week => weekOf(date, MONDAY, THURSDAY);
const englishWeek = (date: Date): Week => weekOf(date, SUNDAY, SATURDAY);

function ordinal(value: number): string {
  const teen = Math.floor((value % 100) / 10) === 1;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

const LETTERS: Readonly<Record<string, (date: Date) => string>> = {
  YYYY: (date) => padded(date.getFullYear(), 4),
  YY: (date) => padded(date.getFullYear() % 100),
  Q: (date) => String(Math.floor(date.getMonth() / 3) + 1),
  MMMM: month,
  MMM: (date) => month(date).slice(0, 3),
  MM: (date) => padded(date.getMonth() + 1),
  M: (date) => String(date.getMonth() + 1),
  DDDD: (date) => padded(dayOfYear(date), 3),
  DDD: (date) => String(dayOfYear(date)),
  DD: (date) => padded(date.getDate()),
  D: (date) => String(date.getDate()),
  Do: (date) => ordinal(date.getDate()),
  dddd: day,
  ddd: (date) => day(date).slice(0, 3),
  dd: (date) => day(date).slice(0, 2),
  d: (date) => String(date.getDay()),
  E: (date) => String(date.getDay() || 7),
  GGGG: (date) => padded(isoWeek(date).year, 4),
  WW: (date) => padded(isoWeek(date).week),
  W: (date) => String(isoWeek(date).week),
  gggg: (date) => padded(englishWeek(date).year, 4),
  ww: (date) => padded(englishWeek(date).week),
  w: (date) => String(englishWeek(date).week),
  HH: (date) => padded(date.getHours()),
  H: (date) => String(date.getHours()),
  hh: (date) => padded(hour12(date)),
  h: (date) => String(hour12(date)),
  mm: (date) => padded(date.getMinutes()),
  m: (date) => String(date.getMinutes()),
  ss: (date) => padded(date.getSeconds()),
  s: (date) => String(date.getSeconds()),
  A: half,
  a: (date) => half(date).toLowerCase(),
};

/** `[as it is]`, then the letters of a format: a run of one of them, followed by an `o` for an ordinal. */
const TOKENS = /\[([^\]]*)\]|(?:([MDdwWQYygGeEaAhHkmsSxXzZLlN])\2*)(?:(?<=[MDdwWQy])o)?|[\s\S]/g;
const MEANS_SOMETHING = /^[MDdwWQYygGeEaAhHkmsSxXzZLlN\\]/;

export type Formatted = { readonly text: string } | { readonly unknown: string };

/** Other characters are copied. `unknown` is an unsupported letter. */
export function formatMoment(date: Date, format: string): Formatted {
  const parts: string[] = [];
  for (const [token, verbatim] of format.matchAll(TOKENS)) {
    const write = Object.hasOwn(LETTERS, token) ? LETTERS[token] : undefined;
    if (verbatim !== undefined) parts.push(verbatim);
    else if (write !== undefined) parts.push(write(date));
    else if (MEANS_SOMETHING.test(token)) return { unknown: token };
    else parts.push(token);
  }
  return { text: parts.join('') };
}
