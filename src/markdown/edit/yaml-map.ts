// Sets and removes one property in the source of front matter, in block or flow style.
import { isCollection, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';
import type { PropertyValue } from '../../base/note.ts';
import { rangeOf } from '../frontmatter/property-values.ts';
import { skipBlanks, skipSpace } from '../parse/characters.ts';
import { lineEnd, lineEndBefore, lineStart } from '../parse/lines.ts';
import { applySplices, type Splice } from './splice.ts';
import { beginsLine, type PairPlace, placeOfPair, type YamlSource } from './yaml-source.ts';
import { DEFAULT_STYLE, type YamlStyle, yamlAfterColon, yamlInline, yamlLines, yamlProperty } from './yaml-value.ts';

/** Appends a property. */
export function addPair(yaml: YamlSource, name: string, value: PropertyValue): string {
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
export function replaceValue(yaml: YamlSource, pair: Pair, value: PropertyValue): string {
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
  const written = [colon + gap + inline.trimStart() + commentOf(source, pair, place), ...lines].join(yaml.lineEnd);
  return { from: colonTo, to, text: written + yaml.lineEnd };
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
export function removePair(yaml: YamlSource, pair: Pair): string {
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
  const entry = yamlInline({ [name]: value }, bracketStyle(source, map)).slice(1, -1);
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
  const written = yamlInline(value, bracketStyle(source, map));
  const { keyTo, colonTo, valueFrom, valueTo } = place;
  if (colonTo === keyTo) return { from: keyTo, to: keyTo, text: `: ${written}` };
  if (isScalar(old) && valueFrom === valueTo) return { from: colonTo, to: valueTo, text: ` ${written}` };
  return { from: skipSpace(source, colonTo), to: valueTo, text: written };
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
function bracketStyle(source: string, { items: [first] }: YAMLMap): YamlStyle {
  const isJson = first !== undefined && source.charAt(rangeOf(first.key)[0]) === '"';
  return { ...DEFAULT_STYLE, quote: isJson ? 'double' : 'none' };
}
