// Finds where a heading is added that an `append` names and the note does not have.
import type { Heading } from '../../base/note.ts';
import { foldHeading, resolvePart } from '../links/section.ts';
import { atEnd, leavesBlankBelowHeadings, lineAfterText, type Place } from './insertion-point.ts';
import { editRefusal, locateTarget } from './target.ts';
import type { EditView } from './view.ts';

/** The place and the line or lines of the heading; `key` is the same for the same heading. */
export interface NewHeading extends Place {
  readonly heading: string;
  readonly key: string;
}

const MAX_LEVEL = 6;
const USUAL_LEVEL = 2;

/** Whether the target is a heading that the note does not have; a missing block is not created. */
export function isMissingHeading(
  view: EditView,
  { op, target = '' }: { readonly op: string; readonly target?: string | undefined },
): boolean {
  const names = namesOf(target);
  if (op !== 'append' || names.length === 0 || target.replace(/^#/, '').startsWith('^')) return false;
  return resolvePart(target, view.note, view.lines.starts.length) === null;
}

/**
 * At the end of the note, as a heading of the level that most of its sections have, or of that of `## Log`; for `#A#B` at the end of the
 * section A, one level below it.
 * @throws INVALID_INPUT, EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS if there is no section A
 */
export function placeOfNewHeading(view: EditView, target: string, at: string): NewHeading {
  const names = namesOf(target);
  const name = names.at(-1) ?? '';
  if (/[\r\n]/.test(name)) throw editRefusal('edit_note', `${at}.target`, 'a heading is one line');
  const parents = names.slice(0, -1).map((each) => `#${each}`);
  const marks = /^#{2,6}(?=\s)/.exec(target.trim())?.[0];
  const blank = leavesBlankBelowHeadings(view) ? '\n\n' : '\n';
  const shown = (level: number): string => `${'#'.repeat(level)} ${name}${blank}`;
  const key = names.map(foldHeading).join('#');
  if (parents.length === 0)
    return { ...atEnd(view, at), heading: shown(marks?.length ?? sectionLevel(view.note.headings)), key };
  const parent = locateTarget(view, { target: parents.join(''), at });
  if (parent.kind !== 'heading') throw editRefusal('edit_note', `${at}.target`, 'a block has no headings');
  const isLast = parent.sectionEnd + 1 >= view.lines.starts.length;
  const index = lineAfterText(view, parent.sectionEnd + 1, parent.last + 1);
  const place = isLast ? atEnd(view, at) : { index, prefix: '' };
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
