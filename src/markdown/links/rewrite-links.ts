// Rewrites the links of one file after files have moved, so that each still leads to the same file.
import type { NotePath } from '../../base/note.ts';
import type { Splice } from '../edit/splice.ts';
import { decodeDestination, inlineTargetAt, isExternal } from '../parse/markdown-link.ts';
import { isMacroPath } from '../parse/site-syntax.ts';
import { readWikilink, wikilinkClose } from '../parse/wikilink.ts';
import { addressSpellings, relativeAddress } from './addresses.ts';
import { splitLink } from './fold.ts';
import {
  changeLinks,
  createLinkStyles,
  isRelativeTo,
  type LinkChange,
  type LinkedText,
  type LinkStyles,
  linksIn,
  type MovedFiles,
  resolveWritten,
  type TargetedLink,
} from './link-changes.ts';
import { createLinkPathLocator, type LinkPath, type LocateLinkPath, type PathForm } from './link-path.ts';
import { recased, spellingsOf, withSegmentsOf } from './path-spelling.ts';
import { type CandidatesFor, type Resolution, resolveLink } from './resolve-link.ts';

export interface RewrittenLink {
  /** The position in the old text; rewriting never changes line numbers. */
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

export type RefusedLink = ReturnType<typeof refusal>;

export interface LinksRewritten {
  readonly text: string;
  readonly rewritten: readonly RewrittenLink[];
  /** Links that could not be rewritten; they are unchanged. */
  readonly refused: readonly RefusedLink[];
}

/** The links of a note or canvas, each with the file it leads to. */
export function targetedLinks(path: NotePath, text: string, candidatesFor: CandidatesFor): TargetedLink[] {
  return linksIn(path, text).map((link) => {
    const { byAddress, path: target } = { byAddress: undefined, ...resolveWritten(link, path, candidatesFor) };
    return { ...link, target, ...(byAddress && { byAddress }) };
  });
}

interface Rewriting extends LinkedText {
  readonly styles: LinkStyles;
  readonly locate: LocateLinkPath;
}

/**
 * A link keeps its form, display text and subpath. A name stays a name as long as it leads to the file, else it
 * becomes the shortest path that does. A path stays a path; one that was as short as possible stays so. A relative
 * path stays relative, also when the note itself moves. Links that still lead to the same file, also for programs
 * that read them as relative paths, are not changed, unless they have exactly the letter case that the path had before; nor are broken
 * links.
 * @param path the file's path before the move
 * @param text as decoded, without a byte order mark
 * @param links all links of the text, with their targets before the move
 */
export function rewriteLinks(
  path: NotePath,
  text: string,
  links: readonly TargetedLink[],
  files: MovedFiles,
): LinksRewritten {
  const styles = createLinkStyles(path, text, links, files.before);
  const rewriting = { path, text, links, files, styles, locate: createLinkPathLocator(path, text) };
  const changes: LinkChange[] = [];
  const refused: RefusedLink[] = [];
  const breaking = new Set(links.filter((link) => mustChange(rewriting, link)));
  for (const link of breaking) {
    const splice = newPath(rewriting, link);
    if (typeof splice === 'string') refused.push(refusal(link, splice));
    else changes.push({ link, splice });
  }
  return changes.length === 0 ? { text, rewritten: [], refused } : applied(rewriting, changes, breaking, refused);
}

function applied(
  rewriting: Rewriting,
  changes: readonly LinkChange[],
  breaking: ReadonlySet<TargetedLink>,
  refused: readonly RefusedLink[],
): LinksRewritten {
  const changed = changeLinks(rewriting, changes, breaking);
  const failed = changed.failed.map((link) => refusal(link, 'with the new path the text would read otherwise'));
  return {
    text: changed.text,
    rewritten: changed.made.map(({ link: { line, column, link }, now }) => ({
      line,
      column,
      from: link,
      to: now.link,
    })),
    refused: [...refused, ...failed].sort((one, other) => one.line - other.line || one.column - other.column),
  };
}

function refusal({ line, column, link }: TargetedLink, reason: string) {
  return { line, column, link, reason };
}

function mustChange({ path, files, styles }: Rewriting, link: TargetedLink): boolean {
  const { target } = link;
  if (target === null) return false;
  const [source, expected] = [files.pathAfter(path), files.pathAfter(target)];
  const resolved = resolveWritten(link, source, files.after);
  if (resolved.path !== expected) return true;
  if (isAmbiguous(resolved) && !isAmbiguous(resolveWritten(link, path, files.before))) return true;
  const linkPath = link.kind === 'canvas' ? '' : splitLink(link.link).path;
  if (linkPath === '' || (source === path && expected === target)) return false;
  if (link.byAddress) {
    const relative = relativeAddress(linkPath, { source: [source, path], target: [expected, target] });
    return relative !== undefined && relative !== linkPath;
  }
  if (recased(linkPath, target, expected) !== linkPath) return true;
  return (
    styles.styleOf(link, target).by === 'relative' && !isRelativeTo(source, linkPath.replace(/^\.\//, ''), expected)
  );
}

function isAmbiguous(resolution: Resolution): boolean {
  return resolution.path !== null && resolution.match === 'ambiguous';
}

/** The new path of the link, or why there is none. */
function newPath(rewriting: Rewriting, link: TargetedLink): Splice | string {
  const { path, files, styles, locate } = rewriting;
  const place = locate(link);
  if (place === undefined || link.target === null)
    return 'it is not written in one piece, or is defined more than once';
  const { from, to } = place;
  const [source, expected] = [files.pathAfter(path), files.pathAfter(link.target)];
  if (link.kind === 'canvas') return { from, to, text: place.quote(expected) };
  const before = recased(splitLink(link.link).path, link.target, expected);
  const pages = { source: [source, path], target: [expected, link.target] } as const;
  const addresses = link.byAddress ? addressSpellings(before, pages) : [];
  for (const spelled of [...addresses, ...spellingsOf(expected, source, styles.styleOf(link, link.target), before)]) {
    const resolved = resolveLink(spelled, source, files.after, link.kind);
    const text = resolved.path === expected && !isAmbiguous(resolved) ? writePath(spelled, place) : undefined;
    if (text !== undefined) return { from, to, text };
  }
  return `no link of this form can name ${JSON.stringify(expected)}`;
}

/** The path as written in the file; undefined if it would not read back as itself. */
export function writePath(path: string, { form, written, quote }: LinkPath): string | undefined {
  const isDestination = form === 'bare' || form === 'enclosed';
  const texts = isDestination ? destinations(path, written, form === 'enclosed') : [path];
  const text = texts.find((each) => readsBack(each, path, form));
  return text === undefined ? undefined : quote(text);
}

function readsBack(text: string, path: string, form: PathForm): boolean {
  switch (form) {
    case 'file':
      return true;
    case 'macro':
      return isMacroPath(path);
    case 'wikilink':
      return wikilinkClose(`[[${text}]]`, 0) === text.length + 2 && isPathOf(readWikilink(text)?.link, path);
    case 'bare':
      return isDestination(`(${text})`, text, path);
    case 'enclosed':
      return isDestination(`(<${text}>)`, text, path);
  }
}

function isDestination(target: string, text: string, path: string): boolean {
  const inline = inlineTargetAt(target, 0);
  return (
    inline?.raw === text && inline.end === target.length && !isExternal(text) && isPathOf(decodeDestination(text), path)
  );
}

function isPathOf(link: string | undefined, path: string): boolean {
  return link === path && splitLink(link).path === path;
}

/**
 * First with parentheses as they were before, then encoded: a bare path may hold only pairs of them.
 * @param before the old path, as written
 */
function destinations(path: string, before: string, enclosed: boolean): readonly string[] {
  if (enclosed) return [withSegmentsOf(before, path.replace(IN_BRACKETS, hexOf), decodeDestination)];
  const likeBefore = withSegmentsOf(before, encodeBare(path, before), decodeDestination);
  return [likeBefore, encodeBare(path, before.replace(/[()]/g, ''))];
}

/** Characters that end a destination between `<` and `>`, or have a meaning there. */
const IN_BRACKETS = /[<>\\]|%(?=[\da-f]{2})/gi;
/**
 * The same for a bare destination, including blanks; parentheses and non-ASCII letters are encoded as they were
 * before.
 */
const BARE = /[\0- <>\\`\x7F]|%(?=[\da-f]{2})|[()]|[^\0-\x7F]+/gi;

function encodeBare(path: string, before: string): string {
  const keepsBrackets = /(?<!\\)[()]/.test(before);
  const keepsLetters = !/%[89a-f][\da-f]/i.test(before);
  const inLowerCase = /%(?:[a-f][\da-f]|\d[a-f])/.test(before);
  return path.replace(BARE, (signs) => {
    if (/^[()]/.test(signs) ? keepsBrackets : signs > '\x7F' && keepsLetters) return signs;
    return inLowerCase ? hexOf(signs).toLowerCase() : hexOf(signs);
  });
}

function hexOf(signs: string): string {
  return encodeURIComponent(signs).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
