// Points links of one file to another file or part, and keeps the form in which each is written.
import { fileKindOf, type Link, type NotePath } from '../../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { hasTextFirst } from '../parse/wikilink.ts';
import { subpathOf } from './fold.ts';
import { linksIn, resolveWritten } from './link-changes.ts';
import { createLinkPathLocator, type LinkPath } from './link-path.ts';
import { hasExtension, type PathStyle, spellingsOf } from './path-spelling.ts';
import { type CandidatesFor, candidatesByName, resolveLink } from './resolve-link.ts';
import { writePath } from './rewrite-links.ts';
import { createSubpathPlaces, writtenSubpath } from './rewrite-subpaths.ts';

export interface LinkTarget {
  /** The link, by its place among all links of the file. */
  readonly index: number;
  readonly target: NotePath;
  /** With its `#`; empty for the whole file. */
  readonly subpath: string;
  /** Whether a wikilink without a display text gets what it shows now as one. */
  readonly keepsText?: boolean;
}

export interface LinksToRetarget {
  /** The path of the file after the change. */
  readonly path: NotePath;
  readonly text: string;
  readonly changes: readonly LinkTarget[];
  /** Every file of the vault after the change. */
  readonly paths: readonly NotePath[];
  /** Whether the links lead nowhere now, so that only how they are written says which form they have. */
  readonly areBroken?: boolean;
}

/** Does what `retarget` does, for a caller without an index of the names. */
export function retargetLinks({ paths, ...request }: LinksToRetarget) {
  return retarget(request, candidatesByName(paths));
}

/**
 * Other links stay as they are. `failed`: the indexes of links that could not be rewritten.
 * @param candidates every file of the vault after the change
 */
export function retarget(request: Omit<LinksToRetarget, 'paths'>, candidates: CandidatesFor) {
  const { path, text, changes } = request;
  const links = linksIn(path, text);
  const spliceOf = createSplices(request, candidates);
  const placed = new Map(changes.map((change) => [change, spliceOf(links[change.index], change)]));
  const tried = changes.filter((change) => placed.get(change) !== undefined);
  const whole = applied(path, text, links, tried, placed, candidates);
  const passing = tried.filter(({ index }) => !whole.failed.has(index));
  const done = passing.length === tried.length ? whole : applied(path, text, links, passing, placed, candidates);
  const isDone = done.failed.size === 0;
  const indexes = new Set(isDone ? passing.map(({ index }) => index) : []);
  return {
    text: isDone ? done.text : text,
    failed: changes.map(({ index }) => index).filter((index) => !indexes.has(index)),
  };
}

type Placed = ReadonlyMap<LinkTarget, readonly Splice[] | undefined>;

function applied(
  path: NotePath,
  text: string,
  links: readonly Link[],
  changes: readonly LinkTarget[],
  placed: Placed,
  candidates: CandidatesFor,
) {
  const splices = changes.flatMap((change) => placed.get(change) ?? []);
  const after = applySplices(text, sortSplices([...new Map(splices.map((one) => [one.from, one])).values()]));
  const linksAfter = linksIn(path, after);
  const byIndex = new Map(changes.map((change) => [change.index, change]));
  const isAsMeant = (before: Link, index: number): boolean => {
    const [now, change] = [linksAfter[index], byIndex.get(index)];
    if (now === undefined || now.kind !== before.kind) return false;
    if (change === undefined) return now.link === before.link;
    if (change.keepsText === true && before.kind !== 'embed' && now.display !== before.display) return false;
    return resolveWritten(now, path, candidates).path === change.target && subpathOf(now) === change.subpath;
  };
  const wrong = links.flatMap((link, index) => (isAsMeant(link, index) ? [] : [index]));
  return { text: after, failed: new Set(linksAfter.length === links.length ? wrong : links.keys()) };
}

/** What to write for a link; undefined if it is not in one piece, or if no link of its form can name the target. */
function createSplices({ path, text, areBroken = false }: Omit<LinksToRetarget, 'paths'>, candidates: CandidatesFor) {
  const locate = createLinkPathLocator(path, text);
  const placeSubpath = createSubpathPlaces(path, text);
  return (link: Link | undefined, change: LinkTarget): readonly Splice[] | undefined => {
    const { target, subpath } = change;
    const place = link && locate(link);
    if (link === undefined || place === undefined) return undefined;
    if (areBroken && resolveWritten(link, path, candidates).path === target)
      return allOrNone([placeSubpath(link, subpath)]);
    if (link.kind === 'canvas') {
      const part = subpath === subpathOf(link) ? [] : [placeSubpath(link, subpath)];
      return allOrNone([{ from: place.from, to: place.to, text: place.quote(target) }, ...part]);
    }
    const style = areBroken ? styleAsWritten(place.written) : styleOf(text, link, place.written, target);
    for (const spelled of spellingsOf(target, path, style, place.written)) {
      const resolved = resolveLink(spelled, path, candidates, link.kind);
      const newText =
        resolved.path === target && resolved.match !== 'ambiguous' ? writePath(spelled, place) : undefined;
      const to = { from: place.from, to: place.linkTo };
      const shown = change.keepsText === true ? shownText(text, link, place) : '';
      if (newText !== undefined)
        return [
          { ...to, text: withShown(newText + place.quote(writtenSubpath(subpath, place.form)), place.quote(shown)) },
        ];
    }
    return undefined;
  };
}

const allOrNone = (splices: readonly (Splice | undefined)[]): readonly Splice[] | undefined =>
  splices.every((one) => one !== undefined) ? splices : undefined;

/** @param shown as `shownText` gives it, which some systems have first */
function withShown(link: string, shown: string): string {
  if (!hasTextFirst()) return link + shown;
  const [, bar = '', display = ''] = /^(\\?\|)(.*)$/s.exec(shown) ?? [];
  return display + bar + link;
}

/** The display text, with its bar, that lets a wikilink without one show what it shows now. In a table a bar is escaped. */
function shownText(text: string, { kind, offset, end, display }: Link, { form }: LinkPath): string {
  if (form !== 'wikilink' || kind === 'embed' || text.slice(offset, end).includes('|')) return '';
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  const rest = text.slice(end).search(/[\r\n]|$/) + end;
  const isInTable = kind !== 'property' && (text.slice(start, offset) + text.slice(end, rest)).includes('|');
  return `${isInTable ? '\\|' : '|'}${display}`;
}

/** A wikilink by the shortest name, a Markdown link relative to its note. */
function styleOf(text: string, { offset, kind }: Link, linkPath: string, target: NotePath): PathStyle {
  const isWikilink = kind === 'property' || /^!?\[\[/.test(text.slice(offset, offset + 3));
  const extension = isWikilink ? hasExtension(linkPath, target) : !/^[^.]+$/.test(linkPath) || linkPath === '';
  const by = linkPath.startsWith('/') ? 'root' : isWikilink && !/^\.\.?\//.test(linkPath) ? 'name' : 'relative';
  return { by, extension, dotted: linkPath.startsWith('./'), segments: 1 };
}

/** A name stays a name, and a path one with as many folders. */
function styleAsWritten(linkPath: string): PathStyle {
  const isRelative = /^\.\.?\//.test(linkPath);
  const by = linkPath.startsWith('/') ? 'root' : isRelative ? 'relative' : 'path';
  const segments = linkPath.split('/').length;
  return { by, extension: fileKindOf(linkPath) === 'note', dotted: linkPath.startsWith('./'), segments };
}
