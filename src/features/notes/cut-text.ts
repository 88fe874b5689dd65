// A text cut to a length without breaking a line or a character.
import { splitLines } from '../../markdown/parse/lines.ts';

export interface CutText {
  readonly text: string;
  /** Lines shown whole; 0 when even the first had to be cut. */
  readonly wholeLines: number;
}

/** At most `longest` UTF-16 units: as many whole lines as fit, or the beginning of the first where it alone is longer. */
export function cutToLines(text: string, longest: number): CutText {
  const { ends, starts } = splitLines(text);
  if (text.length <= longest) return { text, wholeLines: ends.length };
  const wholeLines = ends.findLastIndex((end) => end <= longest) + 1;
  if (wholeLines > 0) return { text: text.slice(0, Math.min(starts[wholeLines] ?? text.length, longest)), wholeLines };
  return { text: text.slice(0, isInsidePair(text, longest) ? longest - 1 : longest), wholeLines };
}

/** Whether a cut at `offset` would part the two halves of one character. */
function isInsidePair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
