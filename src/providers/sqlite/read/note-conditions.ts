// Translates a filter into SQL conditions on the table `files`.
import type { NoteFilter, PropertyFilter } from '../../../contracts/note-filter.ts';
import { localDate } from '../../../markdown/frontmatter/note-date.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { type Conditions, join } from './conditions.ts';
import { valueCondition } from './property-conditions.ts';

/** Whether a link leads to an attachment is not a condition on the file. */
function ofKind({ attachments, attachmentTexts }: NoteFilter): Conditions {
  if (attachmentTexts === true) return { sql: `(files.kind <> 'attachment' OR files.hash IS NOT NULL)`, values: [] };
  if (attachments === undefined) return { sql: `files.kind <> 'attachment'`, values: [] };
  return { sql: `files.kind = 'attachment'`, values: [] };
}

/** For `all` files the tags and values that fit are listed once; for `few` files those of each file are looked up. */
type Checked = 'all' | 'few';

/** Notes, canvases and bases, or attachments, that pass every part of the filter. */
export function noteConditions(filter: NoteFilter, checked: Checked = 'all'): Conditions {
  const all: Conditions[] = [ofKind(filter)];
  if (filter.folder !== undefined && filter.folder !== '') all.push(inFolder(filter.folder));
  if (filter.exceptFolder !== undefined) all.push(outsideFolder(filter.exceptFolder, 'files.id'));
  if (filter.tags !== undefined && filter.tags.length > 0)
    all.push(withTags(filter.tags, filter.tagMode ?? 'any', checked));
  for (const property of filter.where ?? []) all.push(withProperty(property, checked));
  if (filter.among !== undefined) all.push(amongPaths(filter.among));
  if (filter.sinceMs !== undefined) all.push(dated('>=', filter.sinceMs));
  if (filter.untilMs !== undefined) all.push(dated('<', filter.untilMs));
  if (filter.modifiedSinceMs !== undefined) all.push({ sql: 'files.modified >= ?', values: [filter.modifiedSinceMs] });
  return join(all, ' AND ');
}

/** Whether the filter narrows what is found. */
export function hasFilter({ attachmentTexts: _, ...filter }: NoteFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** The date of a note is in local time, so the limit is converted to local time too. */
function dated(comparison: '>=' | '<', ms: number): Conditions {
  const sql = `iif(files.date IS NULL, files.modified ${comparison} ?, files.date ${comparison} ?)`;
  return { sql, values: [ms, localDate(ms)] };
}

function amongPaths(paths: readonly string[]): Conditions {
  const known = 'SELECT id FROM files WHERE path IN (SELECT value FROM json_each(?))';
  return { sql: `files.id IN (${known})`, values: [JSON.stringify(paths)] };
}

/** In the folder and its subfolders: `0` is the character after `/`. */
export function inFolder(folder: string): Conditions {
  return { sql: '(files.path > ? AND files.path < ?)', values: [`${folder}/`, `${folder}0`] };
}

/** The few files of the folder are listed once, so that a filter with only this condition costs next to nothing. */
function outsideFolder(folder: string, id: string): Conditions {
  const { sql, values } = inFolder(folder);
  return { sql: `${id} NOT IN (SELECT id FROM files WHERE ${sql})`, values };
}

/** The condition on a column with the ids of files if the filter only leaves out a folder; undefined for other filters. */
export function onlyOutside({ exceptFolder, ...others }: NoteFilter, id: string): Conditions | undefined {
  return exceptFolder === undefined || hasFilter(others) ? undefined : outsideFolder(exceptFolder, id);
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
  const named = `name IN (SELECT id FROM property_names WHERE key = ?) AND ${sql}`;
  const found = hasRow('property_values', { sql: named, values: [foldName(name), ...values] }, checked);
  const isUnwanted = operator === 'ne' || (operator === 'exists' && value === false);
  return isUnwanted ? { ...found, sql: `NOT ${found.sql}` } : found;
}
