// Between which lines of a note an insertion lands: at its ends, below a heading, beside a block. Inserts nothing.

import { parseNote } from '../parse/parse-note.ts';
import { blockStanding } from './block.ts';
import type { Place } from './place.ts';
import { editRefusal } from './refusal.ts';
import type { EditTarget } from './target.ts';
import { type EditView, isBlankLine } from './view.ts';

type HeadingTarget = Extract<EditTarget, { kind: 'heading' }>;

/** The first line with text at or behind `index`, or the number of lines. */
export function nextText(view: EditView, index: number): number {
  let next = index;
  while (next < view.lines.starts.length && isBlankLine(view, next)) next += 1;
  return next;
}

/** The line behind the last one with text before `index`; not before `least`. */
export function behindText(view: EditView, index: number, least: number): number {
  let behind = index;
  while (behind > least && isBlankLine(view, behind - 1)) behind -= 1;
  return behind;
}

export function atStart(view: EditView): Place {
  return { index: nextText(view, view.bodyLine), prefix: '' };
}

/** @throws INVALID_INPUT when the note ends inside something that is not read as text */
export function atEnd(view: EditView, at: string): Place {
  refuseUnclosedEnd(view, at);
  return { index: view.lines.starts.length, prefix: '' };
}

export function belowHeading(view: EditView, { last }: HeadingTarget): Place {
  return { index: nextText(view, last + 1), prefix: '' };
}

/** Behind the heading's own text, before its first subsection or the next section. */
export function endOfOwnText(view: EditView, { heading, last }: HeadingTarget, at: string): Place {
  const next = view.note.headings.find(({ line }) => line > heading.line);
  if (next === undefined) refuseUnclosedEnd(view, at);
  const end = next === undefined ? view.lines.starts.length : next.line - 1;
  return { index: behindText(view, end, last + 1), prefix: '' };
}

/** @throws INVALID_INPUT when no line can be put there */
export function beside(view: EditView, target: EditTarget, side: 'before' | 'after', at: string): Place {
  if (target.kind === 'heading')
    return side === 'before' ? { index: target.first, prefix: '' } : belowHeading(view, target);
  const { prefix, inMark, last } = blockStanding(view, target.block);
  if (inMark) throw editRefusal('edit_note', at, 'the block stands on one line with the mark of another list item');
  return { index: side === 'before' ? target.first : last + 1, prefix };
}

const PROBE = '\n\n# end';

/** Whether what is put behind the text is read as text: a heading there would be one. */
function isClosed(text: string): boolean {
  const last = parseNote(text + PROBE).headings.at(-1);
  return last?.offset === text.length + PROBE.lastIndexOf('#');
}

function refuseUnclosedEnd({ text }: EditView, at: string): void {
  if (isClosed(text)) return;
  const rule =
    'the note ends inside code, math, HTML or a comment that is not closed; close it first with replace_text';
  throw editRefusal('edit_note', at, rule);
}

/** A text to be put in must not swallow what comes behind it. */
export function refuseUnclosedText(text: string, at: string): void {
  if (isClosed(`\n${text}`)) return;
  throw editRefusal('edit_note', at, 'it opens code, math, HTML or a comment and does not close it');
}
