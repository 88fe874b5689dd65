// The functions of lists.
import { compareSortKeys, isEqual, type SortKey, sortKeyOf } from '../values/compare.ts';
import { textOf } from '../values/text.ts';
import { checkDepth, isList, isTruthy, type Value } from '../values/value.ts';
import {
  checkLength,
  everyArgument,
  type FunctionCall,
  functionsOn,
  numberAt,
  optionalNumberAt,
  textAt,
} from './function.ts';

type List = readonly Value[];

export const LIST_FUNCTIONS = functionsOn(
  'list',
  (value) => value as List,
)({
  contains: ['(value: any): boolean', (list, call) => has(list, call.value(0), call)],
  containsAll: ['(...values: any): boolean', (list, call) => wanted(call).every((value) => has(list, value, call))],
  containsAny: ['(...values: any): boolean', (list, call) => wanted(call).some((value) => has(list, value, call))],
  filter: [
    '(value: boolean): list',
    (list, call) => list.filter((_, index) => isTruthy(itemResult(list, index, call))),
  ],
  flat: ['(): list', (list, call) => flat(list, call)],
  isEmpty: ['(): boolean', (list) => list.length === 0],
  join: ['(separator: string): string', (list, call) => joined(list, textAt(call, 0), call)],
  map: ['(value: any): list', (list, call) => list.map((_, index) => itemResult(list, index, call))],
  mean: ['(): number', (list) => mean(list)],
  reduce: ['(expression: any, acc: any): any', reduced],
  reverse: ['(): list', (list) => [...list].reverse()],
  slice: [
    '(start: number, end?: number): list',
    (list, call) => list.slice(numberAt(call, 0), optionalNumberAt(call, 1)),
  ],
  sort: ['(): list', (list, call) => sorted(list, call)],
  unique: ['(): list', (list, call) => unique(list, call)],
});

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

function joined(list: List, separator: string, call: FunctionCall): string {
  const texts = list.map((item) => textOf(item));
  checkLength(
    texts.reduce((length, text) => length + text.length + separator.length, 0),
    call,
  );
  return texts.join(separator);
}

/** Of its numbers; null without any. */
function mean(list: List): Value {
  const numbers = list.filter((value) => typeof value === 'number');
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
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
  const kept: Value[] = [];
  for (const value of list) if (!has(kept, value, call)) kept.push(value);
  return kept;
}
