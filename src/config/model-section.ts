// Sets or removes `providers.embedding` or `providers.rerank` in the text of a config file and keeps everything else, comments included.
import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { VaultgraphError } from '../base/errors.ts';
import { parseConfigDocument } from './config-document.ts';

/** The section of a model. */
export type ModelKey = 'embedding' | 'rerank';

export interface LocalModel {
  readonly type: 'model2vec' | 'onnx';
  /** The folder, absolute. */
  readonly model: string;
}

/** The section as the file has it; undefined if it has none. @throws CONFIG_INVALID */
export function modelIn(key: ModelKey, file: string, text: string): unknown {
  return providersOf(dataOf(file, text))[key];
}

/** @param section undefined removes it @throws CONFIG_INVALID if the text cannot be edited without changing more */
export function withModel(key: ModelKey, file: string, text: string, section: LocalModel | undefined): string {
  const edited = section === undefined ? withoutSection(key, text) : withSection(key, text, section);
  const { [key]: _, ...others } = providersOf(dataOf(file, text));
  const providers = section === undefined ? others : { ...others, [key]: section };
  if (edited !== undefined && isAsWanted(edited, dataOf(file, text), providers)) return edited;
  const lines = section === undefined ? `remove providers.${key}` : `write:\n${blockOf(key, section, '').trimEnd()}`;
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [{ file, what: 'is written in a way that cannot be edited here; it was not changed' }],
    advice: `Edit it yourself: under \`providers\`, ${lines}`,
  });
}

function isAsWanted(edited: string, before: object, providers: object): boolean {
  const { document, faults } = parseConfigDocument('', edited);
  if (document === undefined || faults.length > 0) return false;
  const { providers: newProviders, ...others } = document.data;
  const { providers: _, ...kept } = before as Record<string, unknown>;
  return isDeepStrictEqual(others, kept) && isDeepStrictEqual(newProviders ?? {}, providers);
}

/** @throws CONFIG_INVALID */
function dataOf(file: string, text: string): Readonly<Record<string, unknown>> {
  const { document, faults } = parseConfigDocument(file, text);
  if (document === undefined || faults.length > 0) throw new VaultgraphError('CONFIG_INVALID', { faults });
  return document.data;
}

const providersOf = ({ providers }: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object(providers ?? {});

const INDENT = '  ';

function blockOf(key: ModelKey, { type, model }: LocalModel, indent: string): string {
  const lines = [`${key}:`, `${INDENT}type: ${type}`, `${INDENT}model: ${JSON.stringify(model)}`];
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Undefined if the text has a shape that is not edited, such as `providers: { … }` in one line. */
function withSection(key: ModelKey, text: string, section: LocalModel): string | undefined {
  const providers = pairIn(parseDocument(text).contents, 'providers');
  if (providers === undefined)
    return `${text === '' ? '' : `${ended(text)}\n`}providers:\n${blockOf(key, section, INDENT)}`;
  const map = providers.value;
  const start = lineEnd(text, rangeOf(providers.key)[1]);
  if (!isBlock(map)) return isNothing(map) ? spliced(text, start, start, blockOf(key, section, INDENT)) : undefined;
  const indent = ' '.repeat(columnOf(text, rangeOf(map.items[0]?.key)[0]));
  const pair = pairIn(map, key);
  if (pair === undefined) return spliced(text, start, start, blockOf(key, section, indent));
  return spliced(text, ...linesOf(text, pair), blockOf(key, section, indent));
}

/** An empty `providers:` is removed with its last section. */
function withoutSection(key: ModelKey, text: string): string | undefined {
  const providers = pairIn(parseDocument(text).contents, 'providers');
  const pair = pairIn(providers?.value, key);
  if (providers === undefined || pair === undefined) return text;
  const isLast = isMap(providers.value) && providers.value.items.length === 1;
  return spliced(text, ...linesOf(text, isLast ? providers : pair), '');
}

function pairIn(map: unknown, name: string): Pair | undefined {
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
}

const isBlock = (value: unknown): value is YAMLMap => isMap(value) && value.flow !== true && value.items.length > 0;
const isNothing = (value: unknown): boolean => value === null || (isScalar(value) && value.value === null);

/** The whole lines of a key and its value. */
function linesOf(text: string, { key, value }: Pair): readonly [from: number, to: number] {
  const [from, keyEnd] = rangeOf(key);
  return [from - columnOf(text, from), lineEnd(text, Math.max(keyEnd, lastOffset(value)))];
}

/** The end of the last value inside: that of a collection includes the comments after it. */
function lastOffset(value: unknown): number {
  if (!isCollection(value) || value.flow) return rangeOf(value)[1];
  const last = value.items.at(-1) as Pair | undefined;
  return Math.max(rangeOf(last?.key)[1], lastOffset(last?.value ?? last));
}

function rangeOf(node: unknown): readonly [from: number, to: number] {
  const [from = 0, to = 0] = (node as { range?: readonly number[] } | null | undefined)?.range ?? [];
  return [from, to];
}

const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', Math.max(0, offset - 1));
  return end === -1 ? text.length : end + 1;
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function spliced(text: string, from: number, to: number, inserted: string): string {
  return `${inserted === '' ? text.slice(0, from) : ended(text.slice(0, from))}${inserted}${text.slice(to)}`;
}
