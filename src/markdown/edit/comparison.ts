// A note before and behind an edit, side by side: what was taken away, what was put in, where the rest stands. Judges nothing.
import { partitionPoint } from '../../base/binary-search.ts';
import { applySplices, type MovedOffset, offsetMapper, type Splice } from './splice.ts';
import { type EditView, viewForEdits } from './view.ts';

/** A splice and how far it may change what the lines round it read as. */
export interface RequestedSplice extends Splice {
  /** Text replaced letter by letter may change the lines it stands on; all else adds lines, or takes whole ones away. */
  readonly literal: boolean;
  /** The id of the block that it replaces, which must name what comes in its place. */
  readonly keepsId?: string;
}

/** A splice with the place of its text in the new text. */
export interface PlacedSplice extends RequestedSplice {
  readonly newFrom: number;
  readonly newTo: number;
}

export interface Comparison {
  readonly before: EditView;
  readonly after: EditView;
  readonly splices: readonly PlacedSplice[];
  readonly moved: MovedOffset;
  /** The splices that meet or touch the stretch of the old text. */
  readonly touchingOld: (from: number, to: number) => readonly PlacedSplice[];
  /** The splices whose text meets or touches the stretch of the new text. */
  readonly touchingNew: (from: number, to: number) => readonly PlacedSplice[];
}

/** @param sorted none over another */
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

/** Those behind the ones that lie before the stretch, as long as they reach into it. */
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

/** Whether the new text from `from` to `to` was put in, all of it by one splice. */
export function isInserted({ touchingNew }: Comparison, from: number, to: number): boolean {
  return touchingNew(from, to).some((splice) => splice.newFrom <= from && to <= splice.newTo && splice.text !== '');
}
