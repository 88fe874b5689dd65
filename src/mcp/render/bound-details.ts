// The details of an error, masked and cut to what an answer may carry, with counts of what was cut. Knows no code's fields.
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { PathMask } from './path-mask.ts';
import { type Plain, type PlainObject, toPlainObject } from './plain-value.ts';
import { cutText } from './shown-text.ts';

/** Bytes of JSON. A batch names each of its items. */
const LONGEST_DETAILS = 2_048;
const LONGEST_BATCH = 16_384;
/** What changed since a note was read is what its reader has to merge. */
const LONGEST_DIFF = 12_000;
const LONGEST_TEXT = 400;
/** What message and hint are made of and say already. */
const SAID_ELSEWHERE: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  BATCH_FAILED: ['why', 'advice'],
  CONFIRMATION_REQUIRED: ['dry_run'],
};

/** The details as plain values, and what more there is; `cut` counts, by name, the entries of lists that were left out. */
export function boundDetails(error: VaultgraphError, mask: PathMask, more: object = {}): PlainObject {
  const longest = error.code === 'BATCH_FAILED' ? LONGEST_BATCH : LONGEST_DETAILS;
  const said = SAID_ELSEWHERE[error.code] ?? [];
  const kept = Object.entries({ ...error.details, ...more }).filter(([key]) => !said.includes(key));
  const { diff, ...plain } = mapTexts(toPlainObject(Object.fromEntries(kept)), (text) => mask(text)) as PlainObject;
  const shown = typeof diff === 'string' ? { diff: cutText(diff, LONGEST_DIFF) } : {};
  if (bytesOf(plain) <= longest) return { ...plain, ...shown };
  return { ...cutLists(mapTexts(plain, (text) => cutText(text, LONGEST_TEXT)) as PlainObject, longest), ...shown };
}

/** Shortens the longest list until all of it fits; without a list to shorten nothing can be kept whole, so nothing is. */
function cutLists(details: PlainObject, longest: number): PlainObject {
  const lists = Object.entries(details).filter(([, value]) => Array.isArray(value)) as [string, readonly Plain[]][];
  const kept = new Map(lists);
  const current = (): PlainObject => ({ ...details, ...Object.fromEntries(kept), ...cutCounts(lists, kept) });
  while (bytesOf(current()) > longest) {
    const [key, list] = [...kept].sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0] ?? [];
    if (key === undefined || list === undefined || list.length === 0)
      return { cut: { members: Object.keys(details).length } };
    kept.set(key, list.slice(0, Math.floor(list.length * 0.8)));
  }
  return current();
}

function cutCounts(
  lists: readonly [string, readonly Plain[]][],
  kept: ReadonlyMap<string, readonly Plain[]>,
): PlainObject {
  const counts = lists.map(([key, list]): [string, number] => [key, list.length - (kept.get(key)?.length ?? 0)]);
  const cut = counts.filter(([, count]) => count > 0);
  return cut.length === 0 ? {} : { cut: Object.fromEntries(cut) };
}

function mapTexts(value: Plain, change: (text: string) => string): Plain {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]));
}

function bytesOf(value: Plain): number {
  return Buffer.byteLength(JSON.stringify(value));
}
