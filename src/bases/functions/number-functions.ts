// The functions of numbers, which durations have too, as milliseconds.
import { millisecondsOf } from '../values/dates.ts';
import { CellFault, type DurationValue, type Value } from '../values/value.ts';
import { type FunctionCall, functionsOn, numberAt, optionalNumberAt } from './function.ts';

export const NUMBER_FUNCTIONS = functionsOn('number', (value) =>
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
