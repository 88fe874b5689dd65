// Edits a note's text: all targets are located in the original text, and all edits apply or none.

import type { Heading } from '../../base/note.ts';
import { foldHeading, resolvePart } from '../links/section.ts';
import { headingAt } from '../parse/line-marks.ts';
import { compareEdit, type RequestedSplice, unintendedChange } from './check.ts';
import {
  type EditedNote,
  editedNote,
  isBlankLine,
  isInDrawing,
  withLineEnd,
  withLineEndsOf,
  withoutBlankEdges,
} from './edited-note.ts';
import { locateText } from './exact-text.ts';
import {
  atEnd,
  atStart,
  belowHeading,
  besideTarget,
  blockLayout,
  endOfOwnText,
  insertAt,
  leavesBlankBelowHeadings,
  lineAfterText,
  nextTextLine,
  type Place,
  readableBlock,
  readablePlace,
  refuseUnclosedText,
} from './insertion-point.ts';
import { removeLines, replaceBlock } from './replace-block.ts';
import { overlapIn, type Splice, sortSplices } from './splice.ts';
import { type EditTarget, editRefusal, locateTarget } from './target.ts';
import { setTask, type TaskDates, type TaskEdit } from './task.ts';

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
 * `parsed`: both texts, so that no caller parses a long note again.
 * `spans`: what was replaced by what, with offsets in the original text, ascending; everything else is unchanged.
 * @param text as decoded, without a byte order mark
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS, INVALID_INPUT for edits that overlap, or that would change
 * how other text is parsed (a heading added, lost or swallowed, an id or a link lost)
 */
export function editNote(path: string, text: string, edits: readonly NoteEdit[], taskDates?: TaskDates) {
  const edited = editedNote(path, text);
  const created = new Set<string>();
  const planned = edits.map((edit, index) => planEdit(edited, edit, index, taskDates, created));
  const { sorted, comparison } = checkedEdit(edited, planned);
  return {
    text: comparison.after.text,
    parsed: { before: edited.note, after: comparison.after.note },
    spans: sorted.map(({ from, to, text: inserted }) => ({ from, to, text: inserted })),
  };
}

/**
 * Takes the edits as planned or, if anything would then be read otherwise, with texts where each can be read.
 * @throws INVALID_INPUT
 */
function checkedEdit(edited: EditedNote, planned: readonly PlannedEdit[]) {
  const edit = comparedEdit(edited, planned);
  if (edit.unintended === undefined) return edit;
  const readable = comparedEdit(
    edited,
    planned.map((each) => readableEdit(edited, each)),
  );
  if (readable.unintended === undefined) return readable;
  throw editRefusal('edit_note', 'edits', edit.unintended);
}

function comparedEdit(edited: EditedNote, planned: readonly PlannedEdit[]) {
  const sorted = sortSplices([...planned.flatMap(({ splices = [] }) => splices), ...insertions(edited, planned)]);
  refuseOverlap(sorted);
  const comparison = compareEdit(edited, sorted);
  return { sorted, comparison, unintended: unintendedChange(comparison) };
}

function readableEdit(edited: EditedNote, edit: PlannedEdit): PlannedEdit {
  if (edit.place !== undefined) return { ...edit, place: readablePlace(edited, edit.place, edit.text) };
  const splices = edit.splices.map((splice: EditSplice) =>
    splice.keepsId === undefined || splice.literal
      ? splice
      : readableBlock(edited, splice, splice.alone ?? splice.text),
  );
  return { ...edit, splices };
}

interface EditSplice extends RequestedSplice {
  /** The index of the edit. */
  readonly edit: number;
}

/** A planned edit: its replacements, or the place where its text is inserted. */
type PlannedEdit = ReturnType<typeof planEdit>;

/** @param created the headings that the edits so far have created, folded */
function planEdit(
  edited: EditedNote,
  edit: NoteEdit,
  index: number,
  taskDates: TaskDates | undefined,
  created: Set<string>,
) {
  const at = `edits.${index}`;
  const { op, text = '' } = edit;
  refuseForeignFields(edit, at);
  if (op === 'set_task') {
    const splices = setTask(edited, edit, at, taskDates).map((splice) => ({ ...splice, literal: true, edit: index }));
    return { edit: index, text, splices };
  }
  if (op === 'delete_section') {
    const splice = deleteSection(edited, targetOf(edited, edit, at) ?? missing(at, op), `${at}.target`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (edit.text === undefined) throw editRefusal('edit_note', `${at}.text`, `is required for ${op}`);
  if (!text.isWellFormed()) throw editRefusal('edit_note', `${at}.text`, 'it contains a lone surrogate');
  if (op === 'replace_text') return { edit: index, text, splices: replaceText(edited, { ...edit, text }, index) };
  refuseUnclosedText(text, `${at}.text`);
  const isEmpty = text.trim() === '';
  if (edit.create_heading === true && !isEmpty && isMissingHeading(edited, edit)) {
    const place = placeOfNewHeading(edited, edit.target ?? '', at);
    const isNew = !created.has(place.key);
    created.add(place.key);
    return { edit: index, text: isNew ? place.heading + text : text, place };
  }
  const target = targetOf(edited, edit, at);
  if (op === 'replace_section') {
    const splice = replaceSection(edited, target ?? missing(at, op), text, `${at}.text`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (isEmpty) throw editRefusal('edit_note', `${at}.text`, 'there is nothing to insert');
  return { edit: index, text, place: placeOf(edited, edit, target, at) };
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

function targetOf(edited: EditedNote, { op, target, line }: NoteEdit, at: string): EditTarget | undefined {
  if (target === undefined) return undefined;
  const found = locateTarget(edited, { target, line, at });
  const isText = found.kind === 'block' && (op === 'replace_section' || op === 'delete_section');
  if (isText || !isInDrawing(edited, found.first)) return found;
  const rule =
    'it is in the data of a drawing, which each save of Excalidraw replaces; append without a target adds text above it';
  throw editRefusal('edit_note', `${at}.target`, rule);
}

function missing(at: string, op: string): never {
  throw editRefusal('edit_note', `${at}.target`, `${op} needs a target: \`#Heading\`, \`#Above#Below\` or \`#^block\``);
}

function placeOf(edited: EditedNote, { op }: NoteEdit, target: EditTarget | undefined, at: string): Place {
  if (op === 'insert_before') return besideTarget(edited, target ?? missing(at, op), 'before', `${at}.target`);
  if (op === 'insert_after') return besideTarget(edited, target ?? missing(at, op), 'after', `${at}.target`);
  if (target === undefined) return op === 'append' ? atEnd(edited, at) : atStart(edited);
  if (target.kind === 'block')
    throw editRefusal('edit_note', `${at}.target`, `${op} takes a heading or nothing; use insert_after for a block`);
  return op === 'append' ? endOfOwnText(edited, target, at) : belowHeading(edited, target);
}

function replaceText(
  edited: EditedNote,
  { target, text, count = 1, line }: NoteEdit & { readonly text: string },
  edit: number,
): EditSplice[] {
  const at = `edits.${edit}`;
  if (target === undefined || target === '')
    throw editRefusal('edit_note', `${at}.target`, 'replace_text needs the text to be replaced');
  return locateText(edited, { target, line, at }, count).map(({ from, to }) => {
    const inserted = withLineEndsOf(text, edited.text.slice(from, to), edited.lineEnd);
    return { from, to, text: inserted, literal: true, edit };
  });
}

/** One splice for all texts inserted at the same place, in the order given. */
function insertions(edited: EditedNote, planned: readonly PlannedEdit[]): EditSplice[] {
  const placed = planned.flatMap(({ place, text, edit }) => (place === undefined ? [] : [{ place, text, edit }]));
  const byPlace = Map.groupBy(placed, ({ place }) => `${place.index} ${place.prefix} ${place.isApart ?? false}`);
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    const texts = same.map(({ text }) => text);
    return first === undefined
      ? []
      : [{ ...insertAt(edited, first.place, texts), alone: texts.join('\n\n'), literal: false, edit: first.edit }];
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

/** The place and the line or lines of the heading; `key` is the same for the same heading. */
interface NewHeading extends Place {
  readonly heading: string;
  readonly key: string;
}

const MAX_LEVEL = 6;
const USUAL_LEVEL = 2;

/** Whether the target is a heading that the note does not have; a missing block is not created. */
function isMissingHeading(
  edited: EditedNote,
  { op, target = '' }: { readonly op: string; readonly target?: string | undefined },
): boolean {
  const names = namesOf(target);
  if (op !== 'append' || names.length === 0 || target.replace(/^#/, '').startsWith('^')) return false;
  return resolvePart(target, edited.note, edited.lines.starts.length) === null;
}

/**
 * At the end of the note, as a heading of the level that most of its sections have, or of that of `## Log`; for `#A#B` at the end of the
 * section A, one level below it.
 * @throws INVALID_INPUT, EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS if there is no section A
 */
function placeOfNewHeading(edited: EditedNote, target: string, at: string): NewHeading {
  const names = namesOf(target);
  const name = names.at(-1) ?? '';
  if (/[\r\n]/.test(name)) throw editRefusal('edit_note', `${at}.target`, 'a heading is one line');
  const parents = names.slice(0, -1).map((each) => `#${each}`);
  const marks = /^#{2,6}(?=\s)/.exec(target.trim())?.[0];
  const blank = leavesBlankBelowHeadings(edited) ? '\n\n' : '\n';
  const shown = (level: number): string => `${'#'.repeat(level)} ${name}${blank}`;
  const key = names.map(foldHeading).join('#');
  if (parents.length === 0)
    return { ...atEnd(edited, at), heading: shown(marks?.length ?? sectionLevel(edited.note.headings)), key };
  const parent = locateTarget(edited, { target: parents.join(''), at });
  if (parent.kind !== 'heading') throw editRefusal('edit_note', `${at}.target`, 'a block has no headings');
  const isLast = parent.sectionEnd + 1 >= edited.lines.starts.length;
  const index = lineAfterText(edited, parent.sectionEnd + 1, parent.last + 1);
  const place = isLast ? atEnd(edited, at) : { index, prefix: '' };
  return { ...place, heading: shown(Math.min(parent.heading.level + 1, MAX_LEVEL)), key };
}

/** A `#` after a blank is a character of the heading, as in `Issue #42`. */
function namesOf(target: string): string[] {
  return target
    .trim()
    .replace(/^#+/, '')
    .split(/(?<=\S)#/)
    .flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

/** The level that most headings have, without that of a title at the top. */
function sectionLevel(headings: readonly Heading[]): number {
  const levels = headings.filter(({ level }) => level > 1 || headings.filter((each) => each.level === 1).length > 1);
  const counts = Map.groupBy(levels, ({ level }) => level);
  const [most] = [...counts].sort(([one, a], [other, b]) => b.length - a.length || one - other);
  return most?.[0] ?? USUAL_LEVEL;
}

type HeadingTarget = Extract<EditTarget, { kind: 'heading' }>;

/** @throws INVALID_INPUT */
function replaceSection(edited: EditedNote, target: EditTarget, text: string, at: string): RequestedSplice {
  const body = withoutBlankEdges(text);
  if (target.kind === 'block') return replaceBlock(edited, target, body, at);
  if (repeatsHeading(body, target))
    throw editRefusal('edit_note', at, 'it begins with the heading itself, which stays: leave that line out');
  return { ...replaceBelow(edited, target, body), literal: false };
}

/**
 * Replaces everything below the heading, including subsections, up to the next heading of the same or a higher
 * level. The surrounding blank lines stay. An empty text leaves the section empty.
 */
function replaceBelow(edited: EditedNote, target: HeadingTarget, body: string): Splice {
  const { starts, ends } = edited.lines;
  const first = nextTextLine(edited, target.last + 1);
  const end = lineAfterText(edited, target.sectionEnd + 1, target.last + 1);
  if (first >= end) {
    if (body !== '') return insertAt(edited, belowHeading(edited, target), [body]);
    return { from: edited.text.length, to: edited.text.length, text: '' };
  }
  if (body === '') return removeLines(edited, isBlankLine(edited, end) ? target.last + 1 : first, end);
  return { from: starts[first] ?? 0, to: ends[end - 1] ?? 0, text: withLineEnd(body, edited.lineEnd) };
}

/**
 * Removes the heading and everything below it, up to the next heading of the same or a higher level, or the block with its id. The blank
 * lines above it stay, unless it is the end of the note.
 * @throws INVALID_INPUT
 */
function deleteSection(edited: EditedNote, target: EditTarget, at: string): RequestedSplice {
  const layout = target.kind === 'block' ? blockLayout(edited, target.block) : undefined;
  if (layout?.inMark) throw editRefusal('edit_note', at, 'the block is on one line with the mark of another list item');
  const last = layout?.last ?? (target as HeadingTarget).sectionEnd;
  const end =
    target.kind === 'heading' || isBlankLine(edited, target.first - 1) ? nextTextLine(edited, last + 1) : last + 1;
  const isLast = nextTextLine(edited, end) === edited.lines.starts.length;
  const first = isLast ? lineAfterText(edited, target.first, edited.bodyLine) : target.first;
  return { ...removeLines(edited, first, isLast ? edited.lines.starts.length : end), literal: false };
}

function repeatsHeading(body: string, { heading }: HeadingTarget): boolean {
  const [line = ''] = body.split(/[\r\n]/, 1);
  const mark = line.startsWith('#') ? headingAt(line, 0, line.length) : undefined;
  return mark?.level === heading.level && line.slice(mark.from, mark.to) === heading.text;
}
