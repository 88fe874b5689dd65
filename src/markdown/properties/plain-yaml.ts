// Reads front matter of lines like `name: value` and `- item`, as most notes have it, much faster than all of YAML.
import { Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { MAX_CHARACTERS, SCHEMA } from './yaml-tree.ts';

/** YAML allows up to 1,024 characters. */
const MAX_NAME = 100;

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_-]*(?: [\p{L}\p{M}\p{N}_-]+)*`;
/** A sign that means something at the beginning of a text. */
const FIRST = String.raw`[^\s\p{Cc}\-?:,[\]{}#&*!|>'"%@\x60]`;
const QUOTED = String.raw`"[^"\\\p{Cc}]*"|'[^'\p{Cc}]*'`;
/** On one line, up to a sign that ends it. */
const TEXT = String.raw`${FIRST}(?:[^\s:\p{Cc}]|:(?=[^\s\p{Cc}])| +(?=[^\s#\p{Cc}]))*|${QUOTED}`;
const TEXT_IN_LIST = String.raw`${FIRST}(?:[^\s:,[\]{}\p{Cc}]| +(?=[^\s#,[\]{}\p{Cc}]))*|${QUOTED}`;
const LIST = String.raw`\[(?: *(?:${TEXT_IN_LIST}) *(?:,(?= *[^\s\]])|(?=\])))*\]`;
const PROPERTY = String.raw`(${NAME})( *:(?!\S) *)(${TEXT}|${LIST})?`;
const LINE = new RegExp(String.raw`(?:${PROPERTY}|( {0,8})(- +)(${TEXT}))? *(?:\n|$)`, 'uy');
const ITEMS = new RegExp(TEXT_IN_LIST, 'gu');

type Texts = YAMLSeq<Scalar>;

/** The same tree as `parseYaml` gives, as far as front matter is read from it; undefined if any line is not as simple. */
export function parsePlainYaml(source: string): YAMLMap | undefined {
  if (source.length > MAX_CHARACTERS) return undefined;
  const map = new YAMLMap<Scalar, Scalar | Texts>();
  /** The last property if its line has no value, and the indent of its items. */
  let open: Pair<Scalar, Scalar | Texts> | undefined;
  let indent: string | undefined;
  for (let at = 0; at < source.length; at = LINE.lastIndex) {
    LINE.lastIndex = at;
    const [line, name, colon = '', value, before = '', dash = '', item] = LINE.exec(source) ?? [];
    if (line === undefined || (name !== undefined && name.length > MAX_NAME)) return undefined;
    if (name !== undefined) {
      const property = new Pair(scalarAt(name, at), valueAt(value, at + name.length + colon.length));
      map.items.push(property);
      open = value === undefined ? property : undefined;
      indent = undefined;
    } else if (item !== undefined) {
      if (open === undefined || before !== (indent ?? before)) return undefined;
      if (indent === undefined) open.value = new YAMLSeq();
      indent = before;
      (open.value as Texts).items.push(textAt(item, at + before.length + dash.length));
    }
  }
  return map;
}

/** @param written undefined for null */
function valueAt(written: string | undefined, from: number): Scalar | Texts {
  if (written === undefined) return ranged(new Scalar(null), '', from, from);
  if (!written.startsWith('[')) return textAt(written, from);
  const list: Texts = new YAMLSeq();
  for (const { 0: item, index } of written.matchAll(ITEMS)) list.items.push(textAt(item, from + index));
  return list;
}

/** @param written with its quotes */
function textAt(written: string, from: number): Scalar {
  if (!written.startsWith('"') && !written.startsWith("'")) return scalarAt(written, from);
  const text = written.slice(1, -1);
  return ranged(new Scalar(text), text, from, from + written.length);
}

/** A number, a boolean and the like by the rules of the schema, or a text. */
function scalarAt(text: string, from: number): Scalar {
  const tag = SCHEMA.tags.find((one) => one.default === true && 'test' in one && one.test?.test(text));
  const value = tag?.resolve?.(text as never, () => undefined, {}) ?? text;
  return ranged(value instanceof Scalar ? value : new Scalar(value), text, from, from + text.length);
}

function ranged(scalar: Scalar, source: string, from: number, to: number): Scalar {
  scalar.source = source;
  scalar.range = [from, to, to];
  return scalar;
}
