// Edits a note's text: all targets are located in the original text, and all edits apply or none.
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
import { isMissingHeading, placeOfNewHeading } from './new-heading.ts';
import { deleteSection, replaceSection } from './section.ts';
import { applySplices, overlapIn, sortSplices } from './splice.ts';
import { type EditTarget, editRefusal, locateTarget } from './target.ts';
import { setTask, type TaskDates, type TaskEdit } from './task.ts';
import { type EditView, viewForEdits, withLineEndsOf } from './view.ts';

/**
 * `append` at the end of the note or, with a heading as target, of that heading's own text · `prepend` after the
 * front matter or, with a heading, directly below it · `insert_after`, `insert_before` a heading's line or a block ·
 * `replace_section` everything below a heading, including subsections, or a block · `replace_text` the exact text
 * `target` · `delete_section` removes a heading with everything below it, or a block · `set_task` sets the status,
 * dates and priority of a task.
 */
export interface NoteEdit extends TaskEdit {
  readonly op:
    | 'append'
    | 'prepend'
    | 'insert_after'
    | 'insert_before'
    | 'replace_section'
    | 'delete_section'
    | 'replace_text'
    | 'set_task';
  /** `#Heading`, `#A#B`, `#^block`; for `replace_text` the text to replace, with any kind of line ends. */
  readonly target?: string | undefined;
  /**
   * Leading and trailing blank lines are dropped, except for `replace_text`; separating blank lines are added as
   * needed. Only `set_task` and `delete_section` have none.
   */
  readonly text?: string | undefined;
  /** `append` adds its heading if the note does not have it. */
  readonly create_heading?: boolean | undefined;
  /** The number of occurrences of the text; all are replaced. 1 by default. */
  readonly count?: number | undefined;
  /** The 1-based line on which the target starts, if several match. */
  readonly line?: number | undefined;
}

/**
 * @param taskDates the days that `set_task` adds to tasks; none if it is absent
 * `spans`: what was replaced by what, with offsets in the original text, ascending; everything else is unchanged.
 * @param text as decoded, without a byte order mark
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS, INVALID_INPUT for edits that overlap, or that would change
 * how other text is parsed (a heading added, lost or swallowed, an id or a link lost)
 */
export function editNote(path: string, text: string, edits: readonly NoteEdit[], taskDates?: TaskDates) {
  const view = viewForEdits(path, text);
  const created = new Set<string>();
  const planned = edits.map((edit, index) => planEdit(view, edit, index, taskDates, created));
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
  /** The index of the edit. */
  readonly edit: number;
}

/** A planned edit: its replacements, or the place where its text is inserted. */
type PlannedEdit = ReturnType<typeof planEdit>;

/** @param created the headings that the edits so far have created, folded */
function planEdit(
  view: EditView,
  edit: NoteEdit,
  index: number,
  taskDates: TaskDates | undefined,
  created: Set<string>,
) {
  const at = `edits.${index}`;
  const { op, text = '' } = edit;
  refuseForeignFields(edit, at);
  if (op === 'set_task') {
    const splices = setTask(view, edit, at, taskDates).map((splice) => ({ ...splice, literal: true, edit: index }));
    return { edit: index, text, splices };
  }
  if (op === 'delete_section') {
    const splice = deleteSection(view, targetOf(view, edit, at) ?? missing(at, op), `${at}.target`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (edit.text === undefined) throw editRefusal('edit_note', `${at}.text`, `is required for ${op}`);
  if (!text.isWellFormed()) throw editRefusal('edit_note', `${at}.text`, 'it contains a lone surrogate');
  if (op === 'replace_text') return { edit: index, text, splices: replaceText(view, { ...edit, text }, index) };
  refuseUnclosedText(text, `${at}.text`);
  const isEmpty = text.trim() === '';
  if (edit.create_heading === true && !isEmpty && isMissingHeading(view, edit)) {
    const place = placeOfNewHeading(view, edit.target ?? '', at);
    const isNew = !created.has(place.key);
    created.add(place.key);
    return { edit: index, text: isNew ? place.heading + text : text, place };
  }
  const target = targetOf(view, edit, at);
  if (op === 'replace_section') {
    const splice = replaceSection(view, target ?? missing(at, op), text, `${at}.text`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (isEmpty) throw editRefusal('edit_note', `${at}.text`, 'there is nothing to insert');
  return { edit: index, text, place: placeOf(view, edit, target, at) };
}

const ONLY_WITH: Readonly<Partial<Record<keyof NoteEdit, NoteEdit['op']>>> = {
  create_heading: 'append',
  status: 'set_task',
  due: 'set_task',
  scheduled: 'set_task',
  start: 'set_task',
  priority: 'set_task',
  recurring: 'set_task',
};

/** A field that has no effect would be a wish that is silently ignored. */
function refuseForeignFields(edit: NoteEdit, at: string): void {
  for (const [name, op] of Object.entries(ONLY_WITH) as [keyof NoteEdit, NoteEdit['op']][])
    if (edit[name] !== undefined && edit.op !== op)
      throw editRefusal('edit_note', `${at}.${name}`, `applies to ${op} only, not to ${edit.op}`);
  if (edit.text !== undefined && (edit.op === 'set_task' || edit.op === 'delete_section'))
    throw editRefusal('edit_note', `${at}.text`, `${edit.op} takes no text`);
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

function replaceText(
  view: EditView,
  { target, text, count = 1, line }: NoteEdit & { readonly text: string },
  edit: number,
): EditSplice[] {
  const at = `edits.${edit}`;
  if (target === undefined || target === '')
    throw editRefusal('edit_note', `${at}.target`, 'replace_text needs the text to be replaced');
  return locateText(view, { target, line, at }, count).map(({ from, to }) => {
    const inserted = withLineEndsOf(text, view.text.slice(from, to), view.lineEnd);
    return { from, to, text: inserted, literal: true, edit };
  });
}

/** One splice for all texts inserted at the same place, in the order given. */
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
