// The shape of a function of the language, and how functions read their arguments.
import type { NotePath } from '../../base/note.ts';
import type { Comparing } from '../values/compare.ts';
import { textIn } from '../values/text.ts';
import { CellFault, typeOf, type Value } from '../values/value.ts';

/** The headings of Obsidian's list of functions. */
export type Receiver =
  | 'global'
  | 'any'
  | 'date'
  | 'string'
  | 'number'
  | 'list'
  | 'link'
  | 'file'
  | 'object'
  | 'regular expression';

/** One call. Arguments are evaluated when they are read. */
export interface FunctionCall extends Comparing {
  readonly count: number;
  readonly now: Date;
  /** Where links in the base are resolved from. */
  readonly basePath: NotePath;
  value(at: number): Value;
  /** The argument with these variables. */
  valueWith(at: number, variables: Readonly<Record<string, Value>>): Value;
}

export interface BaseFunction {
  readonly on: Receiver;
  readonly name: string;
  /** For people: `(value: any): boolean`. A `?` marks what may be left out, `...` what may be repeated. */
  readonly signature: string;
  /** How many arguments it takes. */
  readonly counts: readonly [least: number, most: number];
  run(receiver: Value, call: FunctionCall): Value;
}

type Run<Receives> = (receiver: Receives, call: FunctionCall) => Value;

/** Defines functions on one type. @param receive gives what the functions work on */
export function functionsOn<Receives>(on: Receiver, receive: (value: Value) => Receives) {
  return (definitions: Readonly<Record<string, readonly [signature: string, run: Run<Receives>]>>): BaseFunction[] =>
    Object.entries(definitions).map(([name, [signature, run]]) => ({
      on,
      name,
      signature,
      counts: countsOf(signature),
      run: (receiver, call) => run(receive(receiver), call),
    }));
}

function countsOf(signature: string): readonly [number, number] {
  const args = /^\((.*)\)/.exec(signature)?.[1] ?? '';
  const names = args === '' ? [] : args.split(', ');
  const least = names.filter((name) => !name.includes('?:')).length;
  return [least, args.includes('...') ? Number.POSITIVE_INFINITY : names.length];
}

/** In UTF-16 units; longer than a cell is shown. */
const MAX_TEXT = 100_000;

/** @param counted how much of the text was checked before @throws CellFault for a text that is too long to be made */
export function checkLength(length: number, call: Comparing, counted = 0): void {
  if (length > MAX_TEXT) throw new CellFault(`a text of ${length} characters is longer than ${MAX_TEXT}`);
  call.spend((length - counted) >> 4);
}

/** @throws CellFault */
export function textAt(call: FunctionCall, at: number): string {
  const value = call.value(at);
  const text = typeof value === 'number' ? String(value) : textIn(value);
  if (text === undefined) throw new CellFault(`argument ${at + 1} is a ${typeOf(value)}, not a text`);
  return text;
}

/** @throws CellFault */
export function numberAt(call: FunctionCall, at: number): number {
  const value = call.value(at);
  if (typeof value !== 'number') throw new CellFault(`argument ${at + 1} is a ${typeOf(value)}, not a number`);
  return value;
}

/** Undefined if the argument is left out. @throws CellFault */
export function optionalNumberAt(call: FunctionCall, at: number): number | undefined {
  return at < call.count ? numberAt(call, at) : undefined;
}

export function everyArgument(call: FunctionCall): Value[] {
  return Array.from({ length: call.count }, (_, at) => call.value(at));
}
