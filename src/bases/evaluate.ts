// Evaluates expressions for one row of a base.
import type { NotePath } from '../base/note.ts';
import { type Expression, regexKey } from './expression/syntax.ts';
import type { BaseFile, BaseFiles } from './files.ts';
import { dateField } from './functions/date-functions.ts';
import { fileField } from './functions/file-functions.ts';
import type { BaseFunction, FunctionCall } from './functions/function.ts';
import { functionOf, globalFunction } from './functions/function-list.ts';
import { calculate, negated } from './operators.ts';
import { compareOrdered, isEqual } from './values/compare.ts';
import { durationIn } from './values/dates.ts';
import { propertyOf } from './values/from-property.ts';
import { textIn } from './values/text.ts';
import { CellFault, isList, isTruthy, type RegexValue, typeOf, type Value } from './values/value.ts';

/** What all rows share. */
export interface BaseWorld {
  readonly files: BaseFiles;
  readonly basePath: NotePath;
  /** What `this` means. */
  readonly self: BaseFile;
  readonly now: Date;
  readonly formulas: ReadonlyMap<string, Expression>;
  /** Those of the view, by `regexKey`. */
  readonly regexes: ReadonlyMap<string, RegexValue>;
}

type Variables = Readonly<Record<string, Value>>;

/** Of one expression: some milliseconds. */
const MAX_STEPS = 300_000;
/** Expressions within each other, those of formulas included. */
const MAX_DEPTH = 500;
const NONE: Variables = {};

export class RowEvaluation {
  readonly #world: BaseWorld;
  readonly #file: BaseFile;
  readonly #formulas = new Map<string, Value | CellFault>();
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
        return propertyOf(this.#file, expression.name);
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
        return this.#world.regexes.get(regexKey(expression)) ?? null;
    }
  }

  #named(name: string, variables: Variables): Value {
    if (Object.hasOwn(variables, name)) return variables[name] ?? null;
    if (name === 'file') return { kind: 'file', file: this.#file };
    if (name === 'this') return { kind: 'file', file: this.#world.self, isThis: true };
    return propertyOf(this.#file, name);
  }

  /** Evaluated once for a row. */
  #formula(name: string): Value {
    if (!this.#formulas.has(name)) this.#formulas.set(name, this.#evaluatedFormula(name));
    const known = this.#formulas.get(name) ?? null;
    if (known instanceof CellFault) throw known;
    return known;
  }

  #evaluatedFormula(name: string): Value | CellFault {
    const expression = this.#world.formulas.get(name);
    if (expression === undefined) return null;
    const depth = this.#depth;
    try {
      return this.#evaluate(expression, NONE);
    } catch (thrown) {
      this.#depth = depth;
      if (thrown instanceof CellFault) return thrown;
      throw thrown;
    }
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
    if (value.isThis) return propertyOf(value.file, name);
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
