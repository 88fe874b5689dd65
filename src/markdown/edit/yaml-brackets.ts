// Sets and removes one property between the brackets of a map in front matter, as in JSON. Knows no property's meaning.
import { isScalar, type Pair, type YAMLMap } from 'yaml';
import type { PropertyValue } from '../../base/note.ts';
import { rangeOf } from '../frontmatter/property-values.ts';
import { applySplices, type Splice } from './splice.ts';
import { beginsLine, lineEndBefore, lineStart, type PairPlace, skipSpace } from './yaml-source.ts';
import { USUAL_STYLE, type YamlStyle, yamlInline } from './yaml-value.ts';

/** Behind the last property, on a line of its own where that has one. */
export function addToBrackets(source: string, map: YAMLMap, name: string, value: PropertyValue): string {
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

export function bracketValue(
  source: string,
  map: YAMLMap,
  { value: old }: Pair,
  place: PairPlace,
  value: PropertyValue,
): Splice {
  const written = yamlInline(value, bracketStyle(source, map));
  const { keyTo, colonTo, valueFrom, valueTo } = place;
  if (colonTo === keyTo) return { from: keyTo, to: keyTo, text: `: ${written}` };
  if (isScalar(old) && valueFrom === valueTo) return { from: colonTo, to: valueTo, text: ` ${written}` };
  return { from: skipSpace(source, colonTo), to: valueTo, text: written };
}

export function removeFromBrackets(source: string, { items }: YAMLMap, pair: Pair): string {
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

/** In brackets all is quoted where the names are, as in JSON. */
function bracketStyle(source: string, { items: [first] }: YAMLMap): YamlStyle {
  const isJson = first !== undefined && source.charAt(rangeOf(first.key)[0]) === '"';
  return { ...USUAL_STYLE, quote: isJson ? 'double' : 'none' };
}
