// Rewrites the parts that links name, such as `#Heading`, after the text of their note has become part of another note.
import type { Link } from '../../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { cardSubpaths } from '../parse/canvas.ts';
import type { Span } from '../parse/text-run.ts';
import { splitLink, subpathOf } from './fold.ts';
import { linksIn } from './link-changes.ts';
import { createLinkPathLocator, type PathForm } from './link-path.ts';

export interface SubpathChange {
  /** The link, by its place among all links of the file. */
  readonly index: number;
  /** With its `#`; empty if the link is to lead to the whole note. */
  readonly subpath: string;
}

/** Other links stay as they are. `failed`: the indexes of links that could not be rewritten; then no link was. */
export function rewriteSubpaths(path: string, text: string, changes: readonly SubpathChange[]) {
  if (changes.length === 0) return { text, failed: [] };
  const links = linksIn(path, text);
  const place = createSubpathPlaces(path, text);
  const splices = new Map<number, Splice>();
  const unplaced: number[] = [];
  for (const { index, subpath } of changes) {
    const link = links[index];
    const splice = link && place(link, subpath);
    if (splice === undefined) unplaced.push(index);
    else splices.set(splice.from, splice);
  }
  const after = applySplices(text, sortSplices([...splices.values()]));
  const byIndex = new Map(changes.map(({ index, subpath }) => [index, subpath]));
  const linksAfter = linksIn(path, after);
  const reads = linksAfter.map((link, index) => isRewritten(link, links[index], byIndex.get(index)));
  const failed = unplaced.length > 0 || linksAfter.length !== links.length || reads.includes(false);
  return failed ? { text, failed: changes.map(({ index }) => index) } : { text: after, failed: [] };
}

function isRewritten(now: Link, before: Link | undefined, subpath: string | undefined): boolean {
  if (before === undefined) return false;
  const path = (link: Link) => (link.kind === 'canvas' ? link.link : splitLink(link.link).path);
  return path(now) === path(before) && subpathOf(now) === (subpath ?? subpathOf(before));
}

/** Where the part that a link names is written, and what is to be there instead; undefined if it is not in one piece. */
export function createSubpathPlaces(path: string, text: string): (link: Link, subpath: string) => Splice | undefined {
  const locate = createLinkPathLocator(path, text);
  let cards: ReadonlyMap<number, Span> | undefined;
  return (link, subpath) => {
    if (link.kind === 'canvas') {
      cards ??= cardSubpaths(text);
      const span = cards.get(link.offset);
      if (span !== undefined) return cardSplice(text, span, subpath);
      const after = link.end + 1;
      return { from: after, to: after, text: `,"subpath":${JSON.stringify(subpath)}` };
    }
    const place = locate(link);
    if (place === undefined) return undefined;
    return { from: place.to, to: place.linkTo, text: place.quote(writtenSubpath(subpath, place.form)) };
  };
}

/** A card of a whole file has no `subpath`, so an empty one is removed with its name and one comma. */
function cardSplice(json: string, { from, to }: Span, subpath: string): Splice | undefined {
  if (subpath !== '') return { from, to, text: JSON.stringify(subpath) };
  const [lead, comma] = /(\s*,\s*)?"subpath"\s*:\s*$/.exec(json.slice(Math.max(0, from - MAX_LEAD), from)) ?? [];
  if (lead === undefined) return undefined;
  const rest = comma === undefined ? (/^\s*,\s*/.exec(json.slice(to, to + MAX_LEAD))?.[0] ?? '') : '';
  return { from: from - lead.length, to: to + rest.length, text: '' };
}

/** More blanks than any program writes between two properties. */
const MAX_LEAD = 200;

/** Characters that end a Markdown destination, or have a meaning in it. */
const UNSAFE = /[\0- <>()\\`%\x7F]/g;

export function writtenSubpath(subpath: string, form: PathForm): string {
  return form === 'bare' || form === 'enclosed' ? encoded(subpath) : subpath;
}

function encoded(subpath: string): string {
  return subpath.replace(UNSAFE, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** The text of a heading as a link can write it: signs that end a link are blanks, as in Obsidian. */
export function headingSubpath(texts: readonly string[]): string {
  return texts
    .map(
      (text) =>
        `#${text
          .replace(/[#|^:%[\]\\]/g, ' ')
          .replace(/\s+/g, ' ')
          .trim()}`,
    )
    .join('');
}
