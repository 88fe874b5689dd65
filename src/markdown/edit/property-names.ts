// What `tags` and `aliases` are to hold once some names are added and some removed. Knows nothing of YAML.
import type { PropertyValue } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';
import { isTagName } from '../parse/tag.ts';
import { editRefusal } from './refusal.ts';

export type NamesProperty = 'tags' | 'aliases';

export interface ChangedNames {
  /** Undefined where nothing changes. */
  readonly value: readonly PropertyValue[] | undefined;
  readonly notices: readonly string[];
}

/**
 * Names are compared without case; a tag may come with its `#` or without. The rest of the list stays as it is.
 * @throws INVALID_INPUT for what is no name, and when the property holds something that gives no names
 */
export function changeNames(
  property: NamesProperty,
  current: PropertyValue | undefined,
  add: readonly string[],
  remove: readonly string[],
): ChangedNames {
  const old = listOf(property, current);
  const removed = new Set(remove.map((name) => keyOf(property, name)));
  const kept = old.filter((item) => !removed.has(keyOf(property, item)));
  const added = newNames(property, kept, add);
  const known = new Set(old.map((item) => keyOf(property, item)));
  const notices = remove
    .filter((name) => !known.has(keyOf(property, name)))
    .map((name) => `${property}: ${JSON.stringify(name)} is not there to be removed.`);
  const changed = kept.length < old.length || added.length > 0;
  return { value: changed ? [...kept, ...added] : undefined, notices };
}

/** The property as a list: one text is one name, nothing is none. */
function listOf(property: NamesProperty, current: PropertyValue | undefined): readonly PropertyValue[] {
  if (Array.isArray(current)) return current;
  if (current === undefined || current === null || current === '') return [];
  const isName =
    typeof current === 'string' && (property === 'tags' ? isTagName(withoutSign(current)) : !current.includes(','));
  if (isName) return [current];
  const rule = `the note's ${property} are ${JSON.stringify(current)}, which gives no ${property}; set them as a list first`;
  throw editRefusal('set_properties', `add_${property}`, rule);
}

function newNames(property: NamesProperty, kept: readonly PropertyValue[], add: readonly string[]): string[] {
  const present = new Set(kept.map((item) => keyOf(property, item)));
  return add.flatMap((written) => {
    const name = property === 'tags' ? withoutSign(written.trim()) : written.trim();
    if (property === 'tags' ? !isTagName(name) : name === '')
      throw editRefusal('set_properties', `add_${property}`, `${JSON.stringify(written)} cannot be one of ${property}`);
    const key = keyOf(property, name);
    if (present.has(key)) return [];
    present.add(key);
    return [name];
  });
}

function keyOf(property: NamesProperty, item: PropertyValue): string {
  const text = typeof item === 'string' ? item.trim() : JSON.stringify(item);
  return foldName(property === 'tags' ? withoutSign(text) : text);
}

function withoutSign(tag: string): string {
  return tag.replace(/^#/, '');
}
