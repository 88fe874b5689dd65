// Finds the spellings of a tag that are not tags, which a rename leaves as they are.
import { fileKindOf } from '../../base/note.ts';
import { coveredBy } from '../links/unparsed-links.ts';
import { parseCanvas } from '../parse/canvas.ts';
import { parseNote } from '../parse/parse-note.ts';
import { tagNameEnd } from '../parse/tag.ts';
import { type TagRename, tagMapper } from './tag-name.ts';

/** A spelling of the tag that is not a tag, as in code or a query; it is left as it is. */
export interface TagSpelling {
  readonly line: number;
  readonly text: string;
}

const MAX_SHOWN_LENGTH = 100;
const MAX_SPELLINGS = 50;

/** At most the first fifty. @param text after the rename; of a base every word that is the tag counts */
export function tagSpellings(path: string, text: string, rename: TagRename): readonly TagSpelling[] {
  const isBase = fileKindOf(path) === 'base';
  const parsed = fileKindOf(path) === 'canvas' ? parseCanvas(text) : parseNote(isBase ? '' : text);
  const tagged = new Set(parsed.tags.map(({ offset }) => offset));
  const isInLink = coveredBy(parsed.links);
  const map = tagMapper(rename);
  const found: TagSpelling[] = [];
  let [line, lineFrom] = [1, 0];
  for (const match of text.matchAll(spellingPattern(rename.from, isBase))) {
    const offset = match.index + (match[1]?.length ?? 0);
    const written = text.slice(offset, tagNameEnd(text, offset - 1));
    const isLink = isInLink(offset);
    if (isLink || tagged.has(offset - 1) || map(written) === undefined) continue;
    line += text.slice(lineFrom, offset).match(/\r\n?|\n/g)?.length ?? 0;
    lineFrom = offset;
    found.push({ line, text: lineAround(text, offset) });
    if (found.length === MAX_SPELLINGS) break;
  }
  return found;
}

/** Up to the name; what follows the name decides whether it is this tag. */
function spellingPattern(from: string, isBase: boolean): RegExp {
  const name = from.replace(/[/\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const lead = isBase ? `["'#]#?` : String.raw`(?<![^\s"'\x60(:,=>])(?:tag:[ \t]*#?|#)`;
  return new RegExp(`(${lead})${name}`, 'giu');
}

function lineAround(text: string, offset: number): string {
  const from = Math.max(text.lastIndexOf('\n', offset), text.lastIndexOf('\r', offset)) + 1;
  const start = Math.max(from, offset - MAX_SHOWN_LENGTH / 2);
  const [line = ''] = text.slice(start, start + MAX_SHOWN_LENGTH).split(/[\r\n]/, 1);
  return line.trim().toWellFormed();
}
