// The functions of dates.
import { dayOf, formatted, relativeText } from '../values/dates.ts';
import type { DateValue } from '../values/value.ts';
import { functionsOn, textAt } from './function.ts';

export const DATE_FUNCTIONS = functionsOn(
  'date',
  (value) => value as DateValue,
)({
  date: ['(): date', dayOf],
  format: ['(format: string): string', (date, call) => formatted(date, textAt(call, 0))],
  isEmpty: ['(): boolean', () => false],
  relative: ['(): string', (date, { now }) => relativeText(date, now)],
  time: ['(): string', (date) => formatted(date, 'HH:mm:ss')],
});

/** The parts of a date in local time. */
const FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  year: (date) => date.getFullYear(),
  month: (date) => date.getMonth() + 1,
  day: (date) => date.getDate(),
  hour: (date) => date.getHours(),
  minute: (date) => date.getMinutes(),
  second: (date) => date.getSeconds(),
  millisecond: (date) => date.getMilliseconds(),
};

export function dateField({ ms }: DateValue, name: string): number | undefined {
  return Object.hasOwn(FIELDS, name) ? FIELDS[name]?.(new Date(ms)) : undefined;
}
