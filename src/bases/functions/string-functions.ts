// The functions of texts, which links and tags have too.
import { textIn } from '../values/text.ts';
import { CellFault, type Value } from '../values/value.ts';
import { regexOrText } from './any-functions.ts';
import { checkLength, type FunctionCall, functionsOn, numberAt, optionalNumberAt, textAt } from './function.ts';

export const STRING_FUNCTIONS = functionsOn(
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
