// Where a text may be cut between sentences, and between items, rows, headings and paragraphs. Knows nothing of what is shown.

import { endsSentence } from './sentence.ts';
import { beginsUnit } from './text-block.ts';

/** A stop with what closes behind it, or the end of a line: nothing else is looked at more closely. */
const MAYBE = /[.!?…。！？｡]["')\]*_”’»」』）】]*|\r\n?|\n/g;

const COUNTS_ITEM = /(?:^|[\r\n])[ \t>]*\d{1,9}\.$/;
const ITEM_HEAD = 24;

/** The offsets from `from` to `to`, both included, at which something ends and the next begins, ascending. */
export function sentenceCuts(text: string, from: number, to: number): number[] {
  const cuts = from === 0 ? [0] : [];
  for (const { index, 0: found } of text.slice(from, to).matchAll(MAYBE)) {
    const at = from + index + found.length;
    const isLineEnd = found.startsWith('\n') || found.startsWith('\r');
    if (at < text.length && (isLineEnd ? beginsUnit(text, at) : endsSaying(text, at))) cuts.push(at);
  }
  if (to === text.length && cuts.at(-1) !== to) cuts.push(to);
  return cuts;
}

/** The stop behind the number of an item ends nothing. */
function endsSaying(text: string, at: number): boolean {
  return endsSentence(text, at) && !COUNTS_ITEM.test(text.slice(Math.max(0, at - ITEM_HEAD), at));
}
