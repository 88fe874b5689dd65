// The functions of every value, of objects and of regular expressions.
import { textOf } from '../values/text.ts';
import { CellFault, isTruthy, type ObjectValue, type RegexValue, typeOf, type Value } from '../values/value.ts';
import { functionsOn, textAt } from './function.ts';

export const ANY_FUNCTIONS = functionsOn(
  'any',
  (value) => value,
)({
  isTruthy: ['(): boolean', isTruthy],
  isType: ['(type: string): boolean', (value, call) => isOfType(value, textAt(call, 0))],
  toString: ['(): string', (value: Value) => textOf(value)] as const,
});

/** The names that scripts use for the types are known too. */
const TYPE_NAMES: Readonly<Record<string, string>> = { array: 'list', regexp: 'regex', text: 'string', tag: 'tag' };

function isOfType(value: Value, name: string): boolean {
  const wanted = name.toLowerCase();
  const type = typeOf(value);
  return type === (TYPE_NAMES[wanted] ?? wanted);
}

export const OBJECT_FUNCTIONS = functionsOn(
  'object',
  (value) => (value as ObjectValue).entries,
)({
  isEmpty: ['(): boolean', (entries) => entries.size === 0],
  keys: ['(): list', (entries) => [...entries.keys()]],
  values: ['(): list', (entries) => [...entries.values()]],
});

export const REGEX_FUNCTIONS = functionsOn(
  'regular expression',
  (value) => (value as RegexValue).regex,
)({
  matches: ['(value: string): boolean', (regex, call) => regex.matches(textAt(call, 0), call.spend)],
});

/** @throws CellFault */
export function regexOrText(value: Value): RegexValue['regex'] | string {
  if (typeof value === 'string') return value;
  if (typeOf(value) === 'regex') return (value as RegexValue).regex;
  throw new CellFault(`a ${typeOf(value)} is neither a text nor a regular expression`);
}
