// The values of expressions and their types.
import type { NotePath } from '../../base/note.ts';
import type { BaseFile } from '../files.ts';
import type { Regex } from './regex.ts';

export interface DateValue {
  readonly kind: 'date';
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** False for a day; shown in local time. */
  readonly hasTime: boolean;
}

/** A length of time. Months differ in length, so they are counted separately. */
export interface DurationValue {
  readonly kind: 'duration';
  readonly months: number;
  readonly ms: number;
  /** The difference of two dates, which calculates as a number of milliseconds. */
  readonly isDifference: boolean;
}

export interface LinkValue {
  readonly kind: 'link';
  /** The target as in `[[…]]` before any `|`, or a URL. */
  readonly link: string;
  readonly display?: Value;
  /** The file that it is resolved from. */
  readonly source: NotePath;
  /** The file that it leads to, if that is known. */
  readonly target?: NotePath | null;
}

/** A tag without `#`. */
export interface TagValue {
  readonly kind: 'tag';
  readonly name: string;
}

/** What Obsidian draws: HTML, the name of an icon, or the path or URL of an image. */
interface DrawnValue {
  readonly kind: 'html' | 'icon' | 'image';
  readonly text: string;
}

export interface FileValue {
  readonly kind: 'file';
  readonly file: BaseFile;
  /** True for `this`, whose members are the properties of its note. */
  readonly isThis?: true;
}

export interface RegexValue {
  readonly kind: 'regex';
  readonly regex: Regex;
}

export interface ObjectValue {
  readonly kind: 'object';
  readonly entries: ReadonlyMap<string, Value>;
}

export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | DateValue
  | DurationValue
  | LinkValue
  | TagValue
  | DrawnValue
  | FileValue
  | RegexValue
  | ObjectValue;

/** A value that cannot be worked out, such as the product of two texts. It concerns one cell of one row. */
export class CellFault extends Error {}

/** Lists and objects may share their items, so that a small value is written as a huge text. */
const MAX_PARTS = 100_000;
const MAX_NESTED = 32;

/** Counts the parts of a value while it is written. */
export class PartCount {
  #parts = 0;

  /** @param depth of the lists and objects around the part @throws CellFault for a value that is too large */
  add(depth: number): void {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) throw new CellFault(`the value has more than ${MAX_PARTS} parts`);
    checkDepth(depth);
  }
}

/** @throws CellFault */
export function checkDepth(depth: number): void {
  if (depth > MAX_NESTED) throw new CellFault(`the value is nested more than ${MAX_NESTED} times`);
}

export type TypeName =
  | 'null'
  | 'boolean'
  | 'number'
  | 'string'
  | 'list'
  | Exclude<Value, null | boolean | number | string | readonly Value[]>['kind'];

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function typeOf(value: Value): TypeName {
  if (value === null) return 'null';
  if (isList(value)) return 'list';
  if (typeof value === 'object') return value.kind;
  return typeof value as 'boolean' | 'number' | 'string';
}

/** Whether there is no value: null, an empty text or an empty list. */
export function isEmpty(value: Value): boolean {
  return value === null || value === '' || (isList(value) && value.length === 0);
}

/** Null, `false`, 0, an empty text, an empty list and an empty object count as false. */
export function isTruthy(value: Value): boolean {
  if (isList(value)) return value.length > 0;
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return value.kind === 'object' ? value.entries.size > 0 : true;
}
