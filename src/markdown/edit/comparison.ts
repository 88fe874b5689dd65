// Compares a note before and after an edit: what was removed, what was inserted, where the rest is.
import { partitionPoint } from '../../base/binary-search.ts';
import { applySplices, type MovedOffset, offsetMapper, type Splice } from './splice.ts';
import { type EditView, viewForEdits } from './view.ts';

/** A splice, and how far it may affect the lines around it. */
export interface RequestedSplice extends Splice {
  /** A literal replacement may change the lines it is on; other splices only add or remove whole lines. */
  readonly literal: boolean;
  /** The id of the replaced block, which must name the replacement. */
  readonly keepsId?: string;
}

/** A splice with the range of its text in the new text. */
export interface PlacedSplice extends RequestedSplice {
  readonly newFrom: number;
  readonly newTo: number;
}

export interface Comparison {
  readonly before: EditView;
  readonly after: EditView;
  readonly splices: readonly PlacedSplice[];
  readonly moved: MovedOffset;
  /** The splices that overlap or touch a range of the old text. */
  readonly touchingOld: (from: number, to: number) => readonly PlacedSplice[];
  /** The splices whose text overlaps or touches a range of the new text. */
  readonly touchingNew: (from: number, to: number) => readonly PlacedSplice[];
}

/** @param sorted splices that do not overlap */
export function compareEdit(before: EditView, sorted: readonly RequestedSplice[]): Comparison {
  const splices = placed(sorted);
  return {
    before,
    after: viewForEdits(before.path, applySplices(before.text, sorted)),
    splices,
    moved: offsetMapper(sorted),
    touchingOld: (from, to) =>
      stretch(
        splices,
        (splice) => splice.to < from,
        (splice) => splice.from <= to,
      ),
    touchingNew: (from, to) =>
      stretch(
        splices,
        (splice) => splice.newTo < from,
        (splice) => splice.newFrom <= to,
      ),
  };
}

function placed(sorted: readonly RequestedSplice[]): PlacedSplice[] {
  let shift = 0;
  return sorted.map((splice) => {
    const newFrom = splice.from + shift;
    shift += splice.text.length - (splice.to - splice.from);
    return { ...splice, newFrom, newTo: newFrom + splice.text.length };
  });
}

/** The consecutive elements after those before the range, as long as they reach into it. */
function stretch<T>(sorted: readonly T[], isBefore: (one: T) => boolean, reaches: (one: T) => boolean): T[] {
  const first = partitionPoint(sorted.length, (index) => isBefore(sorted[index] as T));
  const found: T[] = [];
  for (let at = first; at < sorted.length && reaches(sorted[at] as T); at += 1) found.push(sorted[at] as T);
  return found;
}

/** Whether any of the old text from `from` to `to` was replaced. */
export function isReplaced({ touchingOld }: Comparison, from: number, to: number): boolean {
  return touchingOld(from, to).some((splice) => splice.from < to && splice.to > from);
}

/** Whether the new text from `from` to `to` was inserted, all of it by one splice. */
export function isInserted({ touchingNew }: Comparison, from: number, to: number): boolean {
  return touchingNew(from, to).some((splice) => splice.newFrom <= from && to <= splice.newTo && splice.text !== '');
}
