// Works out how the text of one file must change when files move, so that every link keeps its target.
import { contentHash } from '../../base/content-hash.ts';
import { asNoteFiles, fileKindOf, type NotePath } from '../../base/note.ts';
import { decodeText, encoderLike, positionAt, splitLines } from '../parse/lines.ts';
import { decodeDestination } from '../parse/markdown-link.ts';
import { coveredBy } from './covered-by.ts';
import { nameKeyOf, splitLink, subpathOf } from './fold.ts';
import { createMovedFiles, linksIn, type MovedFiles, type TargetedLink } from './link-changes.ts';
import { candidatesByName, resolveLink } from './resolve-link.ts';
import { rewriteLinks, targetedLinks } from './rewrite-links.ts';

/** A note or canvas that was read, by its path before the move. */
export interface LinkingFile {
  readonly path: NotePath;
  readonly etag: string;
  /** Present if its links must change. */
  readonly changed?: {
    readonly before: string;
    readonly after: string;
    readonly bytes: Uint8Array;
    readonly lines: readonly number[];
  };
}

export interface BrokenLink {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

/** Links that cannot be updated, and texts that look like links to a moved file and that the parser does not read as links. */
export interface FollowedLinks {
  readonly file: LinkingFile;
  /** Links to parts of moved files. */
  readonly parts: readonly LinkToPart[];
  readonly broken: readonly BrokenLink[];
  readonly unparsed: readonly UnparsedLink[];
}

/** A link to a heading or block of a moved file, or to a whole one that becomes part of another. */
export interface LinkToPart {
  /** Among all links of the file, which rewriting leaves in their order. */
  readonly index: number;
  readonly line: number;
  readonly target: NotePath;
  /** Empty for the whole file. */
  readonly subpath: string;
}

/** A file with links, and what moves. */
interface LinksToFollow {
  readonly path: NotePath;
  readonly bytes: Uint8Array;
  /** The bytes that the file had before an earlier move. */
  readonly earlier: Uint8Array | undefined;
  /** False if the file is of interest only if it has texts that look like links to a moved file. */
  readonly isLinking: boolean;
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** Every file of the vault after the move. */
  readonly paths: readonly NotePath[];
  /** The files that exist already where another one moves: both become one. */
  readonly existing: readonly NotePath[];
}

/** Undefined for a file without links to moved files. */
export function followLinks({ moved, paths, existing, ...file }: LinksToFollow): FollowedLinks | undefined {
  return followed(file, createMovedFiles(moved, candidatesByName(paths), existing));
}

/** The same for several files of one move. */
export function followed(
  { path, bytes, earlier, isLinking }: Omit<LinksToFollow, 'moved' | 'paths' | 'existing'>,
  files: MovedFiles,
): FollowedLinks | undefined {
  const { text: before, encoding } = decodeText(bytes);
  if (!isLinking && writtenLinks(path, before, files).length === 0) return undefined;
  const file = { path, etag: contentHash(bytes) };
  const mayChange = encoding === 'utf-8';
  const restored = mayChange ? restoredText(path, before, earlier, files) : undefined;
  if (restored !== undefined) {
    const { text: after, ...changed } = restored;
    return { file: { ...file, changed: { before, after, ...changed } }, parts: [], broken: [], unparsed: [] };
  }
  const all = targetedLinks(path, before, files.before);
  const { text: after, ...links } = rewriteLinks(path, before, all, files);
  const parts = mayChange ? linksToParts(all, files) : [];
  const broken = links.refused.map(({ line, reason }) => ({ path, line, reason }));
  const unparsed = unparsedLinks(path, after, files);
  if (after === before) return { file, parts, broken, unparsed };
  if (!mayChange) {
    const unchanged = links.rewritten.map(({ line }) => ({ path, line, reason: 'it is not UTF-8 text' }));
    return { file, parts, broken: [...broken, ...unchanged], unparsed };
  }
  const lines = links.rewritten.map(({ line }) => line);
  const changed = { before, after, bytes: encoderLike(bytes)(after), lines };
  return { file: { ...file, changed }, parts, broken, unparsed };
}

function linksToParts(links: readonly TargetedLink[], { pathAfter, becomesPart }: MovedFiles): LinkToPart[] {
  return links.flatMap((link, index): LinkToPart[] => {
    const { target, line } = link;
    const subpath = subpathOf(link);
    const isMoved = target !== null && pathAfter(target) !== target;
    return isMoved && (subpath !== '' || becomesPart(target)) ? [{ index, line, target, subpath }] : [];
  });
}

interface RestoredText {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The lines of the links that differ from the current text. */
  readonly lines: readonly number[];
}

/** The earlier text; undefined if one of its links would not lead to its current target. */
function restoredText(
  path: NotePath,
  text: string,
  earlier: Uint8Array | undefined,
  files: MovedFiles,
): RestoredText | undefined {
  if (earlier === undefined) return undefined;
  const before = decodeText(earlier);
  const now = targetedLinks(path, text, files.before);
  const then = targetedLinks(files.pathAfter(path), before.text, files.after);
  const leads = (at: number): NotePath | null => {
    const target = now[at]?.target ?? null;
    return target === null ? null : files.pathAfter(target);
  };
  const fits = now.length === then.length && then.every(({ target }, at) => target === leads(at));
  if (!fits || before.encoding === 'invalid') return undefined;
  const lines = then.filter(({ link }, at) => link !== now[at]?.link).map(({ line }) => line);
  return { text: before.text, bytes: earlier, lines };
}

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
interface WrittenLink {
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
function unparsedLinks(path: NotePath, text: string, files: MovedFiles): UnparsedLink[] {
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

/** Whether the link leads to a moved file, and no longer does after the move. */
function breaks(link: string, path: NotePath, files: MovedFiles): boolean {
  const key = nameKeyOf(splitLink(link).path);
  if (!files.nameKeys.has(key) && !asNoteFiles(key).some((one) => files.nameKeys.has(one))) return false;
  const target = resolveLink(link, path, files.before).path;
  if (target === null || files.pathAfter(target) === target) return false;
  return resolveLink(link, files.pathAfter(path), files.after).path !== files.pathAfter(target);
}
