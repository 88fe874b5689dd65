// Translates a filter into SQL conditions on the table `files`.
import type { NoteFilter, PropertyFilter } from '../../../contracts/note-filter.ts';
import { localDate } from '../../../markdown/dates/note-date.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { fieldKey } from '../../../markdown/parse/inline-field.ts';
import type { SqlValue } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';

/** Files of the plugin Ink are used by notes that name them in a block of code and not in a link. */
const NOT_OF_INK = `files.path NOT LIKE '%.writing' AND files.path NOT LIKE '%.drawing'`;

/** Whether a link leads to an attachment is not a condition on the file. */
function ofKind({ attachments, attachmentTexts }: NoteFilter): Conditions {
  if (attachmentTexts === true) return { sql: `(files.kind <> 'attachment' OR files.hash IS NOT NULL)`, values: [] };
  if (attachments === undefined) return { sql: `files.kind <> 'attachment'`, values: [] };
  return { sql: `files.kind = 'attachment'${attachments === 'unused' ? ` AND ${NOT_OF_INK}` : ''}`, values: [] };
}

/** For `all` files the tags and values that fit are listed once; for `few` files those of each file are looked up. */
type Checked = 'all' | 'few';

/** Notes, canvases and bases, or attachments, that pass every part of the filter. */
export function noteConditions(filter: NoteFilter, checked: Checked = 'all'): Conditions {
  const all: Conditions[] = [ofKind(filter)];
  if (filter.excluded !== 'include') all.push(ofExclusion(filter.excluded, 'files.id'));
  if (filter.folder !== undefined && filter.folder !== '') all.push(inFolder(filter.folder));
  for (const folder of filter.exceptFolders ?? []) all.push(outsideFolder(folder, 'files.id'));
  if (filter.tags !== undefined && filter.tags.length > 0)
    all.push(withTags(filter.tags, filter.tagMode ?? 'any', checked));
  for (const property of filter.where ?? []) all.push(withProperty(property, checked));
  if (filter.among !== undefined) all.push(amongPaths(filter.among));
  if (filter.sinceMs !== undefined) all.push(dated('>=', filter.sinceMs));
  if (filter.untilMs !== undefined) all.push(dated('<', filter.untilMs));
  if (filter.modifiedSinceMs !== undefined) all.push({ sql: 'files.modified >= ?', values: [filter.modifiedSinceMs] });
  return join(all, ' AND ');
}

/** The files that Obsidian's settings exclude are few, and listed once. */
function ofExclusion(excluded: 'only' | undefined, id: string): Conditions {
  return { sql: `${id} ${excluded === 'only' ? 'IN' : 'NOT IN'} ${EXCLUDED}`, values: [] };
}

export const EXCLUDED = '(SELECT file FROM excluded_files)';

/** Whether the filter narrows what is found; any but one that includes them does if some files are excluded. */
export function hasFilter(rows: Rows, { attachmentTexts: _, excluded, ...filter }: NoteFilter): boolean {
  if (excluded === 'only' || Object.values(filter).some((value) => value !== undefined)) return true;
  return excluded === undefined && hasExcluded(rows);
}

export function hasExcluded(rows: Rows): boolean {
  return rows.value<number>('SELECT 1 FROM excluded_files LIMIT 1') === 1;
}

/** The date of a note is in local time, so the limit is converted to local time too. */
function dated(comparison: '>=' | '<', ms: number): Conditions {
  const sql = `iif(files.date IS NULL, files.modified ${comparison} ?, files.date ${comparison} ?)`;
  return { sql, values: [ms, localDate(ms)] };
}

function amongPaths(paths: readonly string[]): Conditions {
  const listed = 'SELECT id FROM files WHERE path IN (SELECT value FROM json_each(?))';
  return { sql: `files.id IN (${listed})`, values: [JSON.stringify(paths)] };
}

/** In the folder and its subfolders: `0` is the character after `/`. */
function inFolder(folder: string): Conditions {
  return { sql: '(files.path > ? AND files.path < ?)', values: [`${folder}/`, `${folder}0`] };
}

/** The few files of the folder are listed once, so that a filter with only this condition costs next to nothing. */
function outsideFolder(folder: string, id: string): Conditions {
  const { sql, values } = inFolder(folder);
  return { sql: `${id} NOT IN (SELECT id FROM files WHERE ${sql})`, values };
}

/** The files that are left out if the filter only leaves out folders, or excluded files; undefined for other filters. */
export function onlyLeftOut({
  exceptFolders = [],
  attachmentTexts: _,
  excluded,
  ...others
}: NoteFilter): Conditions | undefined {
  if (excluded === 'only' || Object.values(others).some((value) => value !== undefined)) return undefined;
  const left: Conditions[] = exceptFolders.map(inFolder);
  if (excluded === undefined) left.push({ sql: `files.id IN ${EXCLUDED}`, values: [] });
  return left.length === 0 ? undefined : join(left, ' OR ');
}

function withTags(tags: readonly string[], mode: 'any' | 'all', checked: Checked): Conditions {
  return join(
    tags.map((tag) => {
      const { sql, values } = ofTag(tag);
      return hasRow('tags', { sql: `tag IN (SELECT id FROM tag_names WHERE ${sql})`, values }, checked);
    }),
    mode === 'any' ? ' OR ' : ' AND ',
  );
}

/** The condition on `tag_names` for a tag in all its spellings and those below it. */
export function ofTag(tag: string): Conditions {
  const key = foldName(tag);
  return { sql: '(key = ? OR (key > ? AND key < ?))', values: [key, `${key}/`, `${key}0`] };
}

function hasRow(table: 'tags' | 'property_values', { sql, values }: Conditions, checked: Checked): Conditions {
  if (checked === 'all') return { sql: `files.id IN (SELECT file FROM ${table} WHERE ${sql})`, values };
  return { sql: `EXISTS (SELECT 1 FROM ${table} WHERE file = files.id AND ${sql})`, values };
}

function withProperty({ name, operator, value }: PropertyFilter, checked: Checked): Conditions {
  const { sql, values } = valueCondition(operator, value);
  const named = withName(name);
  const ofName = { sql: `${named.sql} AND ${sql}`, values: [...named.values, ...values] };
  const condition = hasRow('property_values', ofName, checked);
  const isUnwanted = operator === 'ne' || (operator === 'exists' && value === false);
  return isUnwanted ? { ...condition, sql: `NOT ${condition.sql}` } : condition;
}

/** An inline field also has the name that Dataview gives it: `basic-field` for `Basic Field`. */
function withName(name: string): Conditions {
  const [key, ofField] = [foldName(name), fieldKey(name)];
  const sql = 'name IN (SELECT id FROM property_names WHERE key = ?)';
  if (key === ofField) return { sql, values: [key] };
  return {
    sql: `name IN (SELECT id FROM property_names WHERE key IN (?, ?)) AND (ordinal < 0 OR name IN (SELECT id FROM property_names WHERE key = ?))`,
    values: [key, ofField, key],
  };
}

const IS_TEXT = `typeof(value) = 'text'`;
/** An empty text has no order. */
const IS_FILLED = `${IS_TEXT} AND value <> ''`;
const IS_NUMBER = `type IS NULL AND typeof(value) <> 'text'`;
/** The text of a number as it is usually written; `007` and `5.0` are not. */
const IS_NUMBER_TEXT = `${IS_TEXT} AND CAST(CAST(value AS NUMERIC) AS TEXT) = value`;

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The condition on the values of one property; for `ne` that of the values which are left out. */
function valueCondition(operator: PropertyFilter['operator'], value: PropertyFilter['value']): Conditions {
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

/** An SQL condition and the values of its parameters. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function join(conditions: readonly Conditions[], by: ' AND ' | ' OR '): Conditions {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(by)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
