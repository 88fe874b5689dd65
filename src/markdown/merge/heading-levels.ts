// Moves the headings of a text down, so that they belong to a section of a given level.

import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { headingLines, viewForEdits } from '../edit/view.ts';
import { parseNote } from '../parse/parse-note.ts';

const MAX_LEVEL = 6;

/** Levels below the lowest become the lowest. The text itself if its headings are below `level` already, or cannot be moved. */
export function headingsBelow(level: number, path: string, text: string): string {
  const view = viewForEdits(path, text);
  const { headings } = view.note;
  const shift = level + 1 - Math.min(...headings.map((heading) => heading.level));
  if (headings.length === 0 || shift <= 0) return text;
  const levelOf = (old: number): number => Math.min(old + shift, MAX_LEVEL);
  const splices = headings.flatMap((heading): Splice[] => {
    const { first, last } = headingLines(view, heading);
    const isUnderlined = first !== last;
    const signs = '#'.repeat(levelOf(heading.level) - (isUnderlined ? 0 : heading.level));
    const mark = { from: heading.offset, to: heading.offset, text: isUnderlined ? `${signs} ` : signs };
    const [end = 0, underlineEnd = 0] = [view.lines.ends[first], view.lines.ends[last]];
    return isUnderlined ? [mark, { from: end, to: underlineEnd, text: '' }] : [mark];
  });
  const moved = applySplices(text, sortSplices(splices));
  const found = parseNote(moved).headings;
  const isMeant =
    found.length === headings.length &&
    found.every((heading, at) => heading.text === headings[at]?.text && heading.level === levelOf(headings[at].level));
  return isMeant ? moved : text;
}
