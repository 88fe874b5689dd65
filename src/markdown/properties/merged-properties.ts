// Unites the properties of notes that become one.
import { isDeepStrictEqual } from 'node:util';
import type { Properties, PropertyValue } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';
import { isTagName } from '../parse/tag.ts';

export interface NoteProperties {
  readonly path: string;
  readonly properties: Properties;
}

/** A value that the merged note does not take, because it has another one. */
export interface LeftValue {
  readonly path: string;
  readonly property: string;
  readonly value: PropertyValue;
}

/** `set`: what changes of the properties of `into`. Lists are united; of other values the first one counts. Names compare without case. */
export function mergeProperties(into: Properties, notes: readonly NoteProperties[]) {
  const values = new Map(Object.entries(into));
  const names = new Map(Object.keys(into).map((name) => [name.toLowerCase(), name]));
  const changed = new Set<string>();
  const left: LeftValue[] = [];
  for (const { path, properties } of notes) {
    for (const [property, value] of Object.entries(properties)) {
      const name = names.get(property.toLowerCase()) ?? property;
      names.set(property.toLowerCase(), name);
      const old = values.get(name);
      const united = isEmpty(old) ? value : unite(name, old, value);
      if (united === undefined) left.push({ path, property, value });
      else if (!isDeepStrictEqual(united, old)) {
        values.set(name, united);
        changed.add(name);
      }
    }
  }
  return { set: Object.fromEntries([...changed].map((name) => [name, values.get(name) ?? null])), left };
}

function isEmpty(value: PropertyValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

const LISTS: readonly string[] = ['tags', 'aliases'];

/** Undefined if both cannot be kept. */
function unite(name: string, old: PropertyValue, value: PropertyValue): PropertyValue | undefined {
  if (isDeepStrictEqual(old, value) || isEmpty(value)) return old;
  const isList = Array.isArray(old) || (LISTS.includes(name.toLowerCase()) && typeof old === 'string');
  if (!isList) return undefined;
  const keyOf = (item: PropertyValue): string => keyIn(name, item);
  if (![old, value].every((each) => isRead(name, each))) return undefined;
  const items = [old].flat() as PropertyValue[];
  const keys = new Set(items.map(keyOf));
  const added = ([value].flat() as PropertyValue[]).filter((item) => !keys.has(keyOf(item)) && keys.add(keyOf(item)));
  return added.length === 0 ? old : [...items, ...added];
}

/** Whether Obsidian reads each tag or alias of the value; united with others, the rest would be written as one of them. */
function isRead(name: string, value: PropertyValue): boolean {
  if (Array.isArray(value) || !LISTS.includes(name.toLowerCase()) || typeof value !== 'string') return true;
  return name.toLowerCase() === 'tags' ? isTagName(value.trim().replace(/^#/, '')) : !value.includes(',');
}

/** Tags and aliases compare without case, tags also without `#`. */
function keyIn(name: string, item: PropertyValue): string {
  const isName = LISTS.includes(name.toLowerCase()) && typeof item === 'string';
  return isName ? foldName(item.trim().replace(/^#/, '')) : JSON.stringify(item);
}
