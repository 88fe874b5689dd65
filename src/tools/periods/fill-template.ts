// Fills in the variables of a template: those of Obsidian, and the dates of the plugins for periodic notes.
import { formatMoment } from '../../markdown/dates/moment-format.ts';
import type { Language } from '../../markdown/dates/moment-language.ts';
import { addUnits, type Unit } from './calendar.ts';

export interface Filling {
  readonly title: string;
  readonly date: Date;
  readonly language: Language;
  readonly dateFormat: string;
  readonly timeFormat: string;
  /** The format of the note's name, for the days beside it. */
  readonly nameFormat: string;
  /** Whether the note is of a week, whose days can be named. */
  readonly isWeek: boolean;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const VARIABLES = new RegExp(
  String.raw`\{\{\s*(date|time|title|yesterday|tomorrow|${DAYS.join('|')})\s*(?:([+-]\d{1,4})\s*([yqmwdhs]))?\s*(?::([^}\r\n]*))?\}\}`,
  'gi',
);
/** The letters of the plugins: `M` is a month and `m` a minute. */
const UNITS: Readonly<Record<string, Unit>> = {
  y: 'year',
  Y: 'year',
  q: 'quarter',
  Q: 'quarter',
  M: 'month',
  w: 'week',
  W: 'week',
  d: 'day',
  D: 'day',
  h: 'hour',
  H: 'hour',
  m: 'minute',
  s: 'second',
  S: 'second',
};

/** Leaves other text in braces alone: it may be another plugin's. `unknown` is an unsupported format letter. */
export function fillTemplate(text: string, filling: Filling): { readonly text: string } | { readonly unknown: string } {
  let unknown: string | undefined;
  const filled = text.replace(VARIABLES, (written, name: string, count?: string, unit = '', format?: string) => {
    const variable = name.toLowerCase();
    const shift = count === undefined ? undefined : ([Number(count), UNITS[unit] ?? 'day'] as const);
    if (variable === 'title') return shift === undefined ? filling.title : written;
    const date = dateOf(variable, shift, filling);
    if (date === undefined) return written;
    const usual =
      variable === 'date' ? filling.dateFormat : variable === 'time' ? filling.timeFormat : filling.nameFormat;
    const formatted = formatMoment(date, format?.trim() || usual, filling.language);
    if ('text' in formatted) return formatted.text;
    unknown ??= formatted.unknown;
    return '';
  });
  return unknown === undefined ? { text: filled } : { unknown };
}

/** Undefined for what is no variable here. */
function dateOf(
  variable: string,
  shift: readonly [count: number, unit: Unit] | undefined,
  { date, isWeek, language }: Filling,
): Date | undefined {
  if (variable === 'date' || variable === 'time') return shift === undefined ? date : addUnits(date, ...shift);
  if (shift !== undefined) return undefined;
  if (variable === 'yesterday') return addUnits(date, -1, 'day');
  if (variable === 'tomorrow') return addUnits(date, 1, 'day');
  if (!isWeek) return undefined;
  const begins = language.week[0] ?? 0;
  const fromStart = (day: number): number => (day - begins + 7) % 7;
  return addUnits(date, fromStart(DAYS.indexOf(variable)) - fromStart(date.getDay()), 'day');
}
