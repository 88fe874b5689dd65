// Converts the YAML tree of front matter to plain data and visits each text.
import { isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import type { Properties, PropertyValue } from '../../base/note.ts';
import type { YamlFault } from './yaml-tree.ts';

/**
 * More values than 64 KiB of YAML can spell out without aliases, and deeper than its brackets and indentation can
 * go.
 */
const MAX_VALUES = 65_536;
const MAX_DEPTH = 320;

/** Called with each text value and the path of its property: `name`, `name.0`, `name.0.sub`. */
export type VisitText = (text: string, key: string, node: Scalar) => void;

export type ValuesRead =
  | { readonly properties: Properties; readonly fault?: undefined }
  | { readonly fault: YamlFault };

/** Converts a map to data, or returns the fault. `source` is the text the tree was parsed from. */
export function readValues(map: YAMLMap, source: string, visit: VisitText): ValuesRead {
  const reader = new ValueReader(source, visit);
  const properties = reader.mapOf(map, '', 0);
  return reader.fault === undefined ? { properties } : { fault: reader.fault };
}

class ValueReader {
  fault: YamlFault | undefined;
  readonly #source: string;
  readonly #visit: VisitText;
  readonly #anchors = new Map<string, unknown>();
  #values = 0;

  constructor(source: string, visit: VisitText) {
    this.#source = source;
    this.#visit = visit;
  }

  /** Built from entries, so that a property named `__proto__` is an ordinary property. */
  mapOf(map: YAMLMap, key: string, depth: number): { [name: string]: PropertyValue } {
    const entries = new Map<string, PropertyValue>();
    for (const { key: nameNode, value } of map.items) {
      const name = this.#nameOf(nameNode);
      if (entries.has(name)) this.#refuse(nameNode, `the name ${JSON.stringify(name)} is used twice`);
      entries.set(name, this.#valueOf(value, key === '' ? name : `${key}.${name}`, depth + 1));
    }
    return Object.fromEntries(entries);
  }

  /** A property name as written; a name like `{{date}}` is a map in YAML. */
  #nameOf(node: unknown): string {
    if (isScalar(node)) return typeof node.value === 'string' ? node.value : (node.source ?? '');
    const [from, to] = rangeOf(node);
    return this.#source.slice(from, to);
  }

  #valueOf(node: unknown, key: string, depth: number): PropertyValue {
    this.#values += 1;
    if (this.#values > MAX_VALUES)
      this.#refuse(node, `more than ${MAX_VALUES} values once its aliases are written out`);
    if (depth > MAX_DEPTH) this.#refuse(node, `nested deeper than ${MAX_DEPTH} levels`);
    if (this.fault !== undefined) return null;
    if (isAlias(node)) return this.#valueOf(this.#anchored(node), key, depth + 1);
    if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    }
    if (isMap(node)) return this.mapOf(node, key, depth);
    if (isSeq(node)) return node.items.map((item, index) => this.#valueOf(item, `${key}.${index}`, depth + 1));
    return isScalar(node) ? this.#scalarOf(node, key) : null;
  }

  #anchored(alias: { readonly source: string }): unknown {
    const node = this.#anchors.get(alias.source);
    if (node === undefined) this.#refuse(alias, `nothing is anchored as ${JSON.stringify(alias.source)}`);
    return node;
  }

  #scalarOf(node: Scalar, key: string): PropertyValue {
    const { value } = node;
    if (typeof value === 'string') {
      this.#visit(value, key, node);
      return value;
    }
    if (typeof value === 'number') return isExact(value) ? value : (node.source ?? String(value));
    return typeof value === 'boolean' ? value : null;
  }

  #refuse(node: unknown, reason: string): void {
    this.fault ??= { offset: rangeOf(node)[0], reason };
  }
}

/** `.nan`, `.inf` and integers that a number cannot represent exactly are kept as text. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** The range of a parsed node in its source. */
export function rangeOf(node: unknown): readonly [number, number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  const [from, to] = Array.isArray(range) ? range : [0, 0];
  return [Number(from), Number(to)];
}
