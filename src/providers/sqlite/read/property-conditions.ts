// Translates a comparison of a property into an SQL condition on the table `property_values`.
import type { PropertyFilter } from '../../../contracts/note-filter.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { type Conditions, join } from './conditions.ts';

const IS_TEXT = `typeof(value) = 'text'`;
/** An empty text has no order. */
const IS_FILLED = `${IS_TEXT} AND value <> ''`;
const IS_NUMBER = `type IS NULL AND typeof(value) <> 'text'`;
/** The text of a number as it is usually written; `007` and `5.0` are not. */
const IS_NUMBER_TEXT = `${IS_TEXT} AND CAST(CAST(value AS NUMERIC) AS TEXT) = value`;

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The condition on the values of one property; for `ne` that of the values which are left out. */
export function valueCondition(operator: PropertyFilter['operator'], value: PropertyFilter['value']): Conditions {
  if (operator === 'exists') return { sql: 'TRUE', values: [] };
  if (operator === 'eq' || operator === 'ne') return equalTo(value);
  if (operator === 'contains') return containing(value);
  if (value === null || typeof value === 'boolean') return { sql: 'FALSE', values: [] };
  return ordered(COMPARISONS[operator], value);
}

/** A value is equal to its text, whichever of the two the note and the filter have; the empty values are equal to each other. */
function equalTo(value: PropertyFilter['value']): Conditions {
  if (value === null) return EMPTY;
  if (typeof value === 'boolean')
    return { sql: `((type IS 'boolean' AND value = ?) OR value = ?)`, values: [Number(value), String(value)] };
  if (typeof value === 'number') return { sql: `(type IS NULL AND value IN (?, ?))`, values: [value, String(value)] };
  const text = foldName(value);
  if (text.trim() === '') return EMPTY;
  const number = numberIn(text);
  const alternatives = [
    textEqualTo(text),
    ...(number === undefined ? [] : [{ sql: `(${IS_NUMBER} AND value = ?)`, values: [number] }]),
    ...(text === 'true' || text === 'false'
      ? [{ sql: `type IS 'boolean' AND value = ?`, values: [Number(text === 'true')] }]
      : []),
  ];
  return join(alternatives, ' OR ');
}

const EMPTY: Conditions = { sql: `(type IN ('null', 'list') OR value = '')`, values: [] };

/** Also the same moment in another form, and a link with this text, whatever it shows. */
function textEqualTo(text: string): Conditions {
  const link = /^\[\[([^\]|]*)(?:\|[^\]]*)?\]\]$/.exec(text)?.[1] ?? text;
  const spellings = [...new Set([text, `[[${link}]]`, ...momentSpellings(text)])];
  const listed = spellings.map(() => '?').join(', ');
  const shown = { sql: `(value >= ? AND value < ?)`, values: [`[[${link}|`, `[[${link}}`] };
  return { sql: `(type IS NULL AND (value IN (${listed}) OR ${shown.sql}))`, values: [...spellings, ...shown.values] };
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2})(?::(\d{2}))?)?$/;

function momentSpellings(text: string): string[] {
  const [, day, time = '00:00', second = '00'] = MOMENT.exec(text) ?? [];
  if (day === undefined) return [];
  const times = second === '00' ? [time, `${time}:00`] : [`${time}:${second}`];
  const isDay = time === '00:00' && second === '00';
  return [...(isDay ? [day] : []), ...times.flatMap((at) => [`${day}t${at}`, `${day} ${at}`])];
}

/** A text that contains it; a list or a value that is it. */
function containing(value: PropertyFilter['value']): Conditions {
  const equal = equalTo(value);
  if (value === null || equal === EMPTY) return equal;
  const contained = { sql: `(${IS_TEXT} AND instr(value, ?) > 0)`, values: [foldName(String(value))] };
  return join([equal, contained], ' OR ');
}

/** Numbers and their texts are compared as numbers, dates with dates, and other texts as texts. */
function ordered(by: string, value: string | number): Conditions {
  const text = foldName(String(value));
  const number = typeof value === 'number' ? value : numberIn(text);
  if (number === undefined)
    return DATE.test(text) ? orderedDates(by, text) : { sql: `(${IS_FILLED} AND value ${by} ?)`, values: [text] };
  const asNumber = {
    sql: `((${IS_NUMBER} AND value ${by} ?) OR (${IS_NUMBER_TEXT} AND CAST(value AS NUMERIC) ${by} ?))`,
    values: [number, number],
  };
  if (typeof value === 'number') return asNumber;
  const asText = { sql: `(${IS_FILLED} AND NOT (${IS_NUMBER_TEXT}) AND value ${by} ?)`, values: [text] };
  return join([asNumber, asText], ' OR ');
}

const DATE = /^\d{4}-\d{2}/;

/** A date can be a link, and a space can be before its time. */
function orderedDates(by: string, text: string): Conditions {
  const date = `replace(ltrim(value, '['), ' ', 't')`;
  const isDate = `${IS_TEXT} AND ltrim(value, '[') GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'`;
  return { sql: `(${isDate} AND ${date} ${by} ?)`, values: [text.replace(' ', 't')] };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/;

function numberIn(text: string): number | undefined {
  const number = NUMBER.test(text.trim()) ? Number(text) : undefined;
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}
