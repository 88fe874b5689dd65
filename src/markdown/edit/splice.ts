// Applies several replacements to one text and maps offsets across them.
import { partitionPoint } from '../../base/binary-search.ts';

/** Replaces the text from `from` to `to` by `text`; inserts it if both are equal. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** By position; insertions at the same position keep their order and come before a replacement there. */
export function sortSplices<T extends Splice>(splices: readonly T[]): T[] {
  return [...splices].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** The first two splices, by position, that replace the same text or insert into replaced text. */
export function overlapIn<T extends Splice>(sorted: readonly T[]): readonly [T, T] | undefined {
  let last: T | undefined;
  for (const splice of sorted) {
    if (last !== undefined && splice.from < last.to) return [last, splice];
    if (last === undefined || splice.to > last.to) last = splice;
  }
  return undefined;
}

/** @param sorted as returned by `sortSplices`, without overlaps */
export function applySplices(text: string, sorted: readonly Splice[]): string {
  let changed = '';
  let at = 0;
  for (const splice of sorted) {
    changed += text.slice(at, splice.from) + splice.text;
    at = splice.to;
  }
  return changed + text.slice(at);
}

/** Maps an offset of the old text to the new text; undefined for replaced text. */
export type MovedOffset = (offset: number) => number | undefined;

/** Offsets may come in any order. Text inserted at an offset comes before it. */
export function offsetMapper(sorted: readonly Splice[]): MovedOffset {
  const shifts: number[] = [];
  let shift = 0;
  for (const { from, to, text } of sorted) {
    shift += text.length - (to - from);
    shifts.push(shift);
  }
  return (offset) => {
    const before = partitionPoint(sorted.length, (index) => (sorted[index] as Splice).from <= offset);
    const last = sorted[before - 1];
    return last !== undefined && last.to > offset ? undefined : offset + (shifts[before - 1] ?? 0);
  };
}
