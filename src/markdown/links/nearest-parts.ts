// Finds the headings or blocks of a note that are spelled like one that it does not have.
import { NearestNames } from '../../base/nearest.ts';
import { headingSubpath } from './rewrite-subpaths.ts';
import { foldHeading, headingsAbove, type Outline, resolveSubpath } from './section.ts';
import { leastTypos } from './typos.ts';

const MAX_NEAREST = 3;

/** No more parts are compared, and no longer names, so that a note of any size takes a few milliseconds. */
const MAX_COMPARED = 5_000;
const MAX_LENGTH = 200;

/** The most similar heading or block, however little, where none is spelled alike. */
export function closestParts(subpath: string, outline: Pick<Outline, 'headings' | 'blocks'>): string[] {
  const near = nearestParts(subpath, outline);
  const soughtName = nameIn(subpath);
  if (near.length > 0 || soughtName === '' || soughtName.length > MAX_LENGTH) return near;
  const parts = partsLike(soughtName, outline).filter((name) => name.length <= MAX_LENGTH);
  const names = new NearestNames(parts);
  const containing = soughtName.length < 3 ? [] : names.containing(soughtName.toLowerCase(), 1);
  const [closest = names.within(soughtName, 1, MAX_LENGTH)[0]?.name] = [
    ...containing,
    ...withWordLike(soughtName, parts),
  ];
  return closest === undefined ? [] : [`#${closest}`];
}

/** Those with the word that is spelled most like the name. */
function withWordLike(sought: string, parts: readonly string[]): string[] {
  const [near] = new NearestNames(parts.flatMap((part) => part.split(/\s+/))).near(sought, 1);
  return near === undefined ? [] : parts.filter((part) => part.split(/\s+/).includes(near.name));
}

const nameIn = (subpath: string): string => subpath.split('#').at(-1)?.trim() ?? '';

function partsLike(sought: string, { headings, blocks }: Pick<Outline, 'headings' | 'blocks'>): string[] {
  return sought.startsWith('^')
    ? blocks.slice(0, MAX_COMPARED).map(({ id }) => `^${id}`)
    : headings.slice(0, MAX_COMPARED).map(({ text }) => text);
}

/** Lists parts as `#Heading` or `#^block`, nearest first. */
export function nearestParts(subpath: string, outline: Pick<Outline, 'headings' | 'blocks'>): string[] {
  const soughtName = nameIn(subpath);
  // Every name of one letter is one edit from every other.
  if (soughtName.length < 2 || soughtName.length > MAX_LENGTH) return [];
  const near = new NearestNames(partsLike(soughtName, outline));
  // A heading can hold a `#`, and other programs write its anchor with hyphens.
  const spellings = [soughtName, subpath.replace(/^#/, '').trim(), soughtName.replaceAll('-', ' ')];
  for (const spelling of spellings) {
    const nearby = spelling.length > MAX_LENGTH ? [] : near.near(spelling, MAX_NEAREST);
    if (nearby.length > 0) return nearby.map(({ name }) => `#${name}`);
  }
  return [];
}

/**
 * The parts that the link surely means: the same name elsewhere in the note, or one that it misspells. Several if they are equally
 * close; then, and if none is sure, the choice is left to a person.
 */
export function meantParts(subpath: string, outline: Outline): string[] {
  const soughtName = nameIn(subpath);
  if (soughtName === '' || subpath.length > MAX_LENGTH) return [];
  if (soughtName.startsWith('^')) {
    const blocks = outline.blocks.slice(0, MAX_COMPARED).map(({ id }) => ({ name: id }));
    return leastTypos(soughtName.slice(1), blocks).map(({ name }) => `#^${name}`);
  }
  const headings = outline.headings.slice(0, MAX_COMPARED).map((heading) => ({ name: heading.text, heading }));
  const same = headings.filter(({ name }) => foldHeading(name) === foldHeading(soughtName));
  const spellings = [soughtName, subpath.replaceAll('#', ' ').trim(), soughtName.replaceAll('-', ' ')];
  const nearest = same.length > 0 ? same : (spellings.map((one) => leastTypos(one, headings)).find(hasAny) ?? []);
  const isRepeated = nearest.length > 1;
  const named = nearest.map(({ heading }) => {
    const above = isRepeated ? headingsAbove(outline.headings, heading.line) : [];
    return { line: heading.line, subpath: headingSubpath([...above, heading].map(({ text }) => text)) };
  });
  return named.filter((one) => isRepeated || leadsTo(one, outline)).map((one) => one.subpath);
}

const hasAny = (list: readonly unknown[]): boolean => list.length > 0;

const leadsTo = ({ line, subpath }: { readonly line: number; readonly subpath: string }, outline: Outline): boolean =>
  resolveSubpath(subpath, outline, Number.MAX_SAFE_INTEGER)?.line === line;
