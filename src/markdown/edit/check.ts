// Says what a note would read as otherwise than before beside what an edit asked for: headings, blocks, links. Makes no edit.
import type { Block, Link } from '../../base/note.ts';
import { headingChange } from './check-headings.ts';
import { type AskedSplice, type Comparison, compareEdit, isPutIn, isReplaced } from './comparison.ts';
import { type EditView, isUnended } from './view.ts';

/** Why the edit is refused, or undefined when all that it did not touch reads as before. */
export function unaskedChange(before: EditView, sorted: readonly AskedSplice[]): string | undefined {
  const comparison = compareEdit(before, sorted);
  return (
    frontMatterChange(comparison) ?? headingChange(comparison) ?? blockChange(comparison) ?? linkChange(comparison)
  );
}

/** Front matter stays what it is, or stays away; where its text was edited it must still be YAML. */
function frontMatterChange({ before, after, splices }: Comparison): string | undefined {
  const { bodyOffset, propertiesFault } = before.note;
  const inside = splices.filter(({ from, to }) => from < bodyOffset && to <= bodyOffset);
  const shift = inside.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
  const ended = bodyOffset === before.text.length && isUnended(before) ? lineEndAt(after.text, bodyOffset + shift) : 0;
  if (after.note.bodyOffset !== (bodyOffset === 0 ? 0 : bodyOffset + shift + ended))
    return bodyOffset === 0 ? 'the note would begin with front matter' : 'the front matter would not end where it does';
  const fault = after.note.propertiesFault;
  if (fault === undefined || propertiesFault !== undefined) return undefined;
  return `line ${fault.line}, column ${fault.column} of the front matter would be no valid YAML: ${fault.reason}`;
}

/** The length of the line end that a last line, the closing one of the front matter, got. */
function lineEndAt(text: string, offset: number): number {
  return /^(?:\r\n?|\n)?/.exec(text.slice(offset, offset + 2))?.[0].length ?? 0;
}

/** Each block that is not replaced keeps its id, and what replaces one gets it. */
function blockChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  const kept = new Map<string, number>();
  for (const { id } of after.note.blocks) kept.set(id, (kept.get(id) ?? 0) + 1);
  const nameless = splices.find(({ keepsId }) => keepsId !== undefined && !kept.has(keepsId))?.keepsId;
  if (nameless !== undefined)
    return `^${nameless} would name nothing any more; put it into the text, \` ^${nameless}\` at its end`;
  const lost = before.note.blocks.find((block) => {
    if (isBlockReplaced(comparison, block)) return false;
    const count = kept.get(block.id) ?? 0;
    kept.set(block.id, count - 1);
    return count < 1;
  });
  return lost && `the block ^${lost.id} of line ${lost.line} would lose its id`;
}

/** A text replaced letter by letter takes the block's id only when it holds the id. */
function isBlockReplaced({ before, meeting }: Comparison, { id, line, endLine }: Block): boolean {
  const from = before.lines.starts[line - 1] ?? 0;
  const to = before.lines.ends[endLine - 1] ?? 0;
  return meeting(from, to).some((splice) => {
    const isOver = splice.from < splice.to && splice.from < to && splice.to > from;
    return isOver && (!splice.literal || before.text.slice(splice.from, splice.to).includes(`^${id}`));
  });
}

/** Links stay links and text stays text; only a text replaced letter by letter may change the paragraph it stands in. */
function linkChange(comparison: Comparison): string | undefined {
  const { before, after, splices } = comparison;
  if (splices.some(({ literal }) => literal)) return undefined;
  const expected = new Map<number, Link>();
  for (const link of before.note.links) {
    const offset = isReplaced(comparison, link.offset, link.end) ? undefined : comparison.moved(link.offset);
    if (offset !== undefined && link.kind !== 'reference') expected.set(offset, link);
  }
  const found = new Set<number>();
  for (const link of after.note.links) {
    found.add(link.offset);
    if (link.kind === 'reference' || isPutIn(comparison, link.offset, link.end)) continue;
    if (expected.get(link.offset)?.link !== link.link) return `line ${link.line} would become a link: ${link.link}`;
  }
  const lost = [...expected].find(([offset]) => !found.has(offset))?.[1];
  return lost && `the link of line ${lost.line} would be none any more: ${lost.link}`;
}
