// Compares values for equality and for order.
import type { BaseFiles } from '../files.ts';
import { millisecondsOf, parseDateValue, parseDuration } from './dates.ts';
import { targetOf, wikilinkIn } from './links.ts';
import { textIn, textOf } from './text.ts';
import { CellFault, checkDepth, isList, type LinkValue, type ObjectValue, typeOf, type Value } from './value.ts';

/** What a comparison needs: the files that links lead to, and a count of the steps. */
export interface Comparing {
  readonly files: BaseFiles;
  spend(steps: number): void;
}

/** @throws CellFault for values that are too large */
export function isEqual(one: Value, other: Value, comparing: Comparing, depth = 0): boolean {
  comparing.spend(1);
  checkDepth(depth);
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (isList(one) || isList(other)) return isList(one) && isList(other) && equalLists(one, other, comparing, depth);
  const place = placeOf(one, other, comparing.files);
  if (place !== undefined) return place === placeOf(other, one, comparing.files);
  const [type, otherType] = [typeOf(one), typeOf(other)];
  if (type === 'tag' || otherType === 'tag') return tagText(one) === tagText(other);
  if (type === 'object' && otherType === 'object')
    return equalObjects(one as ObjectValue, other as ObjectValue, comparing, depth);
  const [number, otherNumber] = [numberFor(one, other), numberFor(other, one)];
  if (number !== undefined) return number === otherNumber;
  return type === otherType && type !== 'object' && textIn(one) !== undefined && textIn(one) === textIn(other);
}

function equalLists(one: readonly Value[], other: readonly Value[], comparing: Comparing, depth: number): boolean {
  return (
    one.length === other.length && one.every((item, at) => isEqual(item, other[at] as Value, comparing, depth + 1))
  );
}

function equalObjects({ entries }: ObjectValue, other: ObjectValue, comparing: Comparing, depth: number): boolean {
  if (entries.size !== other.entries.size) return false;
  return [...entries].every(
    ([name, value]) => other.entries.has(name) && isEqual(value, other.entries.get(name) ?? null, comparing, depth + 1),
  );
}

/** The path of the file that a link, a file or `[[…]]` beside one of them means, or else the text of the link. */
function placeOf(value: Value, beside: Value, files: BaseFiles): string | undefined {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'file') return `file ${value.file.path}`;
    return value.kind === 'link' ? placeOfLink(value, files) : undefined;
  }
  if (typeof value !== 'string' || typeOf(beside) !== 'link') return undefined;
  const link = wikilinkIn(value, (beside as LinkValue).source);
  return link === undefined ? undefined : placeOfLink(link, files);
}

function placeOfLink(link: LinkValue, files: BaseFiles): string {
  const target = targetOf(link, files);
  return target === null ? `link ${link.link}` : `file ${target}`;
}

function tagText(value: Value): string | undefined {
  return textIn(value)?.replace(/^#/, '').toLowerCase();
}

/** The number that values are compared by; a text beside a number, a date or a duration is read as one. */
function numberFor(value: Value, beside: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') {
    const type = typeOf(beside);
    if (type === 'number') return numberIn(value);
    if (type === 'date') return parseDateValue(value)?.ms;
    const duration = type === 'duration' ? parseDuration(value) : undefined;
    return duration === undefined ? undefined : millisecondsOf(duration);
  }
  if (value === null || isList(value)) return undefined;
  if (value.kind === 'date') return value.ms;
  return value.kind === 'duration' ? millisecondsOf(value) : undefined;
}

function numberIn(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}

let collator: Intl.Collator | undefined;

/** Made when needed, because that takes milliseconds. */
function compareTexts(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}

/** Negative if `one` comes first; undefined if one of them is null. @throws CellFault for types without an order */
export function compareOrdered(one: Value, other: Value): number | undefined {
  if (one === null || other === null) return undefined;
  const [number, otherNumber] = [numberFor(one, other), numberFor(other, one)];
  if (number !== undefined && otherNumber !== undefined) return number - otherNumber;
  const [text, otherText] = [textIn(one), textIn(other)];
  if (number === undefined && text !== undefined && otherText !== undefined) return compareTexts(text, otherText);
  throw new CellFault(`a ${typeOf(one)} and a ${typeOf(other)} have no order`);
}

const RANKS = ['number', 'text', 'date', 'duration', 'other'] as const;

/** How a value sorts: values of one rank are compared with each other. */
export interface SortKey {
  readonly rank: number;
  readonly number: number;
  readonly text: string;
}

/** Undefined for null, which comes last in either direction. @throws CellFault for a value that is too large */
export function sortKeyOf(value: Value): SortKey | undefined {
  if (value === null) return undefined;
  const type = typeOf(value);
  const number = numberFor(value, null);
  const rank = type === 'date' || type === 'duration' ? type : number === undefined ? 'other' : 'number';
  if (number !== undefined) return { rank: RANKS.indexOf(rank), number, text: '' };
  const hasText = textIn(value) !== undefined || type === 'file';
  return { rank: RANKS.indexOf(hasText ? 'text' : 'other'), number: 0, text: textOf(value) };
}

export function compareSortKeys(one: SortKey, other: SortKey): number {
  return one.rank - other.rank || one.number - other.number || compareTexts(one.text, other.text);
}
