// Flattens the properties of a note into values that a filter can compare, and folds texts the way they are compared.
import type { Properties, PropertyValue } from '../../base/note.ts';
import { foldName } from '../../markdown/fold.ts';

export interface FlatValue {
  /** Folded; `name.sub` inside a map. */
  readonly name: string;
  readonly type: 'null' | 'boolean' | 'number' | 'text' | 'list' | 'map';
  /** 0 and 1 for booleans. */
  readonly number: number | null;
  /** Folded. */
  readonly text: string | null;
}

/** A list is one row per item, a map one row for itself and its own properties below it; an empty list still has its row. */
export function flatValues(properties: Properties): FlatValue[] {
  return Object.entries(properties).flatMap(([name, value]) => flattened(foldName(name), value));
}

function flattened(name: string, value: PropertyValue): FlatValue[] {
  if (value === null || typeof value !== 'object') return [scalar(name, value)];
  if (Array.isArray(value)) {
    return value.length === 0 ? [row(name, 'list')] : value.flatMap((item) => flattened(name, item));
  }
  const below = Object.entries(value as Properties);
  return [row(name, 'map'), ...below.flatMap(([key, inner]) => flattened(`${name}.${foldName(key)}`, inner))];
}

export function scalar(name: string, value: null | boolean | number | string): FlatValue {
  if (typeof value === 'string') return { ...row(name, 'text'), text: foldName(value) };
  if (typeof value === 'number') return { ...row(name, 'number'), number: value };
  if (typeof value === 'boolean') return { ...row(name, 'boolean'), number: value ? 1 : 0 };
  return row(name, 'null');
}

function row(name: string, type: FlatValue['type']): FlatValue {
  return { name, type, number: null, text: null };
}
