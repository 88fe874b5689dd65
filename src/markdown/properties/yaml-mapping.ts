// Reads a file that is one YAML map, with the line of each value.
import { isMap, isNode, isSeq } from 'yaml';
import type { Properties } from '../../base/note.ts';
import { rangeOf, readValues } from './property-values.ts';
import { parseYaml } from './yaml-tree.ts';

export type Mapping =
  | {
      readonly values: Properties;
      /** The line of the value at a path of names and positions, such as `views.0.name`, or of what contains it. */
      readonly lineOf: (path: string) => number;
      /** The texts among the values, by path. */
      readonly texts: ReadonlyMap<string, ScalarText>;
      readonly fault?: undefined;
    }
  | { readonly fault: { readonly line: number; readonly reason: string } };

/** A text as YAML writes it; offsets in the file, quotes included. */
export interface ScalarText {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly quote: '"' | "'" | '';
}

const QUOTES: Readonly<Record<string, ScalarText['quote']>> = { QUOTE_DOUBLE: '"', QUOTE_SINGLE: "'" };

/** An empty file is an empty map. */
export function readMapping(text: string): Mapping {
  const source = text.replace(/\r(?!\n)/g, '\n');
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  const tree = parseYaml(source);
  if (tree.fault !== undefined) return faultAt(lineAt(tree.fault.offset), tree.fault.reason);
  const { contents } = tree;
  if (contents === null) return { values: {}, lineOf: () => 1, texts: new Map() };
  if (!isMap(contents)) return faultAt(lineAt(contents.range[0]), 'the file is not a YAML map');
  const texts = new Map<string, ScalarText>();
  const read = readValues(contents, source, (value, key, node) => {
    const [from, to] = rangeOf(node);
    texts.set(key, { text: value, from, to, quote: QUOTES[node.type ?? ''] ?? '' });
  });
  if (read.fault !== undefined) return faultAt(lineAt(read.fault.offset), read.fault.reason);
  const offsets = new Map<string, number>();
  collectOffsets(contents, '', offsets);
  return { values: read.properties, lineOf: (path) => lineAt(offsetOf(path, offsets)), texts };
}

function faultAt(line: number, reason: string): Mapping {
  return { fault: { line, reason: reason.split('\n')[0] ?? reason } };
}

function collectOffsets(node: unknown, path: string, offsets: Map<string, number>): void {
  const below = (name: unknown): string => (path === '' ? String(name) : `${path}.${name}`);
  if (isNode(node)) offsets.set(path, rangeOf(node)[0]);
  if (isSeq(node)) for (const [index, item] of node.items.entries()) collectOffsets(item, below(index), offsets);
  if (isMap(node)) for (const { key, value } of node.items) collectOffsets(value, below(key), offsets);
}

function offsetOf(path: string, offsets: ReadonlyMap<string, number>): number {
  const known = offsets.get(path);
  if (known !== undefined || path === '') return known ?? 0;
  return offsetOf(path.slice(0, Math.max(0, path.lastIndexOf('.'))), offsets);
}
