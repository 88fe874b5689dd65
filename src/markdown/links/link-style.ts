// Determines how a note spells the paths in its links, from the link itself or else from its other links.
import type { Link, NotePath } from '../../base/note.ts';
import { foldName, splitLink } from './fold.ts';
import {
  folderOf,
  hasExtension,
  lastSegments,
  type PathStyle,
  relativePath,
  withoutExtension,
} from './path-spelling.ts';
import { type CandidatesFor, resolveLink } from './resolve-link.ts';

/** A link with the file it leads to, or null if it leads nowhere. */
export interface TargetedLink extends Link {
  readonly target: NotePath | null;
}

export interface LinkStyles {
  readonly styleOf: (link: TargetedLink, target: NotePath) => PathStyle;
}

/** @param before the files before the move */
export function createLinkStyles(
  source: NotePath,
  text: string,
  links: readonly TargetedLink[],
  before: CandidatesFor,
): LinkStyles {
  const shown = links.filter(
    ({ kind, target, link }) => kind !== 'canvas' && target !== null && splitLink(link).path !== '',
  );
  let relative: boolean | undefined;
  const writesRelative = (): boolean =>
    (relative ??= !shown.some((link) => isDestination(text, link) && isWrittenByName(source, link)));
  return {
    styleOf: (link, target) => {
      const { path } = splitLink(link.link);
      const style = {
        extension: hasExtension(path, target),
        dotted: path.startsWith('./') || !isDestination(text, link),
        segments: segmentsOf(path),
      };
      if (path.startsWith('/')) return { ...style, by: 'root' };
      const isRelative =
        isDotted(path) || (isDestination(text, link) && isRelativeTo(source, path, target) && writesRelative());
      if (isRelative) return { ...style, by: 'relative' };
      const byName = isShortest(source, path, target, before);
      if (byName) return { ...style, by: 'name' };
      const isWhole = foldName(path) === foldName(style.extension ? target : withoutExtension(target));
      return { ...style, by: 'path', segments: isWhole ? Number.POSITIVE_INFINITY : style.segments };
    },
  };
}

/** Whether the link is a Markdown link, which other programs resolve relative to the note. */
function isDestination(text: string, { offset }: TargetedLink): boolean {
  return !text.startsWith('[[', offset) && !text.startsWith('![[', offset);
}

function isDotted(path: string): boolean {
  return path.startsWith('./') || path.startsWith('../');
}

function segmentsOf(path: string): number {
  return path.split('/').length;
}

/** Whether the path, with or without its extension, leads from the source's folder to the target. */
export function isRelativeTo(source: NotePath, path: string, target: NotePath): boolean {
  const relative = relativePath(folderOf(source), target);
  const folded = foldName(path);
  return folded === foldName(relative) || folded === foldName(withoutExtension(relative));
}

/** Whether a Markdown link resolves only by Obsidian's rules: read as a relative path it would lead elsewhere. */
function isWrittenByName(source: NotePath, { link, target }: TargetedLink): boolean {
  const { path } = splitLink(link);
  return target !== null && !isDotted(path) && !path.startsWith('/') && !isRelativeTo(source, path, target);
}

function isShortest(source: NotePath, path: string, target: NotePath, before: CandidatesFor): boolean {
  for (let count = 1; count < segmentsOf(path); count += 1) {
    const found = resolveLink(lastSegments(path, count), source, before);
    if (found.path === target && found.match !== 'ambiguous') return false;
  }
  return true;
}
