// Finds the spellings of a tag that are not tags, which a rename leaves as they are.
import { fileKindOf } from '../../base/note.ts';
import { coveredBy } from '../links/covered-by.ts';
import { parseCanvas } from '../parse/canvas.ts';
import { splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { tagNameEnd } from '../parse/tag.ts';
import { bodyStart } from './front-matter.ts';
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
  const inProperties = fileKindOf(path) === 'note' ? propertySpellings(text, rename.from) : [];
  const inBody = text.matchAll(spellingPattern(rename.from, isBase));
  const spellings: TagSpelling[] = [];
  let [line, lineFrom] = [1, 0];
  for (const offset of [...inProperties, ...placesOf(inBody)].sort((one, other) => one - other)) {
    const spelling = text.slice(offset, tagNameEnd(text, offset - 1));
    const isTag = tagged.has(offset - 1) || tagged.has(offset);
    if (isInLink(offset) || isTag || map(spelling) === undefined) continue;
    const lines = text.slice(lineFrom, offset).match(/\r\n?|\n/g)?.length ?? 0;
    // A line is shown once, however often the name is in it.
    if (lines === 0 && spellings.length > 0) continue;
    line += lines;
    lineFrom = offset;
    spellings.push({ line, text: lineAround(text, offset) });
    if (spellings.length === MAX_SPELLINGS) break;
  }
  return spellings;
}

/** Where the name itself begins. */
function placesOf(matches: Iterable<RegExpMatchArray>): number[] {
  return Array.from(matches, ({ index = 0, 1: lead = '' }) => index + lead.length);
}

/** The words that are the name in properties that are to hold tags, also of front matter that is not valid YAML. */
function propertySpellings(text: string, from: string): number[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const word = new RegExp(`(${BEFORE_WORD}#?)${escaped(from)}`, 'giu');
  const places: number[] = [];
  let isOfTags = false;
  for (let at = 1; at < bodyLine - 1; at += 1) {
    const start = lines.starts[at] ?? 0;
    const line = text.slice(start, lines.ends[at]);
    const [key] = /^["']?\w[^:]*:/.exec(line) ?? [];
    if (key !== undefined) isOfTags = /^["']?tags?["']?\s*:$/i.test(key);
    const lead = key?.length ?? 0;
    if (isOfTags) places.push(...placesOf(line.slice(lead).matchAll(word)).map((place) => start + lead + place));
  }
  return places;
}

const BEFORE_WORD = String.raw`(?<![^\s"',[{])`;

/** Up to the name; what follows the name decides whether it is this tag. */
function spellingPattern(from: string, isBase: boolean): RegExp {
  const lead = isBase ? `["'#]#?` : String.raw`(?<![^\s"'\x60(:,=>])(?:tag:[ \t]*#?|#)`;
  return new RegExp(`(${lead})${escaped(from)}`, 'giu');
}

const escaped = (name: string): string => name.replace(/[/\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

function lineAround(text: string, offset: number): string {
  const from = Math.max(text.lastIndexOf('\n', offset), text.lastIndexOf('\r', offset)) + 1;
  const start = Math.max(from, offset - MAX_SHOWN_LENGTH / 2);
  const [line = ''] = text.slice(start, start + MAX_SHOWN_LENGTH).split(/[\r\n]/, 1);
  return line.trim().toWellFormed();
}
