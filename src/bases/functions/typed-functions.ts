// The fields and functions of values of any type, of dates and of files.

import { extensionOf, noteName } from '../../base/note.ts';
import type { BaseFile } from '../files.ts';
import { dayOf, formatted, relativeText } from '../values/dates.ts';
import { fileMeant, keyOf, linkedFile, linkTo, linkValue, objectOf, tagValue } from '../values/links.ts';
import { textIn, textOf } from '../values/text.ts';
import {
  CellFault,
  type DateValue,
  type FileValue,
  isTruthy,
  type LinkValue,
  type ObjectValue,
  type RegexValue,
  typeOf,
  type Value,
} from '../values/value.ts';
import { everyArgument, type FunctionCall, functionsOn, textAt } from './function.ts';

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
  const lower = name.toLowerCase();
  const type = typeOf(value);
  return type === (TYPE_NAMES[lower] ?? lower);
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

// The functions of dates.

export const DATE_FUNCTIONS = functionsOn(
  'date',
  (value) => value as DateValue,
)({
  date: ['(): date', dayOf],
  format: ['(format: string): string', (date, call) => formatted(date, textAt(call, 0))],
  isEmpty: ['(): boolean', () => false],
  relative: ['(): string', (date, { now }) => relativeText(date, now)],
  time: ['(): string', (date) => formatted(date, 'HH:mm:ss')],
});

/** The parts of a date in local time. */
const DATE_FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  year: (date) => date.getFullYear(),
  month: (date) => date.getMonth() + 1,
  day: (date) => date.getDate(),
  hour: (date) => date.getHours(),
  minute: (date) => date.getMinutes(),
  second: (date) => date.getSeconds(),
  millisecond: (date) => date.getMilliseconds(),
};

export function dateField({ ms }: DateValue, name: string): number | undefined {
  return Object.hasOwn(DATE_FIELDS, name) ? DATE_FIELDS[name]?.(new Date(ms)) : undefined;
}

// The functions and the fields of files and links.

export const FILE_FUNCTIONS = functionsOn(
  'file',
  (value) => (value as FileValue).file,
)({
  asLink: ['(display?: string): link', (file, call) => linkTo(file, call.count > 0 ? call.value(0) : undefined)],
  hasLink: ['(otherFile: file | string): boolean', (file, call) => linksTo(file, call.value(0), call)],
  hasProperty: ['(name: string): boolean', (file, call) => keyOf(file.properties, textAt(call, 0)) !== undefined],
  hasTag: ['(...values: string): boolean', (file, call) => everyArgument(call).some((tag) => hasTag(file, tag))],
  inFolder: ['(folder: string): boolean', (file, call) => isInFolder(file, textAt(call, 0))],
});

export const LINK_FUNCTIONS = functionsOn(
  'link',
  (value) => value as LinkValue,
)({
  asFile: ['(): file', (link, { files }) => linkedFile(link, files)],
  linksTo: ['(file: file): boolean', (link, call) => linksFromFile(link, call)],
});

function linksFromFile(link: LinkValue, call: FunctionCall): boolean {
  const from = linkedFile(link, call.files);
  return from !== null && linksTo(from.file, call.value(0), call);
}

/** Also by a link to a file that does not exist, if the texts are the same. */
function linksTo({ path }: BaseFile, other: Value, call: FunctionCall): boolean {
  const links = call.files.linksOf(path);
  call.spend(links.length);
  const target = fileMeant(other, call.basePath, call.files)?.file.path;
  if (target !== undefined) return links.some((link) => link.target === target);
  const text = textIn(other);
  return text !== undefined && links.some(({ link, target: found }) => found === null && link === text);
}

function hasTag({ tags }: BaseFile, wanted: Value): boolean {
  if (textIn(wanted) === undefined) throw new CellFault('a tag is a text');
  return tags.some((tag) => isTagAbove(wanted, tag));
}

/** Whether the wanted tag is this one or one above it. */
export function isTagAbove(upper: Value, tag: string): boolean {
  const name = textIn(upper)?.replace(/^#/, '').toLowerCase();
  return name !== undefined && `${tag.replace(/^#/, '').toLowerCase()}/`.startsWith(`${name}/`);
}

function isInFolder({ path }: BaseFile, folder: string): boolean {
  const name = folder.replace(/^\/+|\/+$/g, '').normalize('NFC');
  return name === '' || path.toLowerCase().startsWith(`${name.toLowerCase()}/`);
}

type Field = (file: BaseFile, value: FileValue, call: Pick<FunctionCall, 'files'>) => Value;

const dateOf = (ms: number): DateValue => ({ kind: 'date', ms: Math.trunc(ms), hasTime: true });

const FIELDS: Readonly<Record<string, Field>> = {
  backlinks: ({ path }, _, { files }) => files.sourcesOf(path).map((source) => linkToPath(source)),
  basename: ({ path }) => withoutExtension(path.slice(path.lastIndexOf('/') + 1)),
  ctime: ({ createdMs }) => dateOf(createdMs),
  embeds: (file, _, { files }) => linksOf(file, true, files),
  ext: ({ path }) => extensionOf(path),
  file: (_, value) => value,
  folder: ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))),
  links: (file, _, { files }) => linksOf(file, false, files),
  mtime: ({ modifiedMs }) => dateOf(modifiedMs),
  name: ({ path }) => noteName(path),
  path: ({ path }) => path,
  properties: ({ properties, path }) => objectOf(properties, path),
  size: ({ sizeBytes }) => sizeBytes,
  tags: ({ tags }) => tags.map(tagValue),
};

export const FILE_FIELDS: readonly string[] = Object.keys(FIELDS);
/** The fields for which the links of all files have to be known, and the functions. */
export const NEED_LINKS: ReadonlySet<string> = new Set(['backlinks', 'embeds', 'links', 'hasLink', 'linksTo']);

export function fileField(value: FileValue, name: string, call: Pick<FunctionCall, 'files'>): Value | undefined {
  return Object.hasOwn(FIELDS, name) ? FIELDS[name]?.(value.file, value, call) : undefined;
}

function linkToPath(path: BaseFile['path']): LinkValue {
  return { ...linkValue(`/${path}`, path, noteName(path)), target: path };
}

function linksOf({ path }: BaseFile, embeds: boolean, files: FunctionCall['files']): Value[] {
  const links = files.linksOf(path).filter(({ kind }) => (kind === 'embed') === embeds);
  return links.map(({ link, display, target }) => ({ ...linkValue(link, path, display), target }));
}

function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
