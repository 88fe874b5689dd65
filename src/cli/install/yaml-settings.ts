// Parses YAML settings and changes one server in place; only its own lines change.
import { isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, stringify } from 'yaml';
import { isObject } from '../../base/plain-object.ts';
import type { Parsed } from './json-settings.ts';

/** One change of the servers in a text. */
export interface ServerEdit {
  /** Keys that lead to the servers. */
  readonly path: readonly string[];
  readonly name: string;
  /** Undefined removes the server. */
  readonly server: object | undefined;
  readonly isList: boolean;
}

export function parseYaml(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { value: {}, fault: faultAt(text, error.pos[0], error.code) };
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return { value: {} };
  return isObject(value) ? { value } : { value: {}, fault: faultAt(text, 0, 'no map of settings') };
}

/** Sets the server, or removes it if undefined: in its old place, otherwise after the last one. The caller compares the result. */
export function editYaml(text: string, edit: ServerEdit): string {
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

/** Of the key, or of the dash of a list. */
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

function faultAt(text: string, offset: number, reason: string): NonNullable<Parsed['fault']> {
  const before = text.slice(0, offset).split('\n');
  const what = `cannot be read as YAML (${reason}); nothing was changed`;
  return { what, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
