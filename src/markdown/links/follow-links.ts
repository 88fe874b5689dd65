// Works out how the text of one file must change when files move, so that every link keeps its target.
import { contentHash } from '../../base/content-hash.ts';
import type { NotePath } from '../../base/note.ts';
import { decodeText, encoderLike } from '../parse/lines.ts';
import { subpathOf } from './fold.ts';
import { createMovedFiles, type MovedFiles } from './link-changes.ts';
import type { TargetedLink } from './link-style.ts';
import { candidatesByName } from './resolve-link.ts';
import { rewriteLinks, targetedLinks } from './rewrite-links.ts';
import { type UnparsedLink, unparsedLinks, writtenLinks } from './unparsed-links.ts';

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
export interface LinksToFollow {
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
