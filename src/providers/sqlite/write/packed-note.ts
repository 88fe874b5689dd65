// Packs headings, blocks, tags, properties and tasks of a note into short texts for storage, and unpacks them.
import type { Block, Heading, ParsedNote, Properties, PropertyValue, Tag, Task } from '../../../base/note.ts';
import { foldName } from '../../../markdown/links/fold.ts';
import { fieldProperty } from '../../../markdown/parse/inline-field.ts';
import { distinctSpellings, tagsFrom } from '../../../markdown/parse/tag.ts';

type HeadingRow = readonly [text: string, level: number, line: number, offset: number, column?: number, end?: number];

export function packHeadings(headings: readonly Heading[]): string {
  const rows = headings.map(({ text, level, line, offset, column, endLine }): HeadingRow => {
    if (endLine !== undefined) return [text, level, line, offset, column, endLine];
    return column === 1 ? [text, level, line, offset] : [text, level, line, offset, column];
  });
  return JSON.stringify(rows);
}

export function unpackHeadings(packed: string): Heading[] {
  const rows = JSON.parse(packed) as HeadingRow[];
  return rows.map(([text, level, line, offset, column = 1, endLine]) => {
    return { text, level, line, column, offset, ...(endLine !== undefined && { endLine }) };
  });
}

export function packBlocks(blocks: readonly Block[]): string {
  return JSON.stringify(blocks.map(({ id, line, endLine }) => [id, line, endLine]));
}

export function unpackBlocks(packed: string): Block[] {
  const rows = JSON.parse(packed) as [string, number, number][];
  return rows.map(([id, line, endLine]) => ({ id, line, endLine }));
}

type TagRow = readonly [tag: string, line: number, column: number, offset: number];
type TagRows = readonly [properties: readonly TagRow[], body: readonly TagRow[]];

export const NO_TAGS = '[[],[]]';

export function packTags(tags: readonly Tag[]): string {
  if (tags.length === 0) return NO_TAGS;
  return JSON.stringify([rowsOf(tags, 'properties'), rowsOf(tags, 'body')]);
}

function rowsOf(tags: readonly Tag[], origin: Tag['from']): TagRow[] {
  return tagsFrom(tags, origin).map(({ tag, line, column, offset }): TagRow => [tag, line, column, offset]);
}

export function unpackTags(packed: string): Tag[] {
  const [properties, body] = JSON.parse(packed) as TagRows;
  return [...tagsOf(properties, 'properties'), ...tagsOf(body, 'body')];
}

/** What `distinctTags` makes of them, without their places. */
export function unpackDistinctTags(packed: string): string[] {
  if (packed === NO_TAGS) return [];
  const names: string[] = [];
  for (const rows of JSON.parse(packed) as TagRows) for (const row of rows) names.push(row[0]);
  return distinctSpellings(names);
}

function tagsOf(rows: readonly TagRow[], from: Tag['from']): Tag[] {
  return rows.map(([tag, line, column, offset]) => ({ tag, from, line, column, offset }));
}

type FieldRow = readonly [name: number, value: PropertyValue, line: number];

/** The properties and the inline fields of a note. */
export type Valued = Pick<ParsedNote, 'properties' | 'fields'>;

/** Writes `[name id, value, name id, value, …]` in the order of the properties, and the inline fields as one last item, if there are any. */
export function packProperties({ properties, fields = [] }: Valued, idOf: (name: string) => number): string {
  const list = Object.entries(properties).flatMap<PropertyValue>(([name, value]) => [idOf(name), value]);
  if (fields.length > 0) list.push(fields.map(({ name, value, line }): FieldRow => [idOf(name), value, line]));
  return JSON.stringify(list);
}

export function unpackProperties(packed: string, nameOf: (id: number) => string): Valued {
  const list = JSON.parse(packed) as PropertyValue[];
  const rows = list.length % 2 === 0 ? [] : (list.pop() as unknown as FieldRow[]);
  const named: [string, PropertyValue][] = [];
  for (let at = 0; at < list.length; at += 2) named.push([nameOf(list[at] as number), list[at + 1] as PropertyValue]);
  const properties = Object.fromEntries(named);
  if (rows.length === 0) return { properties };
  return { properties, fields: rows.map(([id, value, line]) => ({ name: nameOf(id), value, line })) };
}

/** A task without its text, which is read from the note. */
export type StoredTask = Omit<Task, 'text'>;

/** One line per task: `12`, `13:x`, `14: :2026-11-20` with its days due, scheduled and of its start. Most tasks are open and have none. */
export function packTasks(tasks: readonly StoredTask[]): string {
  return tasks.map(packTask).join('\n');
}

function packTask({ line, mark, due = '', scheduled = '', start = '' }: StoredTask): string {
  if (due === '' && scheduled === '' && start === '') return mark === ' ' ? String(line) : `${line}:${mark}`;
  return `${line}:${mark}${`:${due}:${scheduled}:${start}`.replace(/:+$/, '')}`;
}

const PACKED = /^(\d+)(?::(.)(?::([^:]*))?(?::([^:]*))?(?::([^:]*))?)?$/su;

export function unpackTasks(packed: string): StoredTask[] {
  return packed.split('\n').map((task) => {
    const [, line = '0', mark = ' ', due, scheduled, start] = PACKED.exec(task) ?? [];
    return { line: Number(line), mark, ...(due && { due }), ...(scheduled && { scheduled }), ...(start && { start }) };
  });
}

interface FlatValue {
  /** In its original spelling; `name.sub` inside a map. */
  readonly name: string;
  /** Null for strings and numbers, which SQLite distinguishes itself. */
  readonly type: 'null' | 'boolean' | 'list' | 'map' | null;
  /** Strings are folded; booleans are 0 or 1. */
  readonly value: string | number | null;
  /** Its number in the note, negative in an inline field. */
  readonly ordinal: number;
}

/** Flattens properties into values that a filter can compare: one per list item, and for a map one for itself and one per entry. An empty list has one value. */
export function flatValues({ properties, fields = [] }: Valued): FlatValue[] {
  const values: FlatValue[] = [];
  for (const [name, value] of Object.entries(properties)) flatten(name, value, values, (at) => at);
  const size = values.length;
  for (const { name, value } of fields) flatten(fieldProperty(name), value, values, (at) => size - 1 - at);
  return values;
}

function flatten(name: string, value: PropertyValue, values: FlatValue[], ordinalOf: (at: number) => number): void {
  const add = (type: FlatValue['type'], flat: FlatValue['value'] = null): void => {
    values.push({ name, type, value: flat, ordinal: ordinalOf(values.length) });
  };
  if (typeof value === 'string') add(null, foldName(value));
  else if (typeof value === 'number') add(null, value);
  else if (typeof value === 'boolean') add('boolean', Number(value));
  else if (value === null) add('null');
  else if (!Array.isArray(value)) {
    add('map');
    for (const [key, inner] of Object.entries(value as Properties)) flatten(`${name}.${key}`, inner, values, ordinalOf);
  } else if (value.length === 0) add('list');
  else for (const item of value) flatten(name, item, values, ordinalOf);
}
