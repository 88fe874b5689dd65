// Renames block ids that another text uses already.
import type { Block } from '../../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { type EditView, viewForEdits } from '../edit/view.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import { parseNote } from '../parse/parse-note.ts';

/** `renamed`: the new id of each renamed one, in lower case. Undefined if an id is not at the end of a line of its block. */
export function withFreeBlockIds(path: string, text: string, used: ReadonlySet<string>) {
  const view = viewForEdits(path, text);
  const own = new Set(view.note.blocks.map(({ id }) => id.toLowerCase()));
  const renamed = new Map<string, string>();
  for (const id of own)
    if (used.has(id))
      renamed.set(
        id,
        freeId(id, (each) => used.has(each) || own.has(each)),
      );
  const splices = view.note.blocks.flatMap((block): (Splice | undefined)[] => {
    const to = renamed.get(block.id.toLowerCase());
    return to === undefined ? [] : [spliceOf(view, block, to)];
  });
  if (splices.includes(undefined)) return undefined;
  const unique = new Map((splices as Splice[]).map((splice) => [splice.from, splice]));
  const after = applySplices(text, sortSplices([...unique.values()]));
  const wanted = view.note.blocks.map(({ id }) => renamed.get(id.toLowerCase()) ?? id);
  const isMeant = parseNote(after).blocks.every(({ id }, index) => id === wanted[index]);
  return isMeant ? { text: after, renamed } : undefined;
}

function freeId(id: string, isTaken: (id: string) => boolean): string {
  let number = 2;
  while (isTaken(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}

/** The id ends a line of the block, or the next line with text below it. */
function spliceOf({ text, lines }: EditView, { id, line, endLine }: Block, to: string): Splice | undefined {
  for (let at = line - 1; at < lines.starts.length; at += 1) {
    const [from = 0, end = 0] = [lines.starts[at], lines.ends[at]];
    const quoted = from + (/^[ \t>]*/.exec(text.slice(from, end))?.[0].length ?? 0);
    if (blockIdAt(text, quoted, end)?.id === id) {
      const idFrom = text.lastIndexOf(`^${id}`, end) + 1;
      return { from: idFrom, to: idFrom + id.length, text: to };
    }
    if (at >= endLine && quoted < end) return undefined;
  }
  return undefined;
}
