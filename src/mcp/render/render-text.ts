// Turns an answer into plain JSON values, and these into compact text for a model, without losing any value.

import { etagOf } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { visibleJson } from '../../base/visible-controls.ts';
import type { PathMask } from './safe-text.ts';

/**
 * Each member is on its own line. A list of objects starts with the members that all of them have, `hits (20): path · score`, and
 * has one object per line with their values in that order; members that only some objects have follow as `key=value`. A list
 * that every object contains is in the header too, `links[line · sentence]`, and its rows follow each object. Text of several
 * lines is printed verbatim between fences. Numbers are never rounded.
 */
export function renderText(value: PlainObject): string {
  return renderMembers(value, '').join('\n');
}

const SEPARATOR = ' · ';
/** What would be read as something else than a text, would blur where a value ends, or is a control of the terminal or the reading direction. */
const NEEDS_QUOTES =
  /^$|^\s|\s$|^["`]| · |[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]|^(true|false|null|-?\d+(\.\d+)?(e[+-]?\d+)?)$/iu;
const NEEDS_QUOTES_INSIDE = /[,[\]{}=]/;
const CONTROL = /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]/u;

/** A name that a note gave to a property. */
const nameOf = (key: string): string => (CONTROL.test(key) ? visibleJson(key) : key);

function renderMembers(value: PlainObject, indent: string): string[] {
  return Object.entries(value).flatMap(([key, member]) => renderMember(nameOf(key), member, indent));
}

/** One member with its name, as lines. */
export function renderMember(key: string, value: Plain, indent: string): string[] {
  if (isBlock(key, value)) return renderBlock(key, value, indent);
  if (isSimple(value)) return [`${indent}${key}: ${scalarOrList(value)}`];
  if (Array.isArray(value)) return renderList(key, value, indent);
  return renderObject(key, value as PlainObject, indent);
}

/** On one line while all of it is simple. */
function renderObject(key: string, value: PlainObject, indent: string): string[] {
  const members = flatten(value);
  if (!members.every(([name, member]) => fitsLine(name, member))) {
    return [`${indent}${key}:`, ...renderMembers(value, `${indent}  `)];
  }
  return [`${indent}${key}: ${members.map(([name, member]) => `${name}=${scalarOrList(member)}`).join(SEPARATOR)}`];
}

type Row = ReadonlyMap<string, Plain>;

/** What a list of objects says once, in its title, instead of in every row. */
interface Columns {
  readonly names: readonly string[];
  /** The one list of objects that every row contains, with its columns. */
  readonly inner?: {
    readonly key: string;
    readonly names: readonly string[];
    readonly rowsOf: ReadonlyMap<Row, readonly Row[]>;
  };
}

function renderList(key: string, items: readonly Plain[], indent: string): string[] {
  const head = `${indent}${key} (${items.length})`;
  if (!items.every(isObject)) return [`${head}:`, ...items.map((item) => `${indent}- ${inline(item)}`)];
  const rows = items.map(rowOf);
  const columns = columnsOf(rows);
  const inner = columns.inner === undefined ? [] : [`${columns.inner.key}[${columns.inner.names.join(SEPARATOR)}]`];
  const title = [...columns.names, ...inner].join(SEPARATOR);
  return [title === '' ? `${head}:` : `${head}: ${title}`, ...renderRows(rows, columns, indent)];
}

/** One row alone names its own values. */
function columnsOf(rows: readonly Row[]): Columns {
  if (rows.length === 1) return { names: [] };
  const keys = [...(rows[0]?.keys() ?? [])];
  const [key, ...others] = keys.filter((name) =>
    isInner(
      name,
      rows.map((row) => row.get(name)),
    ),
  );
  const names = keys.filter((name) => rows.every((row) => fitsLine(name, row.get(name))) && name !== key);
  if (key === undefined || others.length > 0) return { names };
  const rowsOf = new Map(rows.map((row) => [row, (row.get(key) as readonly PlainObject[]).map(rowOf)]));
  const innerRows = [...rowsOf.values()].flat();
  const innerNames = [...(innerRows[0]?.keys() ?? [])].filter((name) =>
    innerRows.every((row) => fitsLine(name, row.get(name))),
  );
  return innerNames.length === 0 ? { names } : { names, inner: { key, names: innerNames, rowsOf } };
}

function renderRow(row: Row, { names, inner }: Columns, indent: string): string[] {
  const rest = [...row].filter(([key]) => !names.includes(key) && key !== inner?.key);
  const short = rest.filter(([key, value]) => fitsLine(key, value));
  const cells = [
    ...names.map((name) => scalarOrList(row.get(name) ?? null)),
    ...short.map(([key, value]) => `${key}=${scalarOrList(value)}`),
  ];
  const long = rest.filter(([key, value]) => !fitsLine(key, value));
  return [
    `${indent}- ${cells.join(SEPARATOR)}`,
    ...(inner === undefined ? [] : renderRows(inner.rowsOf.get(row) ?? [], inner, `${indent}  `)),
    ...long.flatMap(([key, value]) => renderMember(key, value, `${indent}  `)),
  ];
}

function renderRows(rows: readonly Row[], columns: Columns, indent: string): string[] {
  return rows.flatMap((row) => renderRow(row, columns, indent));
}

/** A place in a note is written as tools accept it: `path:from-to`, or `path:line` if the line follows its path. */
function rowOf(value: PlainObject): Row {
  const row = new Map(flatten(value));
  return new Map([...row].flatMap(([key, member]) => placeMember(row, key, member)));
}

function placeMember(row: Row, key: string, member: Plain): [string, Plain][] {
  const [, prefix = '', name] = /^(.*?)(path|lines?)$/.exec(key) ?? [];
  const path = row.get(`${prefix}path`);
  if (name === undefined || typeof path !== 'string' || NEEDS_QUOTES.test(path)) return [[key, member]];
  const [spanKey, span] = spanOf(row, prefix) ?? [];
  if (name === 'path') return [spanKey === undefined ? [key, member] : [`${key}:${spanKey}`, `${path}:${span}`]];
  return name === spanKey ? [] : [[key, member]];
}

function spanOf(row: Row, prefix: string): readonly [name: string, span: string] | undefined {
  const [lines, line] = [row.get(`${prefix}lines`), row.get(`${prefix}line`)];
  if (isLineSpan(lines)) return ['lines', lines.join('-')];
  const keys = [...row.keys()];
  // Elsewhere in the row it may be a line of another note, such as the line of a link next to its target.
  const follows = keys.indexOf(`${prefix}line`) === keys.indexOf(`${prefix}path`) + 1;
  return isLine(line) && follows ? ['line', String(line)] : undefined;
}

/** Verbatim and at the margin, so that it can be copied; the fence is longer than any run of backticks in the text. */
function renderBlock(key: string, text: string, indent: string): string[] {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return [`${indent}${key}:`, fence, text, fence];
}

/** Nested objects with their members as dotted names. */
function flatten(value: PlainObject, prefix = ''): [string, Plain][] {
  return Object.entries(value).flatMap(([key, member]): [string, Plain][] => {
    const name = `${prefix}${nameOf(key)}`;
    return isObject(member) && Object.keys(member).length > 0 ? flatten(member, `${name}.`) : [[name, member]];
  });
}

function isObject(value: Plain): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is a name, of a file as a rule, even if it has line ends: between fences it could pass for a text. */
const IS_NAME = /(?:^|\.)(?:path|id|title|name|note|from|to|source|target|folder|into|base)$/;

function isBlock(key: string, value: Plain): value is string {
  return typeof value === 'string' && value.includes('\n') && !IS_NAME.test(key);
}

/** Lists that are all empty are values like others. */
function isInner(key: string, values: readonly (Plain | undefined)[]): boolean {
  return values.every(isObjectList) && values.some((value) => !fitsLine(key, value));
}

function isObjectList(value: Plain | undefined): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function isLineSpan(value: Plain | undefined): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isLine);
}

function isLine(value: Plain | undefined): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

function fitsLine(key: string, value: Plain | undefined): boolean {
  return value !== undefined && isSimple(value) && !isBlock(key, value);
}

/** A value that fits on one line: a scalar, a list of scalars or an empty value. */
function isSimple(value: Plain): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' || item === null);
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

function scalarOrList(value: Plain): string {
  return typeof value === 'string' && !NEEDS_QUOTES.test(value) ? value : inline(value);
}

function inline(value: Plain): string {
  if (typeof value === 'string') {
    return NEEDS_QUOTES.test(value) || NEEDS_QUOTES_INSIDE.test(value) ? visibleJson(value) : value;
  }
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${nameOf(key)}=${inline(member)}`)
      .join(', ')}}`;
  return String(value);
}

/** Deeper than any answer is meant to be; a circle ends here too. */
const DEEPEST = 64;

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainObject = { readonly [key: string]: Plain };

/** Values from notes, and what a base makes of them, keep all digits. */
const VERBATIM: ReadonlySet<string> = new Set(['properties', 'cells', 'group', 'summaries']);
/** The texts of an error, which may name folders of the machine. */
const ERROR_TEXTS: ReadonlySet<string> = new Set(['message', 'hint']);
/** Hashes of notes, of which clients get etags. */
const HASHES: ReadonlySet<string> = new Set(['etag', 'current_etag', 'if_match']);
const DIGITS = 4;

/**
 * A copy without `undefined` members. `null` is a value, such as an empty property of a note, and is kept. Fractions are measures,
 * such as scores: they keep four digits to save tokens. Lone surrogates, left by a cut through a pair, become U+FFFD.
 * @param mask for the texts of errors within the answer, such as the last one of a job
 * @throws INTERNAL for values that JSON cannot represent: they would silently become `null` or `{}`
 */
export function toPlainObject(value: object, mask: PathMask = (text) => text): PlainObject {
  const plain = toPlain(value, '', 0, mask);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) throw notPlain('', value);
  return plain as PlainObject;
}

/** @param mask undefined within values from notes */
function toPlain(value: unknown, path: string, depth: number, mask: PathMask | undefined): Plain {
  if (depth > DEEPEST) throw notPlain(path, 'too deep');
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' && Number.isFinite(value)) return mask === undefined ? value : measure(value);
  if (Array.isArray(value)) {
    return value.map((item, index) => toPlain(item ?? null, `${path}.${index}`, depth + 1, mask));
  }
  if (isRecord(value)) return toPlainMembers(value, path, depth, mask);
  throw notPlain(path, value);
}

function toPlainMembers(value: object, path: string, depth: number, mask: PathMask | undefined): PlainObject {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const masksTexts = mask !== undefined && 'code' in value && 'hint' in value;
  const plain = (key: string, member: unknown): Plain => {
    if (mask !== undefined && HASHES.has(key) && typeof member === 'string') return etagOf(member).toWellFormed();
    if (masksTexts && ERROR_TEXTS.has(key) && typeof member === 'string') return mask(member).toWellFormed();
    return toPlain(member, `${path}.${key}`, depth + 1, VERBATIM.has(key) ? undefined : mask);
  };
  return Object.fromEntries(members.map(([key, member]) => [key, plain(key, member)]));
}

/** Four significant digits, but always the whole integer part. */
function measure(value: number): number {
  if (Number.isInteger(value)) return value;
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? Math.round(value) : Number(value.toPrecision(DIGITS));
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notPlain(path: string, value: unknown): VaultgraphError {
  const what = typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : String(value);
  return new VaultgraphError('INTERNAL', { kind: `answer${path}: ${what.slice(0, 40)} is not a JSON value` });
}
