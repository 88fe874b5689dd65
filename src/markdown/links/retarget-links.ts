// Lets links of one file lead to another file or part, each in the form in which it is written.
import type { Link, NotePath } from '../../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { subpathOf } from './fold.ts';
import { linksIn, resolveWritten } from './link-changes.ts';
import { createLinkPathLocator } from './link-path.ts';
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
}

export interface LinksToRetarget {
  /** The path of the file after the change. */
  readonly path: NotePath;
  readonly text: string;
  readonly changes: readonly LinkTarget[];
  /** Every file of the vault after the change. */
  readonly paths: readonly NotePath[];
}

/** Other links stay as they are. `failed`: the indexes of links that could not be rewritten. */
export function retargetLinks({ path, text, changes, paths }: LinksToRetarget) {
  const candidates = candidatesByName(paths);
  const links = linksIn(path, text);
  const spliceOf = createSplices(path, text, candidates);
  const placed = new Map(changes.map((change) => [change, spliceOf(links[change.index], change)]));
  const tried = changes.filter((change) => placed.get(change) !== undefined);
  const whole = applied(path, text, links, tried, placed, candidates);
  const passing = tried.filter(({ index }) => !whole.failed.has(index));
  const done = passing.length === tried.length ? whole : applied(path, text, links, passing, placed, candidates);
  const isDone = done.failed.size === 0;
  const made = new Set(isDone ? passing.map(({ index }) => index) : []);
  return {
    text: isDone ? done.text : text,
    failed: changes.map(({ index }) => index).filter((index) => !made.has(index)),
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
  const found = linksIn(path, after);
  const wanted = new Map(changes.map((change) => [change.index, change]));
  const isAsMeant = (before: Link, index: number): boolean => {
    const [now, change] = [found[index], wanted.get(index)];
    if (now === undefined || now.kind !== before.kind) return false;
    if (change === undefined) return now.link === before.link;
    return resolveWritten(now, path, candidates).path === change.target && subpathOf(now) === change.subpath;
  };
  const wrong = links.flatMap((link, index) => (isAsMeant(link, index) ? [] : [index]));
  return { text: after, failed: new Set(found.length === links.length ? wrong : links.keys()) };
}

/** What to write for a link; undefined if it is not in one piece, or if no link of its form can name the target. */
function createSplices(path: NotePath, text: string, candidates: CandidatesFor) {
  const locate = createLinkPathLocator(path, text);
  const placeSubpath = createSubpathPlaces(path, text);
  return (link: Link | undefined, { target, subpath }: LinkTarget): readonly Splice[] | undefined => {
    const place = link && locate(link);
    if (link === undefined || place === undefined) return undefined;
    if (link.kind === 'canvas') {
      const part = subpath === subpathOf(link) ? [] : [placeSubpath(link, subpath)];
      const splices = [{ from: place.from, to: place.to, text: place.quote(target) }, ...part];
      return splices.every((one) => one !== undefined) ? splices : undefined;
    }
    for (const spelled of spellingsOf(target, path, styleOf(text, link, place.written, target), place.written)) {
      const resolved = resolveLink(spelled, path, candidates);
      const written =
        resolved.path === target && resolved.match !== 'ambiguous' ? writePath(spelled, place) : undefined;
      const to = { from: place.from, to: place.linkTo };
      if (written !== undefined)
        return [{ ...to, text: `${written}${place.quote(writtenSubpath(subpath, place.form))}` }];
    }
    return undefined;
  };
}

/** A wikilink by the shortest name, a Markdown link relative to its note. */
function styleOf(text: string, { offset, kind }: Link, written: string, target: NotePath): PathStyle {
  const isWikilink = kind === 'property' || /^!?\[\[/.test(text.slice(offset, offset + 3));
  const extension = isWikilink ? hasExtension(written, target) : !/^[^.]+$/.test(written) || written === '';
  const by = written.startsWith('/') ? 'root' : isWikilink && !/^\.\.?\//.test(written) ? 'name' : 'relative';
  return { by, extension, dotted: written.startsWith('./'), segments: 1 };
}
