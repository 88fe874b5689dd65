// Plans which properties a call changes, and to what values; refuses contradictions.
import { isDeepStrictEqual } from 'node:util';
import { nearestName } from '../../base/nearest.ts';
import type { Properties, PropertyChanges, PropertyValue } from '../../base/note.ts';
import { editRefusal } from '../edit/target.ts';
import { foldName } from '../links/fold.ts';
import { isTagName } from '../parse/tag.ts';

export type PropertyPlan = ReturnType<typeof planProperties>;

const MAX_DEPTH = 32;
const MAX_NEAREST = 10;

interface Planning {
  readonly properties: Properties;
  readonly values: Map<string, PropertyValue | undefined>;
  readonly notices: string[];
  /** Returns the note's spelling of a name, and refuses a name that was claimed before. */
  readonly claim: (name: string, at: string) => string;
}

/**
 * `values`: the new value of each property that changes; undefined if it is removed.
 * `notices`: one line for each removal of something that does not exist.
 * @throws INVALID_INPUT
 */
export function planProperties(properties: Properties, changes: PropertyChanges) {
  const planning = { properties, values: new Map(), notices: [], claim: createNameClaims(properties) };
  for (const [name, value] of Object.entries(changes.set ?? {})) planSetting(planning, name, value);
  for (const name of changes.remove ?? []) planRemoval(planning, name);
  for (const [property, add = [], remove = []] of requestedNames(changes))
    if (add.length + remove.length > 0) planNames(planning, property, add, remove);
  return planning;
}

function createNameClaims(properties: Properties): Planning['claim'] {
  const spelled = createNameLookup(properties);
  const claimed = new Set<string>();
  return (name, at) => {
    const folded = name.toLowerCase();
    if (name.trim() === '') throw editRefusal('set_properties', at, 'a property needs a name');
    if (claimed.has(folded)) throw editRefusal('set_properties', at, `${JSON.stringify(name)} is changed twice`);
    claimed.add(folded);
    return spelled(name);
  };
}

function planSetting({ properties, values, claim }: Planning, requested: string, value: PropertyValue): void {
  const name = claim(requested, `set.${requested}`);
  refuseUnwritable(value, `set.${requested}`, 0);
  if (!isDeepStrictEqual(ownValue(properties, name), value)) values.set(name, value);
}

function planRemoval({ properties, values, notices, claim }: Planning, requested: string): void {
  const name = claim(requested, 'remove');
  if (Object.hasOwn(properties, name)) values.set(name, undefined);
  else
    notices.push(
      `${JSON.stringify(requested)} is not a property of this note${nearestOf(requested, Object.keys(properties), notices.length)}.`,
    );
}

/** For the first names only, so that many of them take no long time. */
function nearestOf(name: string, names: readonly string[], at: number): string {
  const nearest = at < MAX_NEAREST ? nearestName(name, names) : undefined;
  return nearest === undefined ? '' : `; similar: ${JSON.stringify(nearest)}`;
}

function planNames(
  { properties, values, notices, claim }: Planning,
  property: NamesProperty,
  add: readonly string[],
  remove: readonly string[],
): void {
  const name = claim(property, `add_${property}`);
  const { value, notices: missing } = changeNames(property, ownValue(properties, name), add, remove);
  if (value !== undefined) values.set(name, value);
  notices.push(...missing);
}

function requestedNames({ addTags, removeTags, addAliases, removeAliases }: PropertyChanges) {
  return [
    ['tags', addTags, removeTags],
    ['aliases', addAliases, removeAliases],
  ] as const satisfies readonly (readonly [NamesProperty, ...unknown[]])[];
}

/** Reads own properties only, so that `constructor` is an ordinary name. */
function ownValue(properties: Properties, name: string): PropertyValue | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Maps a name to the note's spelling of it. */
function createNameLookup(properties: Properties): (name: string) => string {
  const folded = new Map<string, string>();
  for (const name of Object.keys(properties)) if (!folded.has(name.toLowerCase())) folded.set(name.toLowerCase(), name);
  return (name) => (Object.hasOwn(properties, name) ? name : (folded.get(name.toLowerCase()) ?? name));
}

function refuseUnwritable(value: PropertyValue, at: string, depth: number): void {
  if (depth > MAX_DEPTH) throw editRefusal('set_properties', at, `it is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string' && !value.isWellFormed())
    throw editRefusal('set_properties', at, 'it contains a lone surrogate');
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) refuseUnwritable(each, at, depth + 1);
}

type NamesProperty = 'tags' | 'aliases';

/**
 * Names are compared without case; a tag may have its `#` or not. Other items of the list are kept.
 * `value`: undefined if nothing changes.
 * @throws INVALID_INPUT for an invalid name, and if the property is not a list of names
 */
function changeNames(
  property: NamesProperty,
  current: PropertyValue | undefined,
  add: readonly string[],
  remove: readonly string[],
) {
  const old = listOf(property, current);
  const removed = new Set(remove.map((name) => keyOf(property, name)));
  const remaining = old.filter((item) => !removed.has(keyOf(property, item)));
  const added = newNames(property, remaining, add);
  const keys = new Set(old.map((item) => keyOf(property, item)));
  const notices = remove
    .filter((name) => !keys.has(keyOf(property, name)))
    .map((name, at) => {
      const near = nearestOf(
        name,
        old.filter((item) => typeof item === 'string'),
        at,
      );
      return `${property}: ${JSON.stringify(name)} is not there to be removed${near}.`;
    });
  const changed = remaining.length < old.length || added.length > 0;
  return { value: changed ? [...remaining, ...added] : undefined, notices };
}

/** The property as a list: a text is one name, nothing is an empty list. */
function listOf(property: NamesProperty, current: PropertyValue | undefined): readonly PropertyValue[] {
  if (Array.isArray(current)) return current;
  if (current === undefined || current === null || current === '') return [];
  const isName =
    typeof current === 'string' && (property === 'tags' ? isTagName(withoutSign(current)) : !current.includes(','));
  if (isName) return [current];
  const rule = `the note's ${property} are ${JSON.stringify(current)}, which is not a list of ${property}; set them as a list first`;
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
