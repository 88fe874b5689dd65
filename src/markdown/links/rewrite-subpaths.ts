// Rewrites the parts that links name, such as `#Heading`, after the text of their note has become part of another note.
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { splitLink } from './fold.ts';
import { linksIn } from './link-changes.ts';
import { createLinkPathLocator } from './link-path.ts';

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
  const locate = createLinkPathLocator(path, text);
  const splices = new Map<number, Splice>();
  const unplaced: number[] = [];
  for (const { index, subpath } of changes) {
    const link = links[index];
    const place = link && locate(link);
    if (place === undefined) unplaced.push(index);
    else {
      const written = place.form === 'bare' || place.form === 'enclosed' ? encoded(subpath) : subpath;
      splices.set(place.to, { from: place.to, to: place.linkTo, text: place.quote(written) });
    }
  }
  const after = applySplices(text, sortSplices([...splices.values()]));
  const wanted = new Map(changes.map(({ index, subpath }) => [index, subpath]));
  const found = linksIn(path, after);
  const reads = found.map(({ link }, index) => link === rewritten(links[index]?.link ?? '', wanted.get(index)));
  const failed = unplaced.length > 0 || found.length !== links.length || reads.includes(false);
  return failed ? { text, failed: changes.map(({ index }) => index) } : { text: after, failed: [] };
}

function rewritten(link: string, subpath: string | undefined): string {
  return subpath === undefined ? link : splitLink(link).path + subpath;
}

/** Characters that end a Markdown destination, or have a meaning in it. */
const UNSAFE = /[\0- <>()\\`%\x7F]/g;

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
