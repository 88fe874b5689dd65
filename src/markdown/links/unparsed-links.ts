// Finds the texts that look like links to a moved file and are not, so that a move cannot change them.
import { fileKindOf, type Link, type NotePath } from '../../base/note.ts';
import { positionAt, splitLines } from '../parse/lines.ts';
import { decodeDestination } from '../parse/markdown-link.ts';
import { nameKeyOf, splitLink } from './fold.ts';
import { linksIn, type MovedFiles } from './link-changes.ts';
import { resolveLink } from './resolve-link.ts';

/** Such a text; it is left as it is. */
export interface UnparsedLink {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const MAX_SHOWN_LENGTH = 100;

/**
 * `[[…`, `](…` and `<…`, each up to where its path would end. A destination is cut after more characters than a percent-encoded path
 * has, because the expression needs stack for each of them.
 */
const WRITTEN = /\[\[([^[\]|\r\n]+)|\]\(<?((?:[^()<>\r\n]|\([^()\r\n]{0,12000}\)){1,12000})|<([^<>\r\n]+)/g;

/** A text that looks like a link and leads to a moved file. */
export interface WrittenLink {
  readonly offset: number;
  readonly written: string;
}

/**
 * Whatever looks like a link to a moved file and leads elsewhere after the move, in ascending order.
 * @param path the file's path before the move
 */
export function writtenLinks(path: NotePath, text: string, files: MovedFiles): WrittenLink[] {
  if (fileKindOf(path) !== 'note') return [];
  return [...text.matchAll(WRITTEN)].flatMap(({ index, 0: written, 1: name, 2: bare, 3: enclosed }) => {
    const link = name?.replace(/\\$/, '') ?? decodeDestination((bare ?? enclosed ?? '').trim());
    return breaks(link, path, files) ? [{ offset: index, written }] : [];
  });
}

/** Those of the texts that the parser does not read as links. @param text with every link rewritten that could be */
export function unparsedLinks(path: NotePath, text: string, files: MovedFiles): UnparsedLink[] {
  const all = writtenLinks(path, text, files);
  if (all.length === 0) return [];
  const isParsed = coveredBy(linksIn(path, text));
  const lines = splitLines(text);
  return all
    .filter(({ offset }) => !isParsed(offset))
    .map(({ offset, written }) => {
      const { line } = positionAt(lines, offset);
      return { path: files.pathAfter(path), line, text: written.slice(0, MAX_SHOWN_LENGTH) };
    });
}

/** Whether an offset is inside one of the links; asked for ascending offsets. */
export function coveredBy(links: readonly Link[]): (offset: number) => boolean {
  const ascending = links.toSorted((one, other) => one.offset - other.offset);
  let at = 0;
  let end = 0;
  return (offset) => {
    for (let link = ascending[at]; link !== undefined && link.offset <= offset; link = ascending[++at])
      end = Math.max(end, link.end);
    return offset < end;
  };
}

/** Whether the link leads to a moved file, and no longer does after the move. */
function breaks(link: string, path: NotePath, files: MovedFiles): boolean {
  const key = nameKeyOf(splitLink(link).path);
  if (!files.nameKeys.has(key) && !files.nameKeys.has(`${key}.md`)) return false;
  const target = resolveLink(link, path, files.before).path;
  if (target === null || files.pathAfter(target) === target) return false;
  return resolveLink(link, files.pathAfter(path), files.after).path !== files.pathAfter(target);
}
