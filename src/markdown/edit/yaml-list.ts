// Takes items out of a list in front matter and puts others behind the rest, item by item. Knows no property's meaning.
import { isDeepStrictEqual } from 'node:util';
import { isSeq, type Pair, type YAMLSeq } from 'yaml';
import type { PropertyValue } from '../../base/note.ts';
import { rangeOf } from '../frontmatter/property-values.ts';
import { isLineEnd } from '../parse/characters.ts';
import { applySplices, type Splice, sortSplices } from './splice.ts';
import { beginsLine, endOfNode, lineEndBefore, lineStart, nextLine, type YamlSource } from './yaml-source.ts';
import { USUAL_STYLE, type YamlStyle, yamlInline, yamlItem } from './yaml-value.ts';

/** What of the old items stays, in its order, and what comes behind it; together they are the new list. */
interface ListChange {
  readonly kept: ReadonlySet<number>;
  readonly added: readonly PropertyValue[];
}

function changeOf(old: readonly PropertyValue[], wanted: readonly PropertyValue[]): ListChange {
  const kept = new Set<number>();
  for (const [index, item] of old.entries()) {
    if (kept.size < wanted.length && isDeepStrictEqual(item, wanted[kept.size])) kept.add(index);
  }
  return { kept, added: wanted.slice(kept.size) };
}

/** The source with the list changed where it must be, or undefined when it is to be written anew. */
export function changeList(
  { source, lineEnd }: YamlSource,
  { value }: Pair,
  old: readonly PropertyValue[],
  wanted: readonly PropertyValue[],
): string | undefined {
  if (!isSeq(value) || value.items.length !== old.length || value.items.some(isDecorated)) return undefined;
  const change = changeOf(old, wanted);
  if (change.kept.size === 0) return undefined;
  const splices = value.flow ? bracketSplices(source, value, change) : lineSplices(source, value, change, lineEnd);
  return splices && applySplices(source, sortSplices(splices));
}

/** An anchor or a type stands before the place that the node is known by. */
function isDecorated(item: unknown): boolean {
  const { anchor, tag } = (item ?? {}) as { anchor?: string; tag?: string };
  return anchor !== undefined || tag !== undefined;
}

const DASH = /^[ \t]*-[ \t]*$/;

/** Each item on lines of its own; undefined where one is not. */
function lineSplices(source: string, list: YAMLSeq, change: ListChange, lineEnd: string): Splice[] | undefined {
  const places = list.items.map((item) => itemLines(source, item));
  const last = places.at(-1);
  if (last === undefined || places.some(({ lead }) => !DASH.test(lead))) return undefined;
  const splices = places.flatMap(({ from, to }, index) => (change.kept.has(index) ? [] : [{ from, to, text: '' }]));
  const lead = last.lead.endsWith('-') ? `${last.lead} ` : last.lead;
  const lines = change.added.flatMap((item) => yamlItem(item, USUAL_STYLE, lead)).map((line) => line + lineEnd);
  return [...splices, { from: last.to, to: last.to, text: lines.join('') }];
}

function itemLines(source: string, item: unknown): { from: number; to: number; lead: string } {
  const [itemFrom] = rangeOf(item);
  const itemTo = endOfNode(item);
  const from = lineStart(source, itemFrom);
  const ended = itemTo > itemFrom && isLineEnd(source.charCodeAt(itemTo - 1));
  return { from, to: ended ? itemTo : nextLine(source, itemTo), lead: source.slice(from, itemFrom) };
}

/** Commas go with the item behind them, or with the one before them at the start of the list. */
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

/** Texts are quoted when the list's last one is, as in JSON. */
function bracketStyle(source: string, lastFrom: number): YamlStyle {
  return { ...USUAL_STYLE, quote: source.charAt(lastFrom) === '"' ? 'double' : 'none' };
}
