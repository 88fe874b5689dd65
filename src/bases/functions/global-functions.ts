// The functions without a receiver.
import { compareOrdered } from '../values/compare.ts';
import { dayOf, difference, millisecondsOf, parseDateValue, parseDuration } from '../values/dates.ts';
import { fileMeant, linkTo, linkValue, wikilinkIn } from '../values/links.ts';
import { textIn, textOf } from '../values/text.ts';
import { CellFault, type DateValue, isList, isTruthy, typeOf, type Value } from '../values/value.ts';
import { everyArgument, type FunctionCall, functionsOn, textAt } from './function.ts';

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const GLOBAL_FUNCTIONS = functionsOn(
  'global',
  () => null,
)({
  date: ['(date: string): date', (_, call) => toDate(call.value(0))],
  duration: ['(value: string): duration', (_, call) => toDuration(call.value(0))],
  escapeHTML: [
    '(html: string): string',
    (_, call) => textAt(call, 0).replace(/[&<>"']/g, (sign) => HTML_ESCAPES[sign] ?? sign),
  ],
  file: ['(path: string | file | url): file', (_, call) => fileMeant(call.value(0), call.basePath, call.files)],
  html: ['(html: string): html', (_, call) => ({ kind: 'html', text: textAt(call, 0) })],
  icon: ['(name: string): icon', (_, call) => ({ kind: 'icon', text: textAt(call, 0) })],
  if: ['(condition: any, trueResult: any, falseResult?: any): any', (_, call) => chosen(call)],
  image: ['(path: string | file | url): image', (_, call) => ({ kind: 'image', text: pathOf(call.value(0)) })],
  link: ['(path: string | file, display?: value): link', (_, call) => toLink(call)],
  list: ['(element: any): list', (_, call) => toList(call.value(0))],
  max: ['(...values: number): number', (_, call) => extreme(call, 1)],
  min: ['(...values: number): number', (_, call) => extreme(call, -1)],
  now: ['(): date', (_, { now }) => ({ kind: 'date', ms: now.getTime(), hasTime: true })],
  number: ['(input: any): number', (_, call) => toNumber(call.value(0))],
  random: ['(): number', () => Math.random()],
  today: ['(): date', (_, { now }) => dayOf({ kind: 'date', ms: now.getTime(), hasTime: true })],
});

function chosen(call: FunctionCall): Value {
  if (isTruthy(call.value(0))) return call.value(1);
  return call.count > 2 ? call.value(2) : null;
}

function toDate(value: Value): Value {
  if (value === null || typeOf(value) === 'date') return value;
  const date: DateValue | undefined = typeof value === 'string' ? parseDateValue(value) : undefined;
  if (date === undefined) throw new CellFault(`${JSON.stringify(textOf(value))} is not a date`);
  return date;
}

function toDuration(value: Value): Value {
  if (value === null || typeOf(value) === 'duration') return value;
  if (typeof value === 'number') return difference(value);
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) throw new CellFault(`${JSON.stringify(textOf(value))} is not a duration`);
  return duration;
}

function toLink(call: FunctionCall): Value {
  const path = call.value(0);
  const display = call.count > 1 ? call.value(1) : undefined;
  if (path === null) return null;
  if (typeof path === 'object' && 'kind' in path && path.kind === 'file') return linkTo(path.file, display);
  const text = textIn(path) ?? textOf(path);
  const link = wikilinkIn(text, call.basePath);
  return linkValue(link?.link ?? text, call.basePath, display ?? link?.display);
}

function toList(value: Value): Value {
  if (value === null) return [];
  return isList(value) ? value : [value];
}

function pathOf(value: Value): string {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file') return value.file.path;
  return textIn(value) ?? textOf(value);
}

function extreme(call: FunctionCall, sign: 1 | -1): Value {
  const values = everyArgument(call).filter((value) => value !== null);
  return values.reduce<Value>((best, value) => {
    return best === null || (compareOrdered(value, best) ?? 0) * sign > 0 ? value : best;
  }, null);
}

function toNumber(value: Value): Value {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'object' && 'kind' in value && value.kind === 'date') return value.ms;
  if (typeof value === 'object' && 'kind' in value && value.kind === 'duration') return millisecondsOf(value);
  const text = textIn(value)?.trim() ?? '';
  const number = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new CellFault(`${JSON.stringify(textOf(value))} is not a number`);
  return number;
}
