// Replacements of stretches of one text, made together.
import { partitionPoint } from '../../base/binary-search.ts';

/** `text` comes in place of what stands from `from` to `to`; where both are equal it is inserted. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** In the order of their places; what is inserted at one place stays in the order given, before what is replaced there. */
export function sortSplices<T extends Splice>(splices: readonly T[]): T[] {
  return [...splices].sort((one, other) => one.from - other.from || one.to - other.to);
}

/** The first two, in the order of their places, that replace the same text or insert into what is replaced. */
export function overlapIn<T extends Splice>(sorted: readonly T[]): readonly [T, T] | undefined {
  let last: T | undefined;
  for (const splice of sorted) {
    if (last !== undefined && splice.from < last.to) return [last, splice];
    if (last === undefined || splice.to > last.to) last = splice;
  }
  return undefined;
}

/** @param sorted as `sortSplices` leaves them, none over another */
export function applySplices(text: string, sorted: readonly Splice[]): string {
  let changed = '';
  let at = 0;
  for (const splice of sorted) {
    changed += text.slice(at, splice.from) + splice.text;
    at = splice.to;
  }
  return changed + text.slice(at);
}

/** Where an offset of the text stands behind the splices: undefined for what was replaced. */
export type MovedOffset = (offset: number) => number | undefined;

/** Ask with offsets in any order. What is inserted at an offset comes before it. */
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
