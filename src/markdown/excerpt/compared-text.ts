// Takes the part of a note whose words are compared with those of other notes.

import { splitLines } from '../parse/lines.ts';
import { bodyStart, textAfterProperties } from '../properties/front-matter.ts';
import { withoutLinks } from './terms.ts';

/** Characters that are compared. Of very long notes only the beginning, so that none takes long to split into words. */
export const MAX_COMPARED = 40_000;
/** More than the longest front matter. */
const MAX_HEAD = 70_000;

/** What of a note is compared. */
export function comparedText(text: string): string {
  return withoutLinks(textAfterProperties(comparedPart(text)));
}

/** The front matter and as much of the text as is compared. */
export function comparedPart(text: string): string {
  const head = text.slice(0, MAX_HEAD + MAX_COMPARED);
  return head.slice(0, bodyStart(head, splitLines(head)).bodyOffset + MAX_COMPARED);
}
