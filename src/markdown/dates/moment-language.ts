// The names of months and days, ordinals and weeks of the languages of Moment.js, in which Obsidian writes dates.

/** One language as `moment-languages.json` has it: from Moment.js 2.29.4, as in Obsidian; `@2.31` names one that was changed later. */
interface Row {
  /** The form after the day of a month; the others where they differ without a day, and before it. */
  readonly months: readonly string[];
  readonly monthsAlone?: readonly string[];
  readonly monthsBeforeDay?: readonly string[];
  readonly monthsShort: readonly string[];
  readonly monthsShortAlone?: readonly string[];
  /** From Sunday. */
  readonly days: readonly string[];
  readonly daysShort: readonly string[];
  readonly daysMin: readonly string[];
  /** The usual form with `%d` for the number, then the others as `1:%der`. */
  readonly ordinal: readonly string[];
  /** The first day of the week, and what Moment.js calls `doy`: 7 plus that day minus the day of January that is always in week 1. */
  readonly week: readonly number[];
  /** `0:AM`: from which hour on; as in English if they are absent. */
  readonly halves?: readonly string[];
  readonly halvesUpper?: readonly string[];
  readonly digits?: string;
  readonly comma?: string;
}

export interface Language extends Row {
  /** The name in Moment.js, such as `fr` or `pt-br`. */
  readonly code: string;
}

const ENGLISH_MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const ENGLISH_DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Obsidian's default. */
export const ENGLISH: Language = {
  code: 'en',
  months: ENGLISH_MONTHS,
  monthsShort: ENGLISH_MONTHS.map((name) => name.slice(0, 3)),
  days: ENGLISH_DAYS,
  daysShort: ENGLISH_DAYS.map((name) => name.slice(0, 3)),
  daysMin: ENGLISH_DAYS.map((name) => name.slice(0, 2)),
  ordinal: ['%dth', ...['1:%dst', '2:%dnd', '3:%drd', '21:%dst', '22:%dnd', '23:%drd', '31:%dst']],
  week: [0, 6],
};

/** All of them, English first. The names are read when they are first needed. */
export function everyLanguage(): Promise<readonly Language[]> {
  all ??= readLanguages();
  return all;
}

let all: Promise<readonly Language[]> | undefined;

async function readLanguages(): Promise<readonly Language[]> {
  const { default: rows } = await import('./moment-languages.json', { with: { type: 'json' } });
  return [
    ENGLISH,
    ...Object.entries(rows as Record<string, Row>).map(([code, row]) => ({ ...row, code: code.replace(/@.*/, '') })),
  ];
}

export function ordinalIn({ ordinal: [usual = '%d', ...others] }: Language, value: number): string {
  const format = others.find((other) => other.startsWith(`${value}:`));
  return (format === undefined ? usual : format.slice(format.indexOf(':') + 1)).replace('%d', String(value));
}

/** AM or PM, or the part of the day by its hour. */
export function halfIn({ halves = ['0:am', '12:pm'], halvesUpper }: Language, hour: number, isLower: boolean): string {
  const upper = halvesUpper ?? (halves[0] === '0:am' ? ['0:AM', '12:PM'] : halves);
  const part = (isLower ? halves : upper).findLast((each) => Number.parseInt(each, 10) <= hour) ?? '';
  return part.slice(part.indexOf(':') + 1);
}

/** With the digits of the language. */
export function inDigitsOf({ digits, comma = ',' }: Language, text: string): string {
  const punctuated = comma === ',' ? text : text.replaceAll(',', comma);
  return digits === undefined ? punctuated : punctuated.replace(/\d/g, (digit) => digits.charAt(Number(digit)));
}

/** The first day of a week by its number in the language. */
export function startOfOwnWeek({ week: [begins = 0, rule = 6] }: Language, year: number, number: number): Date {
  const alwaysFirst = new Date(year, 0, 7 + begins - rule);
  const first = alwaysFirst.getDate() - ((alwaysFirst.getDay() - begins + 7) % 7);
  return new Date(alwaysFirst.getFullYear(), alwaysFirst.getMonth(), first + 7 * (number - 1));
}
