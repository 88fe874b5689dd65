// Converts the properties of a note to values.
import type { NotePath, Properties, PropertyValue } from '../../base/note.ts';
import type { BaseFile } from '../files.ts';
import { parseDateValue } from './dates.ts';
import { wikilinkIn } from './links.ts';
import type { TagValue, Value } from './value.ts';

/** `[[links]]` and dates in properties have types of their own; null for a property that the note does not have. */
export function propertyOf({ path, properties }: BaseFile, name: string): Value {
  const key = keyOf(properties, name);
  if (key === undefined) return null;
  const value = properties[key] as PropertyValue;
  return key.toLowerCase() === 'tags' ? tagsIn(value, path) : toValue(value, path);
}

/** The name itself, else the first that differs only in case. */
export function keyOf(properties: Properties, name: string): string | undefined {
  if (Object.hasOwn(properties, name)) return name;
  const folded = name.toLowerCase();
  return Object.keys(properties).find((key) => key.toLowerCase() === folded);
}

export function objectOf(properties: Properties, source: NotePath): Value {
  const entries = Object.entries(properties).map(([name, value]) => [name, toValue(value, source)] as const);
  return { kind: 'object', entries: new Map(entries) };
}

export function tagValue(tag: string): TagValue {
  return { kind: 'tag', name: tag.replace(/^#/, '') };
}

function toValue(value: PropertyValue, source: NotePath): Value {
  if (typeof value === 'string') return wikilinkIn(value, source) ?? parseDateValue(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (isItems(value)) return value.map((item) => toValue(item, source));
  return objectOf(value as Properties, source);
}

function isItems(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

function tagsIn(value: PropertyValue, source: NotePath): Value {
  if (!isItems(value)) return toValue(value, source);
  return value.map((item) => (typeof item === 'string' ? tagValue(item) : toValue(item, source)));
}
