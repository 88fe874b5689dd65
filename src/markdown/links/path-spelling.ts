// Lists the ways to spell a file's path in a link, closest to the given style first.
import { type NotePath, withoutNoteExtension } from '../../base/note.ts';
import { foldName } from './fold.ts';

/**
 * `name`: the shortest unique form · `path`: from the root, or its last segments · `relative` to the note · `root`:
 * with a leading `/`.
 */
export interface PathStyle {
  readonly by: 'name' | 'path' | 'relative' | 'root';
  /** Whether the extension of a note is written. */
  readonly extension: boolean;
  /** Whether a relative path that leads downwards starts with `./`. */
  readonly dotted: boolean;
  /** The number of segments of a `path`; infinite if it is written from the root. */
  readonly segments: number;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** The path from a folder to a file, with `../` as needed, without a leading `./`. */
export function relativePath(folder: string, path: string): string {
  const from = folder === '' ? [] : folder.split('/');
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}

/** The last `count` segments. */
export function lastSegments(path: string, count: number): string {
  return path.split('/').slice(-count).join('/');
}

/** Whether `linkPath` ends with the file's whole name, including its extension. */
export function hasExtension(linkPath: string, target: NotePath): boolean {
  return foldName(lastSegments(linkPath, 1)) === foldName(lastSegments(target, 1));
}

/** All spellings to try: first those of the style, then absolute ones, each first with the letter case of `before`. */
export function spellingsOf(target: NotePath, source: NotePath, style: PathStyle, before: string): string[] {
  const paths = [...styledPaths(target, source, style), target, `/${target}`];
  const short = style.extension ? [] : paths.map(withoutNoteExtension);
  const all = [...short, ...paths].flatMap((path) => [withSegmentsOf(before, path, foldName), path]);
  return [...new Set(all)];
}

function styledPaths(target: NotePath, source: NotePath, { by, dotted, segments }: PathStyle): string[] {
  const deepest = target.split('/').length;
  switch (by) {
    case 'name':
      return Array.from({ length: deepest }, (_, index) => lastSegments(target, index + 1));
    case 'path': {
      const least = Math.min(segments, deepest);
      return Array.from({ length: deepest - least + 1 }, (_, index) => lastSegments(target, least + index));
    }
    case 'root':
      return [`/${target}`];
    case 'relative': {
      const path = relativePath(folderOf(source), target);
      if (path.startsWith('../')) return [path];
      return dotted ? [`./${path}`] : [path, `./${path}`];
    }
  }
}

/** The written path with those of its segments in another letter case that had exactly the old one; `from` and `to` are paths of the file. */
export function recased(linkPath: string, from: NotePath, to: NotePath): string {
  const short = hasExtension(linkPath, from) ? (path: NotePath) => path : withoutNoteExtension;
  const [old, now] = [short(from).split('/'), short(to).split('/')];
  const segments = linkPath.split('/');
  for (let at = 1; at <= segments.length; at += 1) {
    const [was, is] = [old.at(-at) ?? '', now.at(-at) ?? ''];
    const segment = segments.at(-at) ?? '';
    if (segment === '' || foldName(segment) !== foldName(was) || foldName(was) !== foldName(is)) break;
    if (segment === was) segments[segments.length - at] = is;
  }
  return segments.join('/');
}

/** The path with its last segments as in `before`, as far as they are the same when folded. */
export function withSegmentsOf(before: string, path: string, fold: (segment: string) => string): string {
  const old = before.split('/');
  const segments = path.split('/');
  for (let at = 1; at <= Math.min(old.length, segments.length); at += 1) {
    const segment = old.at(-at) ?? '';
    if (fold(segment) !== fold(segments.at(-at) ?? '')) break;
    segments[segments.length - at] = segment;
  }
  return segments.join('/');
}
