// Cuts a text to a length, between two lines if possible.
import { lineCountOf, splitLines } from '../parse/lines.ts';

/**
 * Cuts after the last line that ends within `maxLength` UTF-16 units, or inside the first line if that is longer.
 * `wholeLines`: complete lines in the text; 0 if even the first line was cut.
 */
export function cutToLines(text: string, maxLength: number) {
  if (text.length <= maxLength) return { text, wholeLines: lineCountOf(text) };
  // With the two characters that may end the last line.
  const { ends, starts } = splitLines(text.slice(0, maxLength + 2));
  const wholeLines = ends.findLastIndex((end) => end <= maxLength) + 1;
  if (wholeLines > 0)
    return { text: text.slice(0, Math.min(starts[wholeLines] ?? text.length, maxLength)), wholeLines };
  return { text: text.slice(0, isInsidePair(text, maxLength) ? maxLength - 1 : maxLength), wholeLines };
}

/** Whether a cut at `offset` would split a surrogate pair. */
function isInsidePair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
