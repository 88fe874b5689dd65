// Flattens the properties of a note into values that a filter can compare, and folds texts the way they are compared.
import type { Properties, PropertyValue } from '../../../base/note.ts';
import { foldName } from '../../../markdown/links/fold.ts';

export interface FlatValue {
  /** As written; `name.sub` inside a map. */
  readonly name: string;
  /** Null for texts and numbers, which show what they are. */
  readonly type: 'null' | 'boolean' | 'list' | 'map' | null;
  /** Texts folded; booleans as 0 and 1. */
  readonly value: string | number | null;
}

/** A list is one row per item, a map one row for itself and its own properties below it; an empty list still has its row. */
export function flatValues(properties: Properties): FlatValue[] {
  return Object.entries(properties).flatMap(([name, value]) => flattened(name, value));
}

function flattened(name: string, value: PropertyValue): FlatValue[] {
  if (value === null || typeof value !== 'object') return [scalar(name, value)];
  if (Array.isArray(value)) {
    return value.length === 0 ? [row(name, 'list')] : value.flatMap((item) => flattened(name, item));
  }
  const below = Object.entries(value as Properties);
  return [row(name, 'map'), ...below.flatMap(([key, inner]) => flattened(`${name}.${key}`, inner))];
}

export function scalar(name: string, value: null | boolean | number | string): FlatValue {
  if (typeof value === 'string') return { name, type: null, value: foldName(value) };
  if (typeof value === 'number') return { name, type: null, value };
  if (typeof value === 'boolean') return { name, type: 'boolean', value: Number(value) };
  return row(name, 'null');
}

function row(name: string, type: FlatValue['type']): FlatValue {
  return { name, type, value: null };
}
