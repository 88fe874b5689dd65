// Evaluates expressions for one row of a base.
import type { NotePath } from '../base/note.ts';
import { orFault } from './base-fault.ts';
import { type Expression, regexKey } from './expression.ts';
import type { BaseFile, BaseFiles } from './files.ts';
import { type BaseFunction, checkLength, type FunctionCall } from './functions/function.ts';
import { functionOf, globalFunction } from './functions/function-list.ts';
import { dateField, fileField } from './functions/typed-functions.ts';
import { type Comparing, compareOrdered, isEqual } from './values/compare.ts';
import { datedValue, difference, durationIn, millisecondsOf, parseDuration, shifted } from './values/dates.ts';
import { type PropertyTypes, propertyOf } from './values/links.ts';
import { textIn, textOf } from './values/text.ts';
import {
  CellFault,
  type DateValue,
  type DurationValue,
  isList,
  isTruthy,
  type RegexValue,
  typeOf,
  type Value,
} from './values/value.ts';

/** What all rows share. */
export interface BaseWorld {
  readonly files: BaseFiles;
  readonly basePath: NotePath;
  /** What `this` means. */
  readonly self: BaseFile;
  readonly now: Date;
  readonly types: PropertyTypes;
  readonly formulas: ReadonlyMap<string, Expression>;
  /** Those of the view, by `regexKey`. */
  readonly regexes: ReadonlyMap<string, RegexValue | CellFault>;
}

type Variables = Readonly<Record<string, Value>>;

/** The steps of one expression take some milliseconds. */
const MAX_STEPS = 300_000;
/** Expressions within each other, those of formulas included. */
const MAX_DEPTH = 500;
const NONE: Variables = {};

export class RowEvaluation {
  readonly #world: BaseWorld;
  readonly #file: BaseFile;
  /** Most rows need none. */
  #formulas: Map<string, Value | CellFault> | undefined;
  #steps = 0;
  #depth = 0;

  constructor(world: BaseWorld, file: BaseFile) {
    this.#world = world;
    this.#file = file;
  }

  /** @throws CellFault */
  value(expression: Expression, variables: Variables = NONE): Value {
    this.#steps = 0;
    this.#depth = 0;
    return this.#evaluate(expression, variables);
  }

  readonly #spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new CellFault(`it takes more than ${MAX_STEPS} steps`);
  };

  #evaluate(expression: Expression, variables: Variables): Value {
    this.#spend(1);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new CellFault(`more than ${MAX_DEPTH} expressions are within each other`);
    const value = this.#valueOf(expression, variables);
    this.#depth -= 1;
    return value;
  }

  #valueOf(expression: Expression, variables: Variables): Value {
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'fault':
        throw new CellFault(expression.reason);
      case 'list':
        return expression.items.map((item) => this.#evaluate(item, variables));
      case 'object':
        return {
          kind: 'object',
          entries: new Map(expression.entries.map(([name, value]) => [name, this.#evaluate(value, variables)])),
        };
      case 'name':
        return this.#named(expression.name, variables);
      case 'property':
        return propertyOf(this.#file, expression.name, this.#world.types);
      case 'formula':
        return this.#formula(expression.name);
      case 'member':
        return this.#member(this.#evaluate(expression.object, variables), expression.name);
      case 'index':
        return this.#item(this.#evaluate(expression.object, variables), this.#evaluate(expression.index, variables));
      case 'call':
        return this.#call(expression, variables);
      case 'unary':
        return this.#unary(expression, variables);
      case 'binary':
        return this.#binary(expression, variables);
      case 'regex':
        return this.#regex(regexKey(expression));
    }
  }

  #regex(key: string): Value {
    const regex = this.#world.regexes.get(key) ?? null;
    if (regex instanceof CellFault) throw regex;
    return regex;
  }

  #named(name: string, variables: Variables): Value {
    if (Object.hasOwn(variables, name)) return variables[name] ?? null;
    if (name === 'file') return { kind: 'file', file: this.#file };
    if (name === 'this') return { kind: 'file', file: this.#world.self, isThis: true };
    return propertyOf(this.#file, name, this.#world.types);
  }

  /** Evaluated once for a row. */
  #formula(name: string): Value {
    this.#formulas ??= new Map();
    if (!this.#formulas.has(name)) this.#formulas.set(name, this.#evaluatedFormula(name));
    const formula = this.#formulas.get(name) ?? null;
    if (formula instanceof CellFault) throw formula;
    return formula;
  }

  #evaluatedFormula(name: string): Value | CellFault {
    const expression = this.#world.formulas.get(name);
    if (expression === undefined) return null;
    const depth = this.#depth;
    const value = orFault(CellFault, () => this.#evaluate(expression, NONE));
    this.#depth = depth;
    return value;
  }

  /** A member that the value does not have is null, as is a member of null. */
  #member(value: Value, name: string): Value {
    if (value === null) return null;
    if (isList(value)) return name === 'length' ? value.length : null;
    if (typeof value !== 'object') return name === 'length' && typeof value === 'string' ? value.length : null;
    switch (value.kind) {
      case 'date':
        return dateField(value, name) ?? null;
      case 'duration':
        return durationIn(value, name) ?? null;
      case 'object':
        return value.entries.get(name) ?? null;
      case 'file':
        return this.#fileMember(value, name);
      default:
        return name === 'length' ? (textIn(value)?.length ?? null) : null;
    }
  }

  #fileMember(value: Extract<Value, { kind: 'file' }>, name: string): Value {
    if (value.isThis && name === 'file') return { kind: 'file', file: value.file };
    if (value.isThis) return propertyOf(value.file, name, this.#world.types);
    const field = fileField(value, name, this.#world);
    this.#spend(isList(field ?? null) ? (field as readonly Value[]).length : 0);
    return field ?? null;
  }

  #item(value: Value, index: Value): Value {
    if (typeof index === 'string') return this.#member(value, index);
    if (value === null) return null;
    if (typeof index !== 'number') throw new CellFault(`a ${typeOf(index)} is not a position`);
    if (isList(value)) return value.at(index) ?? null;
    throw new CellFault(`a ${typeOf(value)} has no positions`);
  }

  #call(expression: Extract<Expression, { type: 'call' }>, variables: Variables): Value {
    const { object, name } = expression;
    const receiver = object === undefined ? null : this.#evaluate(object, variables);
    const called = object === undefined ? globalFunction(name) : functionOf(typeOf(receiver), name);
    if (called !== undefined) return this.#run(called, receiver, expression, variables);
    if (receiver === null) return name === 'isEmpty' ? true : null;
    throw new CellFault(`a ${typeOf(receiver)} has no function ${name}()`);
  }

  #run(
    called: BaseFunction,
    receiver: Value,
    { name, args }: Extract<Expression, { type: 'call' }>,
    variables: Variables,
  ): Value {
    const [least, most] = called.counts;
    if (args.length < least || args.length > most)
      throw new CellFault(`${name}${called.signature} was given ${args.length} arguments`);
    const { files, basePath, now } = this.#world;
    const valueWith = (at: number, more: Variables): Value =>
      this.#evaluate(args[at] as Expression, { ...variables, ...more });
    const value = (at: number): Value => this.#evaluate(args[at] as Expression, variables);
    const call: FunctionCall = { count: args.length, now, files, basePath, value, valueWith, spend: this.#spend };
    return called.run(receiver, call);
  }

  #unary({ operator, operand }: Extract<Expression, { type: 'unary' }>, variables: Variables): Value {
    const value = this.#evaluate(operand, variables);
    return operator === '!' ? !isTruthy(value) : negated(value);
  }

  #binary({ operator, left, right }: Extract<Expression, { type: 'binary' }>, variables: Variables): Value {
    const one = this.#evaluate(left, variables);
    if (operator === '&&') return isTruthy(one) && isTruthy(this.#evaluate(right, variables));
    if (operator === '||') return isTruthy(one) || isTruthy(this.#evaluate(right, variables));
    const other = this.#evaluate(right, variables);
    const comparing = { files: this.#world.files, spend: this.#spend };
    if (operator === '==') return isEqual(one, other, comparing);
    if (operator === '!=') return !isEqual(one, other, comparing);
    if (operator === '+' || operator === '-' || operator === '*' || operator === '/' || operator === '%')
      return calculate(operator, one, other, comparing);
    const order = compareOrdered(one, other);
    if (order === undefined) return false;
    if (operator === '<') return order < 0;
    if (operator === '>') return order > 0;
    return operator === '<=' ? order <= 0 : order >= 0;
  }
}

type Sign = '+' | '-' | '*' | '/' | '%';

/** Null if one of the values is null. @throws CellFault for types that have no such operation */
function calculate(sign: Sign, one: Value, other: Value, comparing: Comparing): Value {
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
function negated(value: Value): Value {
  if (value === null) return null;
  if (typeof value === 'number') return -value;
  if (typeOf(value) !== 'duration') throw new CellFault(`-${typeOf(value)} is not defined`);
  const { months, ms, isDifference } = value as DurationValue;
  return { kind: 'duration', months: -months, ms: -ms, isDifference };
}
