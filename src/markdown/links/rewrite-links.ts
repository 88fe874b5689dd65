// Rewrites the links of one file so that each leads where it led, once files have moved. Reads and writes no file.
import type { NotePath } from '../../base/note.ts';
import type { Splice } from '../edit/splice.ts';
import { decodeDestination, inlineTargetAt, isExternal } from '../parse/markdown-link.ts';
import { readWikilink, wikilinkClose } from '../parse/wikilink.ts';
import { splitLink } from './fold.ts';
import {
  changeLinks,
  type LinkChange,
  type LinkedText,
  linksIn,
  type MovedFiles,
  resolveWritten,
} from './link-changes.ts';
import { createLinkPathLocator, type LinkPath, type LocateLinkPath, type PathForm } from './link-path.ts';
import { createLinkStyles, isRelativeTo, type LinkStyles, type TargetedLink } from './link-style.ts';
import { spellingsOf } from './path-spelling.ts';
import { type CandidatesFor, type Resolution, resolveLink } from './resolve-link.ts';

export interface RewrittenLink {
  /** Where it stands in the text as it was; no rewriting moves a line. */
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

export interface RefusedLink {
  readonly line: number;
  readonly column: number;
  readonly link: string;
  readonly reason: string;
}

export interface LinksRewritten {
  readonly text: string;
  readonly rewritten: readonly RewrittenLink[];
  /** Links that could not follow; they stand as they were. */
  readonly refused: readonly RefusedLink[];
}

/** The links of a note or a canvas, each with the file it leads to among those given. */
export function targetedLinks(path: NotePath, text: string, candidatesFor: CandidatesFor): TargetedLink[] {
  return linksIn(path, text).map((link) => ({ ...link, target: resolveWritten(link, path, candidatesFor).path }));
}

interface Rewriting extends LinkedText {
  readonly styles: LinkStyles;
  readonly locate: LocateLinkPath;
}

/**
 * A link keeps its form, its display and its subpath. A name stays a name while that leads there, else it becomes the shortest
 * path that does; a path stays a path, but one that was as short as could be stays as short as can be; a path relative to the
 * note stays relative, also when the note itself moves. What leads where it led, and does so for other programs that read it as
 * relative, is not touched; nor is a link that led nowhere.
 * @param path where the file was before the move
 * @param text as decoded, without a byte order mark
 * @param links all links of the text, with where they led before the move
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

function refusal({ line, column, link }: TargetedLink, reason: string): RefusedLink {
  return { line, column, link, reason };
}

function mustChange({ path, files, styles }: Rewriting, link: TargetedLink): boolean {
  const { target } = link;
  if (target === null) return false;
  const [source, wanted] = [files.pathAfter(path), files.pathAfter(target)];
  const found = resolveWritten(link, source, files.after);
  if (found.path !== wanted) return true;
  if (isAmbiguous(found) && !isAmbiguous(resolveWritten(link, path, files.before))) return true;
  const written = link.kind === 'canvas' ? '' : splitLink(link.link).path;
  if (written === '' || (source === path && wanted === target)) return false;
  return styles.styleOf(link, target).by === 'relative' && !isRelativeTo(source, written.replace(/^\.\//, ''), wanted);
}

function isAmbiguous(found: Resolution): boolean {
  return found.path !== null && found.match === 'ambiguous';
}

/** What to write in place of its path, or why nothing can be. */
function newPath(rewriting: Rewriting, link: TargetedLink): Splice | string {
  const { path, files, styles, locate } = rewriting;
  const place = locate(link);
  if (place === undefined || link.target === null)
    return 'it is not written in one piece, or is defined more than once';
  const { from, to } = place;
  const [source, wanted] = [files.pathAfter(path), files.pathAfter(link.target)];
  if (link.kind === 'canvas') return { from, to, text: place.quote(wanted) };
  for (const spelled of spellingsOf(wanted, source, styles.styleOf(link, link.target), splitLink(link.link).path)) {
    const found = resolveLink(spelled, source, files.after);
    const text = found.path === wanted && !isAmbiguous(found) ? writePath(spelled, place) : undefined;
    if (text !== undefined) return { from, to, text };
  }
  return `no link of this form can name ${JSON.stringify(wanted)}`;
}

/** The path as it is to stand in the file; undefined where it would not read back as itself. */
function writePath(path: string, { form, written, quote }: LinkPath): string | undefined {
  const isDestination = form === 'bare' || form === 'enclosed';
  const text = isDestination ? encodeDestination(path, written, form === 'enclosed') : path;
  return readsBack(text, path, form) ? quote(text) : undefined;
}

function readsBack(text: string, path: string, form: PathForm): boolean {
  switch (form) {
    case 'file':
      return true;
    case 'wikilink':
      return wikilinkClose(`[[${text}]]`, 0) === text.length + 2 && isPathOf(readWikilink(text)?.link, path);
    case 'bare':
      return isDestination(`(${text})`, text, path);
    case 'enclosed':
      return isDestination(`(<${text}>)`, text, path);
  }
}

function isDestination(target: string, text: string, path: string): boolean {
  const found = inlineTargetAt(target, 0);
  return (
    found?.raw === text && found.end === target.length && !isExternal(text) && isPathOf(decodeDestination(text), path)
  );
}

function isPathOf(link: string | undefined, path: string): boolean {
  return link === path && splitLink(link).path === path;
}

/** @param before the path that stood there, as written */
function encodeDestination(path: string, before: string, enclosed: boolean): string {
  const encoded = enclosed ? path.replace(IN_BRACKETS, hexOf) : encodeBare(path, before);
  return withSpellingOf(before, encoded);
}

/** What ends a destination between `<` and `>`, or reads there as something else. */
const IN_BRACKETS = /[<>\\]|%(?=[\da-f]{2})/gi;
/** The same without them: blanks, signs of Markdown; brackets and letters beyond ASCII as they were before. */
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

/** The path with the last segments spelled as they were, as far as they are the same. */
function withSpellingOf(before: string, encoded: string): string {
  const old = before.split('/');
  const segments = encoded.split('/');
  for (let at = 1; at <= Math.min(old.length, segments.length); at += 1) {
    const written = old.at(-at) ?? '';
    if (decodeDestination(written) !== decodeDestination(segments.at(-at) ?? '')) break;
    segments[segments.length - at] = written;
  }
  return segments.join('/');
}
