// Lists every function of the language, as in Obsidian's documentation.

import { compareOrdered, compareSortKeys, isEqual, type SortKey, sortKeyOf } from '../values/compare.ts';
import { dayOf, difference, millisecondsOf, parseDuration, readDate } from '../values/dates.ts';
import { fileMeant, linkTo, linkValue, wikilinkIn } from '../values/links.ts';
import { deviation, mean, median, ofNumbers } from '../values/statistics.ts';
import { textIn, textOf } from '../values/text.ts';
import {
  CellFault,
  checkDepth,
  type DateValue,
  type DurationValue,
  isEmpty,
  isList,
  isTruthy,
  type TypeName,
  typeOf,
  type Value,
} from '../values/value.ts';
import {
  type BaseFunction,
  checkLength,
  everyArgument,
  type FunctionCall,
  functionsOn,
  numberAt,
  optionalNumberAt,
  type Receiver,
  textAt,
} from './function.ts';
import {
  ANY_FUNCTIONS,
  DATE_FUNCTIONS,
  FILE_FUNCTIONS,
  isTagAbove,
  LINK_FUNCTIONS,
  OBJECT_FUNCTIONS,
  REGEX_FUNCTIONS,
  regexOrText,
} from './typed-functions.ts';

type List = readonly Value[];

const LIST_FUNCTIONS = functionsOn(
  'list',
  (value) => value as List,
)({
  contains: ['(value: any): boolean', (list, call) => holds(list, call.value(0), call)],
  containsAll: ['(...values: any): boolean', (list, call) => wanted(call).every((value) => holds(list, value, call))],
  containsAny: ['(...values: any): boolean', (list, call) => wanted(call).some((value) => holds(list, value, call))],
  filter: [
    '(value: boolean): list',
    (list, call) => list.filter((_, index) => isTruthy(itemResult(list, index, call))),
  ],
  flat: ['(): list', (list, call) => flat(list, call)],
  isEmpty: ['(): boolean', (list) => list.length === 0],
  join: ['(separator: string): string', (list, call) => joinedItems(list, textAt(call, 0), call)],
  map: ['(value: any): list', (list, call) => list.map((_, index) => itemResult(list, index, call))],
  mean: ['(): number', ofNumbers(mean)],
  median: ['(): number', ofNumbers(median)],
  reduce: ['(expression: any, acc: any): any', reduced],
  reverse: ['(): list', (list) => [...list].reverse()],
  slice: [
    '(start: number, end?: number): list',
    (list, call) => list.slice(numberAt(call, 0), optionalNumberAt(call, 1)),
  ],
  sort: ['(): list', (list, call) => sorted(list, call)],
  stddev: ['(): number', ofNumbers(deviation)],
  unique: ['(): list', (list, call) => unique(list, call)],
});

/** A list of tags also has the tags above its own: `deep` if it has `deep/sea`. */
function holds(list: List, value: Value, call: FunctionCall): boolean {
  return has(list, value, call) || list.some((item) => typeOf(item) === 'tag' && isTagAbove(value, textIn(item) ?? ''));
}

function has(list: List, value: Value, call: FunctionCall): boolean {
  return list.some((item) => isEqual(item, value, call));
}

/** A single list is replaced by its items. */
function wanted(call: FunctionCall): List {
  const values = everyArgument(call);
  return values.flatMap((value) => (isList(value) ? value : [value]));
}

function itemResult(list: List, index: number, call: FunctionCall): Value {
  return call.valueWith(0, { value: list[index] ?? null, index });
}

function reduced(list: List, call: FunctionCall): Value {
  return list.reduce<Value>((acc, value, index) => call.valueWith(0, { acc, value, index }), call.value(1));
}

/** Nested lists of any depth. */
function flat(list: List, call: FunctionCall, depth = 0): Value[] {
  checkDepth(depth);
  const items: Value[] = [];
  for (const item of list) {
    call.spend(1);
    if (!isList(item)) items.push(item);
    else for (const inner of flat(item, call, depth + 1)) items.push(inner);
  }
  return items;
}

function joinedItems(list: List, separator: string, call: FunctionCall): string {
  const texts = list.map((item) => textOf(item));
  checkLength(
    texts.reduce((length, text) => length + text.length + separator.length, 0),
    call,
  );
  return texts.join(separator);
}

/** Null comes last. */
function sorted(list: List, call: FunctionCall): Value[] {
  call.spend(list.length * 16);
  const keyed = list.map((value) => ({ value, key: sortKeyOf(value) }));
  return keyed.sort((one, other) => compareKeys(one.key, other.key)).map(({ value }) => value);
}

function compareKeys(one: SortKey | undefined, other: SortKey | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return compareSortKeys(one, other);
}

function unique(list: List, call: FunctionCall): Value[] {
  const values: Value[] = [];
  for (const value of list) if (!has(values, value, call)) values.push(value);
  return values;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const GLOBAL_FUNCTIONS = functionsOn(
  'global',
  () => null,
)({
  date: ['(date: string): date', (_, call) => toDate(call.value(0))],
  duration: ['(value: string): duration', (_, call) => toDuration(call.value(0))],
  // These are of the first version of the language, which bases still use.
  empty: ['(value: any): boolean', (_, call) => isEmpty(call.value(0))],
  escapeHTML: [
    '(html: string): string',
    (_, call) => textAt(call, 0).replace(/[&<>"']/g, (sign) => HTML_ESCAPES[sign] ?? sign),
  ],
  file: ['(path: string | file | url): file', (_, call) => fileMeant(call.value(0), call.basePath, call.files)],
  html: ['(html: string): html', (_, call) => ({ kind: 'html', text: textAt(call, 0) })],
  icon: ['(name: string): icon', (_, call) => ({ kind: 'icon', text: textAt(call, 0) })],
  if: ['(condition: any, trueResult: any, falseResult?: any): any', (_, call) => chosen(call)],
  image: ['(path: string | file | url): image', (_, call) => ({ kind: 'image', text: pathOf(call.value(0)) })],
  link: ['(path: string | file, display?: value): link', (_, call) => toLink(call)],
  list: ['(element: any): list', (_, call) => toList(call.value(0))],
  max: ['(...values: number): number', (_, call) => extreme(call, 1)],
  min: ['(...values: number): number', (_, call) => extreme(call, -1)],
  not: ['(value: any): boolean', (_, call) => !isTruthy(call.value(0))],
  now: ['(): date', (_, { now }) => ({ kind: 'date', ms: now.getTime(), hasTime: true })],
  number: ['(input: any): number', (_, call) => toNumber(call.value(0))],
  random: ['(): number', () => Math.random()],
  today: ['(): date', (_, { now }) => dayOf({ kind: 'date', ms: now.getTime(), hasTime: true })],
});

function chosen(call: FunctionCall): Value {
  if (isTruthy(call.value(0))) return call.value(1);
  return call.count > 2 ? call.value(2) : null;
}

function toDate(value: Value): Value {
  if (value === null || typeOf(value) === 'date') return value;
  const date: DateValue | undefined = typeof value === 'string' ? readDate(value) : undefined;
  if (date === undefined) throw new CellFault(`${JSON.stringify(textOf(value))} is not a date`);
  return date;
}

function toDuration(value: Value): Value {
  if (value === null || typeOf(value) === 'duration') return value;
  if (typeof value === 'number') return difference(value);
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) throw new CellFault(`${JSON.stringify(textOf(value))} is not a duration`);
  return duration;
}

function toLink(call: FunctionCall): Value {
  const path = call.value(0);
  const display = call.count > 1 ? call.value(1) : undefined;
  if (path === null) return null;
  if (typeof path === 'object' && 'kind' in path && path.kind === 'file') return linkTo(path.file, display);
  const text = textIn(path) ?? textOf(path);
  const link = wikilinkIn(text, call.basePath);
  return linkValue(link?.link ?? text, call.basePath, display ?? link?.display);
}

function toList(value: Value): Value {
  if (value === null) return [];
  return isList(value) ? value : [value];
}

function pathOf(value: Value): string {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file') return value.file.path;
  return textIn(value) ?? textOf(value);
}

function extreme(call: FunctionCall, sign: 1 | -1): Value {
  const values = everyArgument(call).filter((value) => value !== null);
  return values.reduce<Value>((best, value) => {
    return best === null || (compareOrdered(value, best) ?? 0) * sign > 0 ? value : best;
  }, null);
}

function toNumber(value: Value): Value {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'object' && 'kind' in value && value.kind === 'date') return value.ms;
  if (typeof value === 'object' && 'kind' in value && value.kind === 'duration') return millisecondsOf(value);
  const text = textIn(value)?.trim() ?? '';
  const number = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new CellFault(`${JSON.stringify(textOf(value))} is not a number`);
  return number;
}

const STRING_FUNCTIONS = functionsOn(
  'string',
  (value) => textIn(value) ?? '',
)({
  contains: ['(value: string): boolean', (text, call) => text.includes(textAt(call, 0))],
  containsAll: [
    '(...values: string): boolean',
    (text, call) => positions(call).every((at) => text.includes(textAt(call, at))),
  ],
  containsAny: [
    '(...values: string): boolean',
    (text, call) => positions(call).some((at) => text.includes(textAt(call, at))),
  ],
  endsWith: ['(query: string): boolean', (text, call) => text.endsWith(textAt(call, 0))],
  isEmpty: ['(): boolean', (text) => text === ''],
  lower: ['(): string', (text) => text.toLowerCase()],
  repeat: ['(count: number): string', repeated],
  replace: ['(pattern: string | regexp, replacement: string): string', replaced],
  reverse: ['(): string', (text) => [...text].reverse().join('')],
  slice: [
    '(start: number, end?: number): string',
    (text, call) => text.slice(numberAt(call, 0), optionalNumberAt(call, 1)),
  ],
  split: ['(separator: string | regexp, n?: number): list', splitAt],
  startsWith: ['(query: string): boolean', (text, call) => text.startsWith(textAt(call, 0))],
  title: ['(): string', (text) => text.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase())],
  trim: ['(): string', (text) => text.trim()],
});

function positions({ count }: FunctionCall): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function repeated(text: string, call: FunctionCall): Value {
  const count = numberAt(call, 0);
  if (!Number.isInteger(count) || count < 0) throw new CellFault(`${count} is not a number of times`);
  checkLength(text.length * count, call);
  return text.repeat(count);
}

function replaced(text: string, call: FunctionCall): Value {
  const pattern = regexOrText(call.value(0));
  const replacement = textAt(call, 1);
  if (typeof pattern !== 'string') return joined(pattern.replace(text, replacement, call.spend), call);
  const parts = text.split(pattern);
  checkLength(text.length + parts.length * replacement.length, call);
  return parts.join(replacement);
}

function joined(pieces: Iterable<string>, call: FunctionCall): string {
  let [whole, counted] = ['', 0];
  for (const piece of pieces) {
    whole += piece;
    checkLength(whole.length, call, counted);
    counted = whole.length;
  }
  return whole;
}

function splitAt(text: string, call: FunctionCall): Value {
  const separator = regexOrText(call.value(0));
  const parts = typeof separator === 'string' ? text.split(separator) : separator.split(text, call.spend);
  call.spend(parts.length);
  return parts.slice(0, optionalNumberAt(call, 1));
}

const NUMBER_FUNCTIONS = functionsOn('number', (value) =>
  typeof value === 'object' ? millisecondsOf(value as DurationValue) : Number(value),
)({
  abs: ['(): number', (number) => Math.abs(number)],
  ceil: ['(): number', (number) => Math.ceil(number)],
  floor: ['(): number', (number) => Math.floor(number)],
  isEmpty: ['(): boolean', () => false],
  round: ['(digits?: number): number', rounded],
  toFixed: ['(precision: number): string', (number, call) => number.toFixed(digits(numberAt(call, 0)))],
});

const MAX_DIGITS = 100;

function digits(count: number): number {
  if (Number.isInteger(count) && count >= 0 && count <= MAX_DIGITS) return count;
  throw new CellFault(`${count} is not a number of digits from 0 to ${MAX_DIGITS}`);
}

/** Through the decimal form, so that 1.005 is 1.01 with two digits. */
function rounded(number: number, call: FunctionCall): Value {
  const count = digits(optionalNumberAt(call, 0) ?? 0);
  const scaled = Math.round(Number(`${number}e${count}`));
  return Number.isFinite(scaled) ? Number(`${scaled}e-${count}`) : number;
}

export const FUNCTIONS: readonly BaseFunction[] = [
  ...GLOBAL_FUNCTIONS,
  ...ANY_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...LINK_FUNCTIONS,
  ...FILE_FUNCTIONS,
  ...OBJECT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
];

const BY_RECEIVER = new Map(
  [...Map.groupBy(FUNCTIONS, ({ on }) => on)].map(([on, functions]) => [
    on,
    new Map(functions.map((each) => [each.name, each])),
  ]),
);

/** Whose functions a value of each type has, its own first. */
const RECEIVERS: Readonly<Record<TypeName, readonly Receiver[]>> = {
  null: ['any'],
  boolean: ['any', 'number'],
  number: ['number', 'any'],
  string: ['string', 'any'],
  list: ['list', 'any'],
  date: ['date', 'any'],
  duration: ['number', 'any'],
  link: ['link', 'string', 'any'],
  tag: ['string', 'any'],
  html: ['string', 'any'],
  icon: ['string', 'any'],
  image: ['string', 'any'],
  file: ['file', 'any'],
  regex: ['regular expression', 'any'],
  object: ['object', 'any'],
};

export function globalFunction(name: string): BaseFunction | undefined {
  return BY_RECEIVER.get('global')?.get(name);
}

/** The function of a value of this type. */
export function functionOf(type: TypeName, name: string): BaseFunction | undefined {
  for (const receiver of RECEIVERS[type]) {
    const method = BY_RECEIVER.get(receiver)?.get(name);
    if (method !== undefined) return method;
  }
  return undefined;
}

/** Whether a value of any type has this function. */
export function isMethod(name: string): boolean {
  return [...BY_RECEIVER].some(([on, functions]) => on !== 'global' && functions.has(name));
}
