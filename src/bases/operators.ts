// Calculates with numbers, texts, dates and durations.
import { checkLength } from './functions/function.ts';
import type { Comparing } from './values/compare.ts';
import { datedValue, difference, millisecondsOf, parseDuration, shifted } from './values/dates.ts';
import { textIn, textOf } from './values/text.ts';
import { CellFault, type DateValue, type DurationValue, isList, typeOf, type Value } from './values/value.ts';

type Sign = '+' | '-' | '*' | '/' | '%';

/** Null if one of the values is null. @throws CellFault for types that have no such operation */
export function calculate(sign: Sign, one: Value, other: Value, comparing: Comparing): Value {
  if (one === null || other === null) return sign === '+' ? joinedWithNull(one, other) : null;
  const [type, otherType] = [typeOf(one), typeOf(other)];
  if (type === 'date' && (sign === '+' || sign === '-')) return moved(one as DateValue, other, sign);
  if (otherType === 'date' && type === 'duration' && sign === '+') return moved(other as DateValue, one, sign);
  if (type === 'duration') return scaled(sign, one as DurationValue, other);
  if (sign === '+' && isList(one) && isList(other)) return [...one, ...other];
  const [number, otherNumber] = [numberIn(one), numberIn(other)];
  if (number !== undefined && otherNumber !== undefined) return arithmetic(sign, number, otherNumber);
  if (sign === '+' && (textIn(one) !== undefined || textIn(other) !== undefined)) return joined(one, other, comparing);
  throw new CellFault(`${type} ${sign} ${otherType} is not defined`);
}

/** A text and a missing value make the text. */
function joinedWithNull(one: Value, other: Value): Value {
  return textIn(one ?? other) ?? null;
}

function joined(one: Value, other: Value, comparing: Comparing): Value {
  const text = shownText(one) + shownText(other);
  checkLength(text.length, comparing);
  return text;
}

function shownText(value: Value): string {
  return typeof value === 'string' ? value : textOf(value);
}

/** A difference of dates counts as a number. */
function numberIn(value: Value): number | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  return value !== null && typeOf(value) === 'duration' ? millisecondsOf(value as DurationValue) : undefined;
}

function arithmetic(sign: Sign, one: number, other: number): number {
  if (sign === '+') return one + other;
  if (sign === '-') return one - other;
  if (sign === '*') return one * other;
  return sign === '/' ? one / other : one % other;
}

function moved(date: DateValue, by: Value, sign: '+' | '-'): Value {
  if (typeOf(by) === 'date') {
    if (sign === '-') return difference(date.ms - (by as DateValue).ms);
    throw new CellFault('date + date is not defined');
  }
  if (typeof by === 'number') return datedValue(date.ms + (sign === '+' ? by : -by), true);
  const duration =
    typeof by === 'string' ? parseDuration(by) : typeOf(by) === 'duration' ? (by as DurationValue) : undefined;
  if (duration !== undefined) {
    const result = shifted(date, duration, sign === '+' ? 1 : -1);
    return datedValue(result.ms, result.hasTime);
  }
  if (typeof by === 'string' && sign === '+') return textOf(date) + by;
  throw new CellFault(`date ${sign} ${JSON.stringify(textOf(by))} is not defined: it is not a duration`);
}

function scaled(sign: Sign, duration: DurationValue, by: Value): Value {
  const { months, ms, isDifference } = duration;
  if (isDifference && typeof by === 'number') return arithmetic(sign, ms, by);
  if ((sign === '*' || sign === '/') && typeof by === 'number') {
    const factor = sign === '*' ? by : 1 / by;
    return { kind: 'duration', months: months * factor, ms: ms * factor, isDifference };
  }
  const other =
    typeof by === 'string' ? parseDuration(by) : typeOf(by) === 'duration' ? (by as DurationValue) : undefined;
  if (other !== undefined && (sign === '+' || sign === '-')) {
    const factor = sign === '+' ? 1 : -1;
    return { kind: 'duration', months: months + factor * other.months, ms: ms + factor * other.ms, isDifference };
  }
  if (other !== undefined && sign === '/') return millisecondsOf(duration) / millisecondsOf(other);
  if (typeof by === 'string' && sign === '+') return textOf(duration) + by;
  throw new CellFault(`duration ${sign} ${typeOf(by)} is not defined`);
}

/** @throws CellFault */
export function negated(value: Value): Value {
  if (value === null) return null;
  if (typeof value === 'number') return -value;
  if (typeOf(value) !== 'duration') throw new CellFault(`-${typeOf(value)} is not defined`);
  const { months, ms, isDifference } = value as DurationValue;
  return { kind: 'duration', months: -months, ms: -ms, isDifference };
}
