// Puts texts between two lines of a note, parted from their neighbours as the note does it. Knows nothing of targets.

import { withLineEnd, withoutBlankEdges } from './line-ends.ts';
import { goesOnWithList, isFurtherRow, isTableRow } from './list-continuation.ts';
import type { Splice } from './splice.ts';
import { type EditView, headingLines, isBlankLine, isUnended, lineAt } from './view.ts';

/** Before the line `index`, from 0, or behind the last one. Each new line begins with `prefix`. */
export interface Place {
  readonly index: number;
  readonly prefix: string;
}

/** The nearest line that is not blank, and how many blank ones lie between it and the place. */
interface Neighbour {
  readonly index: number;
  readonly gap: number;
}

interface Neighbours {
  readonly above: Neighbour | undefined;
  readonly below: Neighbour | undefined;
}

/**
 * Inserts the texts one below the other, each as blocks of its own: a blank line parts them from what stands above and below,
 * but for items that go on with a list, rows that go on with a table, and headings that stand close in this note. The text gets
 * a final line end when the note has one, or has nothing.
 */
export function insertAt(view: EditView, place: Place, texts: readonly string[]): Splice {
  const parts = texts.map((text) => indented(withoutBlankEdges(text), place.prefix));
  const blank = `${place.prefix.trimEnd()}\n`;
  const inner = parts.reduce((above, below) => `${above}\n${isOneList(above, below) ? '' : blank}${below}`);
  const neighbours = { above: neighbourAbove(view, place.index), below: neighbourBelow(view, place.index) };
  const head = partsFromAbove(view, place, neighbours, inner) ? blank : '';
  const tail = partsFromBelow(view, neighbours, inner) ? blank : '';
  const at = view.lines.starts[place.index] ?? view.text.length;
  const unended = at === view.text.length && isUnended(view);
  const text = unended ? `\n${head}${inner}` : `${head}${inner}\n${tail}`;
  return { from: at, to: at, text: withLineEnd(text, view.lineEnd) };
}

/** Each line behind the prefix, a blank one behind no blanks of it. */
export function indented(text: string, prefix: string): string {
  if (prefix === '') return text;
  const lines = text.split(/\r\n?|\n/);
  return lines.map((line) => (line === '' ? prefix.trimEnd() : prefix + line)).join('\n');
}

function neighbourAbove(view: EditView, index: number): Neighbour | undefined {
  let above = index - 1;
  while (above >= view.bodyLine && isBlankLine(view, above)) above -= 1;
  return above < view.bodyLine ? undefined : { index: above, gap: index - 1 - above };
}

function neighbourBelow(view: EditView, index: number): Neighbour | undefined {
  let below = index;
  while (below < view.lines.starts.length && isBlankLine(view, below)) below += 1;
  return below === view.lines.starts.length ? undefined : { index: below, gap: below - index };
}

function partsFromAbove(view: EditView, { index }: Place, { above, below }: Neighbours, text: string): boolean {
  // A line of dashes at the very start would open front matter.
  if (above === undefined) return index === 0 && text.startsWith('---');
  if (above.gap > 0) return false;
  if (isHeading(view, above.index)) return below === undefined ? leavesBlankBelowHeadings(view) : false;
  if (isFurtherRow(text) && isTableRow(above.index, (row) => lineAt(view, row))) return false;
  return !isOneList(itemAbove(view, above.index), text);
}

function partsFromBelow(view: EditView, { above, below }: Neighbours, text: string): boolean {
  if (below === undefined || below.gap > 0) return false;
  const heading = view.note.headings.find(({ line }) => line === below.index + 1);
  if (heading === undefined) return !isOneList(text, lineAt(view, below.index));
  const { first, last } = headingLines(view, heading);
  return first !== last || above === undefined || above.gap > 0;
}

function isOneList(above: string, below: string): boolean {
  const [first = ''] = below.split(/[\r\n]/, 1);
  return goesOnWithList(above.slice(Math.max(above.lastIndexOf('\n'), above.lastIndexOf('\r')) + 1), first);
}

/** The line, or the one above it that it is indented below. */
function itemAbove(view: EditView, index: number): string {
  let above = index;
  while (above > view.bodyLine && /^[ \t]+(?![ \t\-+*\d])/.test(lineAt(view, above)) && !isBlankLine(view, above))
    above -= 1;
  return lineAt(view, above);
}

function isHeading(view: EditView, index: number): boolean {
  return view.note.headings.some((heading) => headingLines(view, heading).last === index);
}

/** Whether most headings of the note have a blank line below them; yes where none has anything. */
function leavesBlankBelowHeadings(view: EditView): boolean {
  let close = 0;
  let apart = 0;
  for (const heading of view.note.headings) {
    const below = headingLines(view, heading).last + 1;
    if (below >= view.lines.starts.length) continue;
    if (isBlankLine(view, below)) apart += 1;
    else close += 1;
  }
  return apart >= close;
}
