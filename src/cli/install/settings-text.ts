// Adds one server to the text of a client's settings or removes it, without changing any other setting.
import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  type FormattingOptions,
  modify,
  type ParseError,
  parse as parseJsonText,
  printParseErrorCode,
} from 'jsonc-parser';
import { parse, stringify as stringifyToml, TomlError } from 'smol-toml';
import { isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, stringify } from 'yaml';
import { VaultgraphError } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Client } from './clients.ts';
import { SETTINGS_ADVICE } from './settings-file.ts';

export interface SettingsPlace {
  /** The file name shown in errors. */
  readonly file: string;
  readonly client: Pick<Client, 'format' | 'servers' | 'isList' | 'start'>;
  /** Name of the server in the settings. */
  readonly name: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The parsers need stack for each level of nesting, and tens of thousands of levels are a mistake. */
function orTooDeep<T>(place: Pick<SettingsPlace, 'file'>, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw fault(place, { what: 'is nested too deep; nothing was changed' });
  }
}

/** The entry of the server, or undefined. @throws CONFIG_INVALID with the position of a syntax error */
export function serverIn(text: string, place: SettingsPlace): unknown {
  return serversIn(text, place)[place.name];
}

/** All servers by name. @throws CONFIG_INVALID */
export function serversIn(text: string, place: Omit<SettingsPlace, 'name'>): Settings {
  return orTooDeep(place, () => {
    const settings = parseSettings(text, place);
    return serversOf(settings, pathIn(settings, place), place);
  });
}

/**
 * The text with the server added, or removed if `server` is undefined.
 * @throws CONFIG_INVALID if the text does not parse, or cannot be edited without changing other settings
 */
export function withServer(text: string, server: object | undefined, place: SettingsPlace): string {
  return orTooDeep(place, () => edited(text, server, place));
}

function edited(text: string, server: object | undefined, place: SettingsPlace): string {
  const { client, name } = place;
  const base = text.trim() === '' && server !== undefined ? (client.start ?? text) : text;
  const settings = parseSettings(base, place);
  const path = pathIn(settings, place);
  serversOf(settings, path, place);
  const after = FORMATS[client.format].edit(base, { path, name, server, isList: client.isList === true });
  // The edit must not have changed any other setting.
  const isSound = isReadable(after, place) && isSame(serverIn(after, place), server);
  if (!isSound || !isSame(others(parseSettings(after, place), path, name), others(settings, path, name))) {
    throw fault(place, {
      what: `${path.join('.')} is written in a way that is not changed here; add the server by hand`,
    });
  }
  return after;
}

/** Whether two settings are equal, regardless of the parsers' map types. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

interface Parsed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly fault?: { readonly what: string; readonly line: number; readonly column: number };
}

interface Format {
  parse(text: string): Parsed;
  edit(text: string, edit: ServerEdit): string;
}

const jsonFormat = (format: 'json' | 'jsonc'): Format => ({
  parse: (text) => parseJson(text, format),
  edit: (text, { path, name, server }) => editJson(text, [...path, name], server),
});

const FORMATS: Readonly<Record<Client['format'], Format>> = {
  json: jsonFormat('json'),
  jsonc: jsonFormat('jsonc'),
  toml: { parse: parseToml, edit: (text, { path, name, server }) => editToml(text, [...path, name], server) },
  yaml: { parse: parseYaml, edit: editYaml },
};

function parseSettings(text: string, { file, client }: Omit<SettingsPlace, 'name'>): Settings {
  if (text.trim() === '') return {};
  const parsed = FORMATS[client.format].parse(text);
  if (parsed.fault !== undefined) throw fault({ file }, parsed.fault);
  return parsed.value;
}

function isReadable(text: string, { client }: SettingsPlace): boolean {
  return text.trim() === '' || FORMATS[client.format].parse(text).fault === undefined;
}

/** The first of the client's paths that leads to a map of servers here. */
function pathIn(settings: Settings, { client }: Omit<SettingsPlace, 'name'>): readonly string[] {
  const { servers } = client;
  // A map with a `type` is a server that has the name of the key.
  const isThere = (path: readonly string[]): boolean => {
    const value = valueAt(settings, path);
    return isObject(value) && typeof value.type !== 'string';
  };
  return servers.find(isThere) ?? servers.at(-1) ?? [];
}

function valueAt(settings: Settings, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), settings);
}

function serversOf(settings: Settings, path: readonly string[], place: Omit<SettingsPlace, 'name'>): Settings {
  const { file, client } = place;
  const servers = valueAt(settings, path);
  // YAML reads a key without a value as null.
  if (servers === undefined || (servers === null && client.format === 'yaml')) return {};
  if (client.isList === true && Array.isArray(servers)) return byName(servers);
  if (client.isList !== true && isObject(servers)) return servers;
  const kind = client.isList === true ? 'list' : 'map';
  throw fault({ file }, { what: `\`${path.join('.')}\` is no ${kind} of servers` });
}

function byName(servers: readonly unknown[]): Settings {
  return Object.fromEntries(servers.filter(isObject).map((server) => [String(server.name), server]));
}

/** All other settings; a map or list of servers with no other server counts as absent. */
function others(settings: Settings, [key = '', ...below]: readonly string[], name: string): Settings {
  const { [key]: inner, ...above } = settings;
  const rest = below.length === 0 ? withoutServer(inner, name) : isObject(inner) ? others(inner, below, name) : inner;
  return isEmpty(rest) ? above : { ...above, [key]: rest };
}

function withoutServer(servers: unknown, name: string): unknown {
  if (Array.isArray(servers)) return servers.filter((server) => !isObject(server) || server.name !== name);
  if (!isObject(servers)) return servers;
  const { [name]: _own, ...rest } = servers;
  return rest;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function fault(
  { file }: Pick<SettingsPlace, 'file'>,
  at: { readonly what: string; readonly line?: number; readonly column?: number },
): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: [{ file, ...at }], advice: SETTINGS_ADVICE });
}

/** One change of the servers in a text. */
interface ServerEdit {
  /** Keys that lead to the servers. */
  readonly path: readonly string[];
  readonly name: string;
  /** Undefined removes the server. */
  readonly server: object | undefined;
  readonly isList: boolean;
}

function parseYaml(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { value: {}, fault: faultAt('YAML', text, error.pos[0], error.code) };
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return { value: {} };
  return isObject(value) ? { value } : { value: {}, fault: faultAt('YAML', text, 0, 'no map of settings') };
}

/** Sets the server, or removes it if undefined: in its old place, otherwise after the last one. The caller compares the result. */
function editYaml(text: string, edit: ServerEdit): string {
  const [key = ''] = edit.path;
  const { contents } = parseDocument(text);
  const pair = isMap(contents) ? contents.items.find((one) => keyOf(one) === key) : undefined;
  if (pair === undefined) return edit.server === undefined ? text : atEnd(text, block({ [key]: entryOf(edit) }, 0));
  const list = pair.value as Node | null;
  const items: readonly Item[] = isSeq(list) ? (list.items as Node[]) : isMap(list) ? list.items : [];
  const own = items.find((item) => nameOf(item) === edit.name);
  if (own !== undefined) return replaceItem(text, { pair, items, own }, edit);
  if (edit.server === undefined) return text;
  const last = items.at(-1);
  if (last === undefined) return spliced(text, linesOf(text, pair), block({ [key]: entryOf(edit) }, 0));
  // A flow collection is on shared lines.
  if (isCollection(list) && list.flow === true) return text;
  const [, end] = linesOf(text, last);
  return spliced(text, [end, end], block(entryOf(edit), columnOf(text, last)));
}

type Item = Node | Pair;

interface Found {
  readonly pair: Pair;
  readonly items: readonly Item[];
  readonly own: Item;
}

/** The whole key goes with its last server. */
function replaceItem(text: string, { pair, items, own }: Found, edit: ServerEdit): string {
  if (isCollection(pair.value) && pair.value.flow === true) return text;
  if (edit.server === undefined) return spliced(text, linesOf(text, items.length === 1 ? pair : own), '');
  return spliced(text, linesOf(text, own), block(entryOf(edit), columnOf(text, own)));
}

const entryOf = ({ name, server, isList }: ServerEdit): object => (isList ? [server] : { [name]: server });

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : key;
}

function nameOf(item: Item): unknown {
  if (isPair(item)) return keyOf(item);
  return isMap(item) ? item.get('name') : undefined;
}

/** Quoted, so that a parser of another version of YAML reads no text as a date or a truth value. */
function block(value: object, indent: number): string {
  const text = stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
  return text.replace(/^(?=.)/gm, ' '.repeat(indent));
}

/** From the begin of its first line to the end of its last. */
function linesOf(text: string, item: Item): readonly [from: number, to: number] {
  const from = text.lastIndexOf('\n', startOf(item) - 1) + 1;
  const end = endOf(item);
  if (end > from && text[end - 1] === '\n') return [from, end];
  const next = text.indexOf('\n', end);
  return [from, next < 0 ? text.length : next + 1];
}

function startOf(item: Item): number {
  const first = isPair(item) ? (item.key as Node) : item;
  return first.range?.[0] ?? 0;
}

function endOf(item: Item): number {
  const last = isPair(item) ? ((item.value ?? item.key) as Node) : item;
  return last.range?.[1] ?? 0;
}

/** The column of the key, or of the dash of a list. */
function columnOf(text: string, item: Item): number {
  const [from] = linesOf(text, item);
  return /^ */.exec(text.slice(from, startOf(item)))?.[0].length ?? 0;
}

function atEnd(text: string, added: string): string {
  const eol = text === '' || text.endsWith('\n') ? '' : eolOf(text);
  return `${text}${eol}${withEol(added, text)}`;
}

function spliced(text: string, [from, to]: readonly [number, number], added: string): string {
  const before = text.slice(0, from);
  const eol = added === '' || before === '' || before.endsWith('\n') ? '' : eolOf(text);
  return `${before}${eol}${withEol(added, text)}${text.slice(to)}`;
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const withEol = (added: string, text: string): string => added.replaceAll('\n', eolOf(text));

function faultAt(format: string, text: string, offset: number, reason: string): NonNullable<Parsed['fault']> {
  const before = text.slice(0, offset).split('\n');
  const what = `cannot be read as ${format} (${reason}); nothing was changed`;
  return { what, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function parseToml(text: string): Parsed {
  try {
    return { value: parse(text.replace(/^\uFEFF/, '')) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const what = 'cannot be read as TOML; nothing was changed';
    return { value: {}, fault: { what, line: thrown.line, column: thrown.column } };
  }
}

/** Sets that table, or removes it if undefined: in its old place, otherwise at the end. */
function editToml(text: string, path: readonly string[], value: object | undefined): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/(?<=\n)/);
  const [from, to] = stretchOf(lines, path);
  const table = value === undefined ? '' : tableText(path, value).replaceAll('\n', eol);
  if (from < to) return [...lines.slice(0, from), table, ...lines.slice(to)].join('');
  if (table === '') return text;
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`;
  return `${text}${gap}${table}`;
}

function tableText(path: readonly string[], value: object): string {
  const nested = path.reduceRight<object>((inner, key) => ({ [key]: inner }), value);
  return `${stringifyToml(nested).trim()}\n`;
}

/** The lines of the table and its adjacent subtables; comments above the next table belong to that one. */
function stretchOf(lines: readonly string[], path: readonly string[]): readonly [from: number, to: number] {
  const headers = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [{ at, keys: headerKeys(line) }] : []));
  const first = headers.findIndex(({ keys }) => isBelow(keys, path));
  const header = headers[first];
  if (header === undefined) return [lines.length, lines.length];
  const next = headers.slice(first).find(({ keys }) => !isBelow(keys, path));
  let to = next?.at ?? lines.length;
  while (next !== undefined && /^\s*(?:#.*)?\s*$/.test(lines[to - 1] ?? '')) to -= 1;
  return [header.at, to];
}

const isBelow = (keys: readonly string[], path: readonly string[]): boolean =>
  path.every((key, at) => keys[at] === key);

/** The keys of a table header such as `[a."b.c"]`; empty for other lines. */
function headerKeys(line: string): readonly string[] {
  const { value, fault } = parseToml(line);
  if (fault !== undefined) return [];
  const keys: string[] = [];
  for (let inner: unknown = value; typeof inner === 'object' && inner !== null; ) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) break;
    keys.push(entry[0]);
    inner = entry[1];
  }
  return keys;
}

function parseJson(text: string, format: 'json' | 'jsonc'): Parsed {
  const errors: ParseError[] = [];
  const isLenient = format === 'jsonc';
  const value: unknown = parseJsonText(text.replace(/^\uFEFF/, ' '), errors, {
    disallowComments: !isLenient,
    allowTrailingComma: isLenient,
  });
  const [error] = errors;
  if (error !== undefined)
    return { value: {}, fault: faultAt('JSON', text, error.offset, printParseErrorCode(error.error)) };
  return isObject(value) ? { value } : { value: {}, fault: faultAt('JSON', text, 0, 'no map of settings') };
}

/** Sets the value at that path, or removes it if undefined; everything around it keeps its form and comments. */
function editJson(text: string, path: readonly string[], value: object | undefined): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const withoutMark = text.slice(mark.length);
  const formattingOptions = formOf(withoutMark);
  const start = withoutMark.trim() === '' ? '{}' : withoutMark;
  const edited = applyEdits(start, modify(start, [...path], value, { formattingOptions, getInsertionIndex: () => 0 }));
  const end = withoutMark.trim() === '' ? formattingOptions.eol : '';
  return `${mark}${edited}${end}`;
}

/** The indentation of the text so far; two spaces by default. */
function formOf(text: string): FormattingOptions & { readonly eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol, keepLines: true };
}
