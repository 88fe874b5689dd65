// Edits a note's text: every target is found in the text as it was, and all edits are made or none. Reads and writes no file.
import { unintendedChange } from './check.ts';
import type { RequestedSplice } from './comparison.ts';
import { locateText } from './exact-text.ts';
import {
  atEnd,
  atStart,
  belowHeading,
  besideTarget,
  endOfOwnText,
  insertAt,
  type Place,
  refuseUnclosedText,
} from './insertion-point.ts';
import { replaceSection } from './section.ts';
import { applySplices, overlapIn, type Splice, sortSplices } from './splice.ts';
import { type EditTarget, editRefusal, locateTarget } from './target.ts';
import { type EditView, viewForEdits, withLineEndsOf } from './view.ts';

/**
 * `append` behind all of the note or, with a heading as its target, behind that heading's own text · `prepend` behind the front
 * matter or, with a heading, right below it · `insert_after`, `insert_before` a heading's line or a block · `replace_section`
 * all below a heading, its subsections too, or a block · `replace_text` the exact text `target`.
 */
export interface NoteEdit {
  readonly op: 'append' | 'prepend' | 'insert_after' | 'insert_before' | 'replace_section' | 'replace_text';
  /** `#Heading`, `#A#B`, `#^block`; for `replace_text` the text to be replaced, its line ends of any kind. */
  readonly target?: string | undefined;
  /** Blank lines at its ends are dropped but for `replace_text`: what parts it from its neighbours is decided here. */
  readonly text: string;
  /** How often the text to be replaced occurs; all of it is replaced. 1 when left out. */
  readonly count?: number | undefined;
  /** From 1: the one that begins on this line, where several have the name or the text. */
  readonly line?: number | undefined;
}

export interface EditedNote {
  readonly text: string;
  /** What was replaced by what, by its place in the text as it was, in ascending order: all else is as it was. */
  readonly spans: readonly Splice[];
}

/**
 * @param text as decoded, without a byte order mark
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS, INVALID_INPUT for edits that make no sense here: one over another, or one
 * by which text that was not edited would read otherwise (a heading come, gone or swallowed, an id or a link lost)
 */
export function editNote(path: string, text: string, edits: readonly NoteEdit[]): EditedNote {
  const view = viewForEdits(path, text);
  const planned = edits.map((edit, index) => planEdit(view, edit, index));
  const sorted = sortSplices([...planned.flatMap(({ splices = [] }) => splices), ...insertions(view, planned)]);
  refuseOverlap(sorted);
  const unintended = unintendedChange(view, sorted);
  if (unintended !== undefined) throw editRefusal('edit_note', 'edits', unintended);
  return {
    text: applySplices(text, sorted),
    spans: sorted.map(({ from, to, text: inserted }) => ({ from, to, text: inserted })),
  };
}

interface EditSplice extends RequestedSplice {
  /** Which edit it is of. */
  readonly edit: number;
}

/** What an edit comes to: text replaced at once, or a place for its text. */
interface PlannedEdit {
  readonly edit: number;
  readonly text: string;
  readonly splices?: readonly EditSplice[];
  readonly place?: Place;
}

function planEdit(view: EditView, edit: NoteEdit, index: number): PlannedEdit {
  const at = `edits.${index}`;
  const { op, text } = edit;
  if (!text.isWellFormed())
    throw editRefusal('edit_note', `${at}.text`, 'it holds half a character (a lone surrogate)');
  if (op === 'replace_text') return { edit: index, text, splices: replaceText(view, edit, index) };
  refuseUnclosedText(text, `${at}.text`);
  const target = targetOf(view, edit, at);
  if (op === 'replace_section') {
    const splice = replaceSection(view, target ?? missing(at, op), text, `${at}.text`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (text.trim() === '') throw editRefusal('edit_note', `${at}.text`, 'there is nothing to insert');
  return { edit: index, text, place: placeOf(view, edit, target, at) };
}

function targetOf(view: EditView, { target, line }: NoteEdit, at: string): EditTarget | undefined {
  return target === undefined ? undefined : locateTarget(view, { target, line, at });
}

function missing(at: string, op: string): never {
  throw editRefusal('edit_note', `${at}.target`, `${op} needs a target: \`#Heading\`, \`#Above#Below\` or \`#^block\``);
}

function placeOf(view: EditView, { op }: NoteEdit, target: EditTarget | undefined, at: string): Place {
  if (op === 'insert_before') return besideTarget(view, target ?? missing(at, op), 'before', `${at}.target`);
  if (op === 'insert_after') return besideTarget(view, target ?? missing(at, op), 'after', `${at}.target`);
  if (target === undefined) return op === 'append' ? atEnd(view, at) : atStart(view);
  if (target.kind === 'block')
    throw editRefusal('edit_note', `${at}.target`, `${op} takes a heading or nothing; use insert_after for a block`);
  return op === 'append' ? endOfOwnText(view, target, at) : belowHeading(view, target);
}

function replaceText(view: EditView, { target, text, count = 1, line }: NoteEdit, edit: number): EditSplice[] {
  const at = `edits.${edit}`;
  if (target === undefined || target === '')
    throw editRefusal('edit_note', `${at}.target`, 'replace_text needs the text to be replaced');
  return locateText(view, { target, line, at }, count).map(({ from, to }) => {
    const inserted = withLineEndsOf(text, view.text.slice(from, to), view.lineEnd);
    return { from, to, text: inserted, literal: true, edit };
  });
}

/** One splice for all that is put at one place, in the order given. */
function insertions(view: EditView, planned: readonly PlannedEdit[]): EditSplice[] {
  const placed = planned.flatMap(({ place, text, edit }) => (place === undefined ? [] : [{ place, text, edit }]));
  const byPlace = Map.groupBy(placed, ({ place }) => `${place.index} ${place.prefix}`);
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    const texts = same.map(({ text }) => text);
    return first === undefined ? [] : [{ ...insertAt(view, first.place, texts), literal: false, edit: first.edit }];
  });
}

function refuseOverlap(sorted: readonly EditSplice[]): void {
  const [one, other] = overlapIn(sorted) ?? [];
  if (one === undefined || other === undefined) return;
  const [first, second] = [Math.min(one.edit, other.edit), Math.max(one.edit, other.edit)];
  throw editRefusal(
    'edit_note',
    `edits.${second}`,
    `it changes text that edits.${first} replaces; make one edit of both`,
  );
}
