// Applies new paths to the links of a file and checks that every link still parses and resolves as it must.
import { fileKindOf, type Link, type NotePath, withoutNoteExtension } from '../../base/note.ts';
import { applySplices, type MovedOffset, offsetMapper, type Splice, sortSplices } from '../edit/splice.ts';
import { parseCanvas } from '../parse/canvas.ts';
import { parseNote } from '../parse/parse-note.ts';
import { displayOf } from '../parse/wikilink.ts';
import { foldName, nameKeyOf, splitLink } from './fold.ts';
import { folderOf, hasExtension, lastSegments, type PathStyle, relativePath } from './path-spelling.ts';
import { type CandidatesFor, candidatesByName, type Resolution, resolveLink } from './resolve-link.ts';

export interface LinkChange {
  readonly link: TargetedLink;
  readonly splice: Splice;
}

/** A file's text with all its links, before the move. */
export interface LinkedText {
  readonly path: NotePath;
  readonly text: string;
  readonly links: readonly TargetedLink[];
  readonly files: MovedFiles;
}

/** The links of a note or canvas, in parser order. */
export function linksIn(path: string, text: string): readonly Link[] {
  return (fileKindOf(path) === 'canvas' ? parseCanvas(text) : parseNote(text)).links;
}

/**
 * Applies the changes. If some do not read back, tries without them, then without any.
 * `made`: each with the link as it is now.
 * @param breaking links that lead elsewhere unless they are changed
 */
export function changeLinks(linked: LinkedText, changes: readonly LinkChange[], breaking: ReadonlySet<TargetedLink>) {
  const all = tryChanges(linked, changes, breaking);
  if (all.failed.size === 0) return { ...all, failed: [] };
  const passing = changes.filter(({ link }) => !all.failed.has(link));
  const failing = changes.filter(({ link }) => all.failed.has(link)).map(({ link }) => link);
  const some = failing.length === 0 || passing.length === 0 ? undefined : tryChanges(linked, passing, breaking);
  if (some?.failed.size === 0) return { ...some, failed: failing };
  return { text: linked.text, made: [], failed: changes.map(({ link }) => link) };
}

/** `failed`: links that disappear, differ or lead elsewhere after the changes. */
function tryChanges(linked: LinkedText, changes: readonly LinkChange[], breaking: ReadonlySet<TargetedLink>) {
  const splices = sortSplices([...new Map(changes.map(({ splice }) => [splice.from, splice])).values()]);
  const text = applySplices(linked.text, splices);
  const linkAfter = linkFinder(linksIn(linked.path, text), offsetMapper(splices));
  const changed = new Set(changes.map(({ link }) => link));
  const failed = new Set<TargetedLink>();
  const made: { link: TargetedLink; now: Link }[] = [];
  for (const link of linked.links) {
    const now = linkAfter(link);
    const mustLead = changed.has(link) || !breaking.has(link);
    if (now === undefined || !isSameLink(link, now) || (mustLead && !leadsToTarget(linked, link, now)))
      failed.add(link);
    else if (changed.has(link)) made.push({ link, now });
  }
  return { text, made, failed };
}

/** Maps a link to the one of the same kind at the same place in the new text. */
function linkFinder(links: readonly Link[], moved: MovedOffset): (link: Link) => Link | undefined {
  const keyOf = ({ kind, key = '' }: Link, offset: number): string => `${kind} ${offset} ${key}`;
  const byPlace = new Map(links.map((link) => [keyOf(link, link.offset), link]));
  // A canvas link consists of its path alone, so the character before it is what moves.
  return (link) => byPlace.get(keyOf(link, moved(link.offset) ?? (moved(link.offset - 1) ?? Number.NaN) + 1));
}

/** A display text that contains a link changes with that link. */
const INNER_LINK = /\[\[|\]\(/;

/** Whether the links differ only in their path, and in a display text derived from it. */
function isSameLink(before: TargetedLink, after: Link): boolean {
  if (before.target === null) return before.link === after.link;
  if (before.kind === 'canvas') return true;
  if (splitLink(before.link).subpath !== splitLink(after.link).subpath) return false;
  const isMadeOfPath = after.display === displayOf(after.link) || INNER_LINK.test(before.display);
  return before.display === after.display || isMadeOfPath;
}

function leadsToTarget({ path, files }: LinkedText, { target }: TargetedLink, now: Link): boolean {
  return target === null || resolveWritten(now, files.pathAfter(path), files.after).path === files.pathAfter(target);
}

export type MovedFiles = ReturnType<typeof createMovedFiles>;

/**
 * `nameKeys`: the old and new names of moved files; links to other names are not affected.
 * @param moved from each old path to the new one; for a folder, all files in it
 * @param after the files of the vault after the move
 * @param existing the new paths that had a file before: the moved one becomes part of it
 */
export function createMovedFiles(
  moved: ReadonlyMap<NotePath, NotePath>,
  after: CandidatesFor,
  existing: readonly NotePath[] = [],
) {
  const arrived = new Set([...moved.values()].filter((path) => !existing.includes(path)));
  const left = Map.groupBy(moved.keys(), nameKeyOf);
  const named = (nameKey: string) => [
    ...after(nameKey).filter((path) => !arrived.has(path)),
    ...(left.get(nameKey) ?? []),
  ];
  const { addressed } = candidatesByName(moved.keys());
  const addressedBefore = (key: string) => [
    ...(after.addressed?.(key) ?? []).filter(({ path }) => !arrived.has(path)),
    ...(addressed?.(key) ?? []),
  ];
  const before: CandidatesFor = addressed === undefined ? named : Object.assign(named, { addressed: addressedBefore });
  return {
    before,
    after,
    pathAfter: (path: NotePath) => moved.get(path) ?? path,
    becomesPart: (path: NotePath) => existing.includes(moved.get(path) ?? path),
    nameKeys: new Set([...left.keys(), ...[...arrived].map(nameKeyOf)]),
  };
}

/** Resolves a link. A file card of a canvas contains a whole vault path, in which `#` is part of the name. */
export function resolveWritten(
  { kind, link }: Pick<Link, 'kind' | 'link'>,
  source: NotePath,
  candidatesFor: CandidatesFor,
): Resolution {
  if (kind !== 'canvas') return resolveLink(link, source, candidatesFor, kind);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === undefined ? { path: null } : { path, match: 'exact' };
}

/** A link with the file it leads to, or null if it leads nowhere. */
export interface TargetedLink extends Link {
  readonly target: NotePath | null;
  /** It is written as an address of the file, and not as its path. */
  readonly byAddress?: true;
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
    ({ kind, target, link, byAddress }) =>
      kind !== 'canvas' && target !== null && !byAddress && splitLink(link).path !== '',
  );
  let relative: boolean | undefined;
  const writesRelative = (): boolean =>
    (relative ??= !shown.some((link) => isPlainDestination(text, link) && isWrittenByName(source, link)));
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
      const isWhole = foldName(path) === foldName(style.extension ? target : withoutNoteExtension(target));
      return { ...style, by: 'path', segments: isWhole ? Number.POSITIVE_INFINITY : style.segments };
    },
  };
}

/** Whether the link is a Markdown link, which other programs resolve relative to the note. */
function isDestination(text: string, { offset }: TargetedLink): boolean {
  return !text.startsWith('[[', offset) && !text.startsWith('![[', offset);
}

/** Not within a code of a site, which has rules of its own. */
function isPlainDestination(text: string, link: TargetedLink): boolean {
  return isDestination(text, link) && !/^[{<]|\]\(\{/.test(text.slice(link.offset, link.end));
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
  return folded === foldName(relative) || folded === foldName(withoutNoteExtension(relative));
}

/** Whether a Markdown link resolves only by Obsidian's rules: read as a relative path it would lead elsewhere. */
function isWrittenByName(source: NotePath, { link, target }: TargetedLink): boolean {
  const { path } = splitLink(link);
  return target !== null && !isDotted(path) && !path.startsWith('/') && !isRelativeTo(source, path, target);
}

function isShortest(source: NotePath, path: string, target: NotePath, before: CandidatesFor): boolean {
  for (let count = 1; count < segmentsOf(path); count += 1) {
    const resolved = resolveLink(lastSegments(path, count), source, before);
    if (resolved.path === target && resolved.match !== 'ambiguous') return false;
  }
  return true;
}
