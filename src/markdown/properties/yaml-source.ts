// Locates a property in the source of front matter: its lines, its colon and its value.
import { isAlias, isCollection, isMap, isNode, isScalar, type Pair, type YAMLMap } from 'yaml';
import { isLineEnd, skipBlanks } from '../parse/characters.ts';
import { lineEnd, lineStart, lineStartAfter } from '../parse/lines.ts';
import { rangeOf } from './property-values.ts';
import { parseYaml } from './yaml-tree.ts';

/** The source of valid front matter; all offsets are relative to `source`. */
export interface YamlSource {
  readonly source: string;
  /** Null while the source contains only comments. */
  readonly map: YAMLMap | null;
  readonly lineEnd: string;
}

export function readYamlSource(source: string, lineEnd: string): YamlSource {
  const tree = parseYaml(source.replace(/\r(?!\n)/g, '\n'));
  return { source, map: tree.fault === undefined && isMap(tree.contents) ? tree.contents : null, lineEnd };
}

/** The property with that name, else the first that differs only in case. */
export function findPair({ source, map }: YamlSource, name: string): Pair | undefined {
  const items = map?.items ?? [];
  const wanted = name.toLowerCase();
  return (
    items.find((pair) => nameOf(pair, source) === name) ??
    items.find((pair) => nameOf(pair, source).toLowerCase() === wanted)
  );
}

/** The name as read by the property reader. */
export function nameOf({ key }: Pair, source: string): string {
  if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? '');
  return source.slice(...rangeOf(key));
}

/** Offsets in the source; `valueFrom` and `valueTo` are equal if there is no value. */
export type PairPlace = ReturnType<typeof placeOfPair>;

/**
 * `from`: the start of its first line, in block style.
 * `colonTo`: after the colon; equal to `keyTo` if there is none.
 * `valueFrom`: after the value's anchor and tag.
 * `to`: the start of the line after its last one, in block style.
 */
export function placeOfPair({ source }: YamlSource, { key, value }: Pair) {
  const [keyFrom, keyTo] = rangeOf(key);
  const from = lineStart(source, keyFrom);
  if (!isNode(value))
    return { from, keyTo, colonTo: keyTo, valueFrom: keyTo, valueTo: keyTo, to: nextLine(source, keyTo) };
  const [valueFrom] = rangeOf(value);
  const valueTo = endOfNode(value);
  const colonTo = afterColon(source, keyTo, valueFrom);
  const ended = valueTo > colonTo && isLineEnd(source.charCodeAt(valueTo - 1));
  return { from, keyTo, colonTo, valueFrom, valueTo, to: ended ? valueTo : nextLine(source, valueTo) };
}

/**
 * The end of the last text in the node. The range of a list at the end of the source would include the comments
 * below it.
 */
export function endOfNode(node: unknown): number {
  const last = isCollection(node) && !node.flow ? node.items.at(-1) : undefined;
  if (isPairOf(last)) return endOfNode(isNode(last.value) ? last.value : last.key);
  return isNode(last) ? endOfNode(last) : rangeOf(node)[1];
}

/** Between a name and its colon there can be blanks, and comments if the name is on a line of its own. */
function afterColon(source: string, keyTo: number, most: number): number {
  let at = keyTo;
  while (at < most && source.charAt(at) !== ':') at = source.charAt(at) === '#' ? lineEnd(source, at) : at + 1;
  return Math.min(at + 1, most);
}

export function nextLine(source: string, offset: number): number {
  return Math.min(lineStartAfter(source, lineEnd(source, offset)), source.length);
}

/** Whether only blanks come before the offset on its line. */
export function beginsLine(source: string, offset: number): boolean {
  const start = lineStart(source, offset);
  return skipBlanks(source, start, offset) === offset;
}

/** An anchor in the node that another property refers to, if any. */
export function sharedAnchor(map: YAMLMap, pair: Pair): { name: string; offset: number } | undefined {
  const anchors = new Map<string, number>();
  for (const node of [pair.key, pair.value]) {
    visitNodes(node, (each) => isAnchored(each) && anchors.set(each.anchor, rangeOf(each)[0]));
  }
  if (anchors.size === 0) return undefined;
  let shared: { name: string; offset: number } | undefined;
  for (const other of map.items) {
    if (other === pair) continue;
    for (const node of [other.key, other.value]) {
      visitNodes(node, (each) => {
        const offset = isAlias(each) ? anchors.get(each.source) : undefined;
        if (isAlias(each) && offset !== undefined) shared ??= { name: each.source, offset };
      });
    }
  }
  return shared;
}

function isAnchored(node: unknown): node is { anchor: string } {
  return typeof node === 'object' && node !== null && 'anchor' in node && typeof node.anchor === 'string';
}

function visitNodes(node: unknown, visit: (node: unknown) => void): void {
  visit(node);
  if (!isCollection(node)) return;
  for (const item of node.items) {
    if (isNode(item)) visitNodes(item, visit);
    else if (isPairOf(item)) for (const each of [item.key, item.value]) visitNodes(each, visit);
  }
}

function isPairOf(item: unknown): item is Pair {
  return typeof item === 'object' && item !== null && 'key' in item && 'value' in item;
}
