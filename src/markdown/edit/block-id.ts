// Gives a text the id of the block it takes the place of. Knows nothing of where it is put.
import { blockIdAt, listMarkAt } from '../parse/line-marks.ts';

/** What stands for itself: its id goes on a line of its own below it. */
const STANDS_ALONE = /^[ \t]*[>|]/;
/** What ends a paragraph beside a blank line and a list. */
const ENDS_PARAGRAPH = /^[ \t]*(?:#{1,6}[ \t]|`{3}|~{3}|[>|]|$)/;

/** The id at the end of the text's first paragraph or item, or below its first table or quote; as it is when it has it. */
export function withBlockId(text: string, id: string): string {
  const lines = text.split(/\r\n?|\n/);
  if (lines.some((line) => blockIdAt(line, 0, line.length)?.id === id)) return text;
  if (STANDS_ALONE.test(text)) return `${text}\n\n^${id}`;
  const end = lines.findIndex((line, index) => index > 0 && (ENDS_PARAGRAPH.test(line) || isItem(line)));
  const last = end === -1 ? lines.length - 1 : end - 1;
  return lines.map((line, index) => (index === last ? `${line.trimEnd()} ^${id}` : line)).join('\n');
}

function isItem(line: string): boolean {
  const from = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return listMarkAt(line, from, line.length) !== undefined;
}
