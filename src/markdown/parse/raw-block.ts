// Blocks whose lines are not read as Markdown: fenced code, math and HTML.
import { skipBlanks } from './characters.ts';
import { htmlBlockClosing } from './html.ts';
import { closesFence, type Fence, fenceAt } from './line-marks.ts';
import { type LineCursor, MAX_INDENT } from './lines.ts';
import { regionAt, siteMacroAt } from './site-syntax.ts';

/** An open raw block and what closes it. */
export type RawBlock =
  | { readonly kind: 'fence'; readonly fence: Fence }
  | { readonly kind: 'math' }
  | { readonly kind: 'html'; readonly closing: RegExp | 'blank line' };

const MATH = '$$';

/** The raw block that starts at the cursor; `one line` if it ends on the same line. */
export function rawBlockAt(cursor: LineCursor, inParagraph: boolean): RawBlock | 'one line' | undefined {
  switch (cursor.text.charAt(cursor.next)) {
    case '`':
    case '~':
      return fenceBlockAt(cursor);
    case '$':
      return mathBlockAt(cursor);
    case '<':
      return htmlAt(cursor, inParagraph);
    case '{':
    case '#':
      return regionBlockAt(cursor);
    default:
      return undefined;
  }
}

function fenceBlockAt({ text, next, end }: LineCursor): RawBlock | undefined {
  const fence = fenceAt(text, next, end);
  return fence === undefined ? undefined : { kind: 'fence', fence };
}

/** Math that closes on its own line and is followed by text is inline math. */
function mathBlockAt({ text, next, end }: LineCursor): RawBlock | 'one line' | undefined {
  if (!text.startsWith(MATH, next)) return undefined;
  const rest = text.slice(next + MATH.length, end);
  const close = rest.indexOf(MATH);
  if (close === -1) return { kind: 'math' };
  return rest.slice(close + MATH.length).trim() === '' ? 'one line' : undefined;
}

function htmlAt({ text, next, end }: LineCursor, inParagraph: boolean): RawBlock | 'one line' | undefined {
  if (siteMacroAt(text, next) !== undefined) return undefined;
  const line = text.slice(next, end);
  const closing = htmlBlockClosing(line, inParagraph);
  if (closing === undefined) return undefined;
  return closing !== 'blank line' && closing.test(line) ? 'one line' : { kind: 'html', closing };
}

/** One that ends on the same line is a part of its text. */
function regionBlockAt({ text, next, end }: LineCursor): RawBlock | undefined {
  const region = regionAt(text, next);
  if (region === undefined) return undefined;
  const closing = new RegExp(region.source, region.flags.replace('g', ''));
  return closing.test(text.slice(next, end)) ? undefined : { kind: 'html', closing };
}

/**
 * Where the block ends on the cursor's line: the offset at which text starts again, the end of the line, or -1 if it
 * continues.
 */
export function rawBlockEnd(open: RawBlock, cursor: LineCursor): number {
  const { text, next, end } = cursor;
  switch (open.kind) {
    case 'fence':
      return cursor.indent <= MAX_INDENT && closesFence(open.fence, text, next, end) ? end : -1;
    case 'math': {
      const close = text.slice(next, end).indexOf(MATH);
      return close === -1 ? -1 : skipBlanks(text, next + close + MATH.length, end);
    }
    case 'html': {
      const ends = open.closing === 'blank line' ? cursor.blank : open.closing.test(text.slice(next, end));
      return ends ? end : -1;
    }
  }
}
