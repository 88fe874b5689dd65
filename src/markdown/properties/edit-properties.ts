// Changes properties of a note; only the lines of the named properties change.
import { isDeepStrictEqual } from 'node:util';
import { isCollection, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { VaultgraphError } from '../../base/errors.ts';
import { currentDialect, type Properties, type PropertyChanges, type PropertyValue } from '../../base/note.ts';
import { dominantLineEnd } from '../edit/edited-note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { editRefusal } from '../edit/target.ts';
import { isLineEnd, skipBlanks, skipSpace } from '../parse/characters.ts';
import { type Lines, lineEnd, lineEndBefore, lineStart, positionAt, splitLines } from '../parse/lines.ts';
import { bodyStart, readFrontMatter } from './front-matter.ts';
import { readPageProperties } from './page-properties.ts';
import { type PropertyPlan, planProperties } from './property-plan.ts';
import { rangeOf } from './property-values.ts';
import {
  beginsLine,
  endOfNode,
  findPair,
  nextLine,
  type PairPlace,
  placeOfPair,
  readYamlSource,
  sharedAnchor,
  type YamlSource,
} from './yaml-source.ts';
import {
  DEFAULT_STYLE,
  type YamlStyle,
  yamlAfterColon,
  yamlInline,
  yamlItem,
  yamlLines,
  yamlProperty,
} from './yaml-value.ts';

/**
 * New properties are added at the end. Front matter is created if missing, and removed with its last property unless
 * it contains a comment. Setting an equal value changes nothing.
 * `text`: the original text if there was nothing to change.
 * `notices`: one line for each removal of something that does not exist.
 * @param text as decoded, without a byte order mark
 * @throws PROPERTIES_INVALID if the front matter is not valid YAML, or another property refers to an anchor in a
 * changed one · INVALID_INPUT if a value cannot be written so that it reads back, or the arguments contradict each
 * other
 */
export function editProperties(path: string, text: string, changes: PropertyChanges) {
  const lines = splitLines(text);
  const { fault, properties, bodyLine } = readFrontMatter(text, lines);
  if (fault !== undefined) throw new VaultgraphError('PROPERTIES_INVALID', { path, ...fault });
  const { values, notices } = planProperties(properties, changes);
  if (values.size === 0) return { text, notices };
  if (currentDialect() === 'logseq' && Object.keys(readPageProperties(text, lines, bodyLine).properties).length > 0)
    throw new VaultgraphError('PATH_NOT_ALLOWED', { path, ...PAGE_IS_READ });
  if (bodyLine > 0 && !text.startsWith('---'))
    throw new VaultgraphError('PATH_NOT_ALLOWED', { path, ...(text.startsWith('{') ? JSON_IS_READ : TOML_IS_READ) });
  const front = frontMatterOf(text, lines, bodyLine);
  const before = readYamlSource(front.source, front.lineEnd);
  refuseSharedAnchors(before, values, (reason, offset) => {
    const { line, column } = positionAt(lines, front.from + offset);
    return new VaultgraphError('PROPERTIES_INVALID', { path, line, column, reason, of: 'edit' });
  });
  const changed = withSource(text, front, changeSource(before, values, properties));
  refuseMisread(changed, text.slice(front.bodyFrom), properties, values);
  return { text: changed, notices };
}

const PAGE_IS_READ = {
  rule: 'its properties are lines `key:: value` of Logseq, which are read and not written',
  instead: 'Change these lines with `edit_note`.',
};

const TOML_IS_READ = {
  rule: 'its properties are TOML, which is read and never written',
  instead: 'Change the lines of its front matter with `edit_note`.',
};

const JSON_IS_READ = { ...TOML_IS_READ, rule: 'its properties are JSON, which is read and never written' };

type FrontMatterPlace = ReturnType<typeof frontMatterOf>;

/** `from`, `to` and `bodyFrom`: offsets of the start and the end of the source, and of the body. */
function frontMatterOf(text: string, { starts, ends }: Lines, bodyLine: number) {
  const lineEnd = dominantLineEnd(text);
  if (bodyLine === 0) return { exists: false, source: '', from: 0, to: 0, bodyFrom: 0, lineEnd };
  const [from = 0, to = 0, bodyFrom = text.length] = [starts[1], starts[bodyLine - 1], starts[bodyLine]];
  return { exists: true, source: text.slice(from, to), from, to, bodyFrom, lineEnd: text.slice(ends[0], from) };
}

function refuseSharedAnchors(
  yaml: YamlSource,
  values: PropertyPlan['values'],
  refusal: (reason: string, offset: number) => VaultgraphError,
): void {
  for (const name of values.keys()) {
    const pair = findPair(yaml, name);
    const shared = yaml.map === null || pair === undefined ? undefined : sharedAnchor(yaml.map, pair);
    if (shared !== undefined)
      throw refusal(`another property refers to the anchor &${shared.name} of ${JSON.stringify(name)}`, shared.offset);
  }
}

function changeSource(before: YamlSource, values: PropertyPlan['values'], properties: Properties): string {
  let yaml = before;
  for (const [name, value] of values)
    yaml = readYamlSource(changeProperty(yaml, name, value, properties[name]), yaml.lineEnd);
  return yaml.source;
}

function changeProperty(
  yaml: YamlSource,
  name: string,
  value: PropertyValue | undefined,
  old: PropertyValue | undefined,
): string {
  const pair = findPair(yaml, name);
  if (pair === undefined) return value === undefined ? yaml.source : addPair(yaml, name, value);
  if (value === undefined) return removePair(yaml, pair);
  const list = Array.isArray(old) && Array.isArray(value) ? changeList(yaml, pair, old, value) : undefined;
  return list ?? replaceValue(yaml, pair, value);
}

/**
 * Empty front matter gets a blank line below its first property. That line distinguishes it from front matter
 * created for the property, so it stays when the property is removed.
 */
function withSource(text: string, front: FrontMatterPlace, source: string): string {
  const { exists, from, to, bodyFrom, lineEnd } = front;
  if (!exists) return `---${lineEnd}${source}---${lineEnd}${text}`;
  const body = text.slice(bodyFrom);
  if (source === '' && bodyStart(body, splitLines(body)).bodyLine === 0) return body;
  const wasEmpty = front.source === '' && source !== '';
  const isEmptied = source === lineEnd && !front.source.startsWith(lineEnd);
  return text.slice(0, from) + (isEmptied ? '' : source + (wasEmpty ? lineEnd : '')) + text.slice(to);
}

/** The new text must parse to the requested properties, with everything else unchanged. */
function refuseMisread(changed: string, body: string, properties: Properties, values: PropertyPlan['values']): void {
  const expected = new Map(Object.entries(properties));
  for (const [name, value] of values) {
    if (value === undefined) expected.delete(name);
    else expected.set(name, value);
  }
  const frontMatter = readFrontMatter(changed, splitLines(changed));
  const isRead = isDeepStrictEqual(frontMatter.properties, Object.fromEntries(expected));
  if (isRead && frontMatter.fault === undefined && changed.slice(frontMatter.bodyOffset) === body) return;
  const rule = `this front matter cannot take ${[...values.keys()].map((name) => JSON.stringify(name)).join(', ')} so that it reads back`;
  throw editRefusal('set_properties', 'set', rule);
}

/** The old items that are kept, in order, and the items added after them; together they are the new list. */
type ListChange = ReturnType<typeof listChange>;

function listChange(old: readonly PropertyValue[], items: readonly PropertyValue[]) {
  const indexes = new Set<number>();
  for (const [index, item] of old.entries()) {
    if (indexes.size < items.length && isDeepStrictEqual(item, items[indexes.size])) indexes.add(index);
  }
  return { kept: indexes, added: items.slice(indexes.size) };
}

/** The source with only the changed items rewritten, or undefined if the list must be written as a whole. */
function changeList(
  { source, lineEnd }: YamlSource,
  { value }: Pair,
  old: readonly PropertyValue[],
  items: readonly PropertyValue[],
): string | undefined {
  if (!isSeq(value) || value.items.length !== old.length || value.items.some(isDecorated)) return undefined;
  const change = listChange(old, items);
  if (change.kept.size === 0) return undefined;
  const splices = value.flow ? bracketSplices(source, value, change) : lineSplices(source, value, change, lineEnd);
  return splices && applySplices(source, sortSplices(splices));
}

/** An anchor or a tag is written before the range of its node. */
function isDecorated(item: unknown): boolean {
  const { anchor, tag } = (item ?? {}) as { anchor?: string; tag?: string };
  return anchor !== undefined || tag !== undefined;
}

const DASH = /^[ \t]*-[ \t]*$/;

/** Each item on lines of its own; undefined if one is not. */
function lineSplices(source: string, list: YAMLSeq, change: ListChange, lineEnd: string): Splice[] | undefined {
  const places = list.items.map((item) => itemLines(source, item));
  const last = places.at(-1);
  if (last === undefined || places.some(({ lead }) => !DASH.test(lead))) return undefined;
  const splices = places.flatMap(({ from, to }, index) => (change.kept.has(index) ? [] : [{ from, to, text: '' }]));
  const lead = last.lead.endsWith('-') ? `${last.lead} ` : last.lead;
  const lines = change.added.flatMap((item) => yamlItem(item, DEFAULT_STYLE, lead)).map((line) => line + lineEnd);
  return [...splices, { from: last.to, to: last.to, text: lines.join('') }];
}

function itemLines(source: string, item: unknown): { from: number; to: number; lead: string } {
  const [itemFrom] = rangeOf(item);
  const itemTo = endOfNode(item);
  const from = lineStart(source, itemFrom);
  const ended = itemTo > itemFrom && isLineEnd(source.charCodeAt(itemTo - 1));
  return { from, to: ended ? itemTo : nextLine(source, itemTo), lead: source.slice(from, itemFrom) };
}

/** A comma is removed with the item after it or, at the start of the list, with the item before it. */
function bracketSplices(source: string, { items }: YAMLSeq, { kept, added }: ListChange): Splice[] {
  const ranges = items.map(rangeOf);
  const firstKept = Math.min(...kept);
  const splices = ranges.flatMap(([from, to], index): Splice[] => {
    if (kept.has(index)) return [];
    if (index < firstKept) return [{ from, to: ranges[index + 1]?.[0] ?? to, text: '' }];
    return [{ from: ranges[index - 1]?.[1] ?? from, to, text: '' }];
  });
  const [lastFrom, lastTo] = ranges.at(-1) ?? [0, 0];
  const start = lineStart(source, lastFrom);
  const parting = beginsLine(source, lastFrom) ? source.slice(lineEndBefore(source, start), lastFrom) : ' ';
  const style = bracketStyle(source, lastFrom);
  const text = added.map((item) => `,${parting}${yamlInline(item, style)}`).join('');
  return [...splices, { from: lastTo, to: lastTo, text }];
}

/** Texts are quoted if the list's last item is, as in JSON. */
function bracketStyle(source: string, lastFrom: number): YamlStyle {
  return { ...DEFAULT_STYLE, quote: source.charAt(lastFrom) === '"' ? 'double' : 'none' };
}

/** Appends a property. */
function addPair(yaml: YamlSource, name: string, value: PropertyValue): string {
  const { source, map } = yaml;
  if (map?.flow) return addToBrackets(source, map, name, value);
  const start = map === null ? 0 : lineStart(source, rangeOf(map)[0]);
  const pad = map === null ? '' : source.slice(start, skipBlanks(source, start, source.length));
  const lines = yamlProperty(name, value, styleOf(yaml), pad).map((line) => line + yaml.lineEnd);
  const at = endOfProperties(source, map);
  return applySplices(source, [{ from: at, to: at, text: lines.join('') }]);
}

/** The end of the properties, before the document end mark if there is one. */
function endOfProperties(source: string, map: YAMLMap | null): number {
  const from = map === null ? 0 : rangeOf(map)[1];
  const mark = /^\.\.\.(?=[ \t\r\n]|$)/m.exec(source.slice(from));
  return mark === null ? source.length : from + mark.index;
}

/** Replaces the value of a property. */
function replaceValue(yaml: YamlSource, pair: Pair, value: PropertyValue): string {
  const { source, map } = yaml;
  const place = placeOfPair(yaml, pair);
  if (map?.flow) return applySplices(source, [bracketValue(source, map, pair, place, value)]);
  return applySplices(source, [lineValue(yaml, pair, place, value)]);
}

/**
 * Replaces everything after the colon, except a comment on that line and the blanks before the value and the
 * comment.
 */
function lineValue(yaml: YamlSource, pair: Pair, place: PairPlace, value: PropertyValue): Splice {
  const { source } = yaml;
  const { colonTo, to } = place;
  const style = { ...styleOf(yaml), quote: typeof value === 'string' ? quoteOf(source, pair) : ('none' as const) };
  const inBrackets =
    isCollection(pair.value) && pair.value.flow === true && typeof value === 'object' && value !== null;
  const inline = inBrackets ? ` ${yamlInline(value, style)}` : yamlAfterColon(value, style);
  const gap = inline === '' ? '' : gapBefore(source, place);
  const pad = source.slice(place.from, skipBlanks(source, place.from, source.length));
  const lines = inBrackets ? [] : yamlLines(value, style, pad);
  const colon = place.colonTo === place.keyTo ? ':' : '';
  const valueText = [colon + gap + inline.trimStart() + commentOf(source, pair, place), ...lines].join(yaml.lineEnd);
  return { from: colonTo, to, text: valueText + yaml.lineEnd };
}

/** The blanks between the colon and the value, or one if there was no value. */
function gapBefore(source: string, { colonTo, valueFrom, valueTo }: PairPlace): string {
  const end = skipBlanks(source, colonTo, source.length);
  return valueFrom < valueTo && end > colonTo && end <= valueFrom ? source.slice(colonTo, end) : ' ';
}

/** The comment after the value, or after the colon if the value is on lines of its own, with the blanks before it. */
function commentOf(source: string, pair: Pair, { colonTo, valueFrom, valueTo }: PairPlace): string {
  const lineTo = lineEnd(source, colonTo);
  const from = valueFrom > lineTo ? colonTo : valueTo;
  if (isScalar(pair.value) && /^BLOCK_/.test(pair.value.type ?? '')) return '';
  const rest = source.slice(from, lineEnd(source, from));
  const mark = /(?:^|[ \t])#/.exec(rest);
  if (mark === null) return '';
  const blanks = /[ \t]*$/.exec(rest.slice(0, mark.index))?.[0] ?? '';
  const comment = rest.slice(mark.index);
  return comment.startsWith('#') ? ` ${comment}` : blanks + comment;
}

/** The quotes of the old value. */
function quoteOf(source: string, { value }: Pair): YamlStyle['quote'] {
  const first = isScalar(value) ? source.charAt(rangeOf(value)[0]) : '';
  if (first === '"') return 'double';
  return first === "'" ? 'single' : 'none';
}

/** Removes a property. */
function removePair(yaml: YamlSource, pair: Pair): string {
  const { source, map } = yaml;
  if (map?.flow) return removeFromBrackets(source, map, pair);
  const { from, to } = placeOfPair(yaml, pair);
  return applySplices(source, [{ from, to, text: '' }]);
}

/** The indentation of the first nested list and the first nested map. */
function styleOf({ source, map }: YamlSource): YamlStyle {
  const deeper = (pair: Pair): number =>
    columnAt(source, rangeOf(pair.value)[0]) - columnAt(source, rangeOf(pair.key)[0]);
  const nested = (map?.items ?? []).filter(({ value }) => isCollection(value) && !value.flow && value.items.length > 0);
  const list = nested.find(({ value }) => isSeq(value));
  const inner = nested.find(({ value }) => !isSeq(value));
  const blanks = (pair: Pair, usual: string): string => ' '.repeat(deeper(pair) < 0 ? usual.length : deeper(pair));
  return {
    ...DEFAULT_STYLE,
    ...(list && { listIndent: blanks(list, DEFAULT_STYLE.listIndent) }),
    ...(inner && { indent: blanks(inner, DEFAULT_STYLE.indent) }),
  };
}

function columnAt(source: string, offset: number): number {
  return offset - lineStart(source, offset);
}

/** Appends a property in braces, on a line of its own if the last one is. */
function addToBrackets(source: string, map: YAMLMap, name: string, value: PropertyValue): string {
  const entry = yamlInline({ [name]: value }, mapStyle(source, map)).slice(1, -1);
  const last = map.items.at(-1);
  if (last === undefined) {
    const at = rangeOf(map)[0] + 1;
    return applySplices(source, [{ from: at, to: at, text: entry }]);
  }
  const [lastFrom] = rangeOf(last.key);
  const apart = beginsLine(source, lastFrom) && lineStart(source, lastFrom) > rangeOf(map)[0];
  const parting = apart ? source.slice(lineEndBefore(source, lineStart(source, lastFrom)), lastFrom) : ' ';
  const at = pairEnd(last);
  return applySplices(source, [{ from: at, to: at, text: `,${parting}${entry}` }]);
}

function bracketValue(source: string, map: YAMLMap, { value: old }: Pair, place: PairPlace, value: PropertyValue) {
  const yamlText = yamlInline(value, mapStyle(source, map));
  const { keyTo, colonTo, valueFrom, valueTo } = place;
  if (colonTo === keyTo) return { from: keyTo, to: keyTo, text: `: ${yamlText}` };
  if (isScalar(old) && valueFrom === valueTo) return { from: colonTo, to: valueTo, text: ` ${yamlText}` };
  return { from: skipSpace(source, colonTo), to: valueTo, text: yamlText };
}

function removeFromBrackets(source: string, { items }: YAMLMap, pair: Pair): string {
  const index = items.indexOf(pair);
  const [before, after] = [items[index - 1], items[index + 1]];
  const [from] = rangeOf(pair.key);
  const end = pairEnd(pair);
  if (before !== undefined) return applySplices(source, [{ from: pairEnd(before), to: end, text: '' }]);
  if (after !== undefined) return applySplices(source, [{ from, to: rangeOf(after.key)[0], text: '' }]);
  const comma = skipSpace(source, end);
  return applySplices(source, [{ from, to: source.charAt(comma) === ',' ? comma + 1 : end, text: '' }]);
}

function pairEnd({ key, value }: Pair): number {
  return Math.max(rangeOf(key)[1], rangeOf(value)[1]);
}

/** In braces, everything is quoted if the names are, as in JSON. */
function mapStyle(source: string, { items: [first] }: YAMLMap): YamlStyle {
  const isJson = first !== undefined && source.charAt(rangeOf(first.key)[0]) === '"';
  return { ...DEFAULT_STYLE, quote: isJson ? 'double' : 'none' };
}
