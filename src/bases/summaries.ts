// The summaries that every base has.
import { letOthersRun } from '../base/threads/turns.ts';
import { type Comparing, isEqual, sortKeyOf } from './values/compare.ts';
import { difference, millisecondsOf } from './values/dates.ts';
import { type DateValue, type DurationValue, isList, typeOf, type Value } from './values/value.ts';

type Summary = (values: readonly Value[], comparing: Comparing) => Value | Promise<Value>;

const ofNumbers =
  (compute: (numbers: readonly number[]) => number): Summary =>
  (values) => {
    const numbers = values.flatMap(numberIn);
    return numbers.length === 0 ? null : compute(numbers);
  };

/** Ascending. */
function datesIn(values: readonly Value[]): readonly DateValue[] {
  const dates = values.filter((value): value is DateValue => typeOf(value) === 'date');
  return dates.sort((one, other) => one.ms - other.ms);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers: readonly number[]): number => sum(numbers) / numbers.length;
const least = (numbers: readonly number[]): number => numbers.reduce((one, other) => Math.min(one, other));
const largest = (numbers: readonly number[]): number => numbers.reduce((one, other) => Math.max(one, other));

export const SUMMARIES: Readonly<Record<string, Summary>> = {
  Average: ofNumbers(mean),
  Min: ofNumbers(least),
  Max: ofNumbers(largest),
  Sum: ofNumbers(sum),
  Range: range,
  Median: ofNumbers(median),
  Stddev: ofNumbers((numbers) => {
    const middle = mean(numbers);
    return Math.sqrt(mean(numbers.map((number) => (number - middle) ** 2)));
  }),
  Earliest: (values) => datesIn(values)[0] ?? null,
  Latest: (values) => datesIn(values).at(-1) ?? null,
  Checked: (values) => values.filter((value) => value === true).length,
  Unchecked: (values) => values.filter((value) => value === false).length,
  Empty: (values) => values.filter(isEmpty).length,
  Filled: (values) => values.filter((value) => !isEmpty(value)).length,
  Unique: distinct,
};

function numberIn(value: Value): number[] {
  if (typeof value === 'number') return [value];
  return typeOf(value) === 'duration' ? [millisecondsOf(value as DurationValue)] : [];
}

/** Compares numbers, or else dates. */
function range(values: readonly Value[]): Value {
  const numbers = values.flatMap(numberIn);
  if (numbers.length > 0) return largest(numbers) - least(numbers);
  const dates = datesIn(values);
  return dates.length === 0 ? null : difference((dates.at(-1)?.ms ?? 0) - (dates[0]?.ms ?? 0));
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

function isEmpty(value: Value): boolean {
  return value === null || value === '' || (isList(value) && value.length === 0);
}

/** Values with the same text are compared; nothing else can be equal. */
async function distinct(values: readonly Value[], comparing: Comparing): Promise<number> {
  const kept = new Map<string, Value[]>();
  for (const value of values) {
    if (isEmpty(value)) continue;
    const key = sortKeyOf(value);
    comparing.spend((key?.text.length ?? 0) >> 4);
    const alike = kept.get(`${key?.number} ${key?.text}`) ?? [];
    if (!alike.some((each) => isEqual(each, value, comparing))) alike.push(value);
    kept.set(`${key?.number} ${key?.text}`, alike);
    await letOthersRun();
  }
  return [...kept.values()].reduce((count, alike) => count + alike.length, 0);
}
