// Calculates with the numbers in a list.
import { millisecondsOf } from './dates.ts';
import { type DurationValue, typeOf, type Value } from './value.ts';

export type OfNumbers = (numbers: readonly number[]) => number;

/** Null without a number. Durations count as milliseconds. */
export const ofNumbers =
  (compute: OfNumbers) =>
  (values: readonly Value[]): Value => {
    const numbers = numbersIn(values);
    return numbers.length === 0 ? null : compute(numbers);
  };

export function numbersIn(values: readonly Value[]): number[] {
  return values.flatMap((value) => {
    if (typeof value === 'number') return [value];
    return typeOf(value) === 'duration' ? [millisecondsOf(value as DurationValue)] : [];
  });
}

export const sum: OfNumbers = (numbers) => numbers.reduce((total, number) => total + number, 0);
export const mean: OfNumbers = (numbers) => sum(numbers) / numbers.length;
export const least: OfNumbers = (numbers) => numbers.reduce((one, other) => Math.min(one, other));
export const largest: OfNumbers = (numbers) => numbers.reduce((one, other) => Math.max(one, other));

export const median: OfNumbers = (numbers) => {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
};

/** The standard deviation of the whole list, not of a sample. */
export const deviation: OfNumbers = (numbers) => {
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((number) => (number - middle) ** 2)));
};
