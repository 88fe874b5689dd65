// Finds the headings or blocks of a note that are spelled like one that it does not have.
import { NearestNames } from '../../base/nearest.ts';
import type { Outline } from './section.ts';

const MAX_NEAREST = 3;

/** No more parts are compared, and no longer names, so that a note of any size takes a few milliseconds. */
const MAX_COMPARED = 5_000;
const MAX_LENGTH = 200;

/** As `#Heading` or `#^block`, nearest first. */
export function nearestParts(subpath: string, { headings, blocks }: Pick<Outline, 'headings' | 'blocks'>): string[] {
  const wanted = subpath.split('#').at(-1)?.trim() ?? '';
  // Every name of one letter is one edit from every other.
  if (wanted.length < 2 || wanted.length > MAX_LENGTH) return [];
  const parts = wanted.startsWith('^')
    ? blocks.slice(0, MAX_COMPARED).map(({ id }) => `^${id}`)
    : headings.slice(0, MAX_COMPARED).map(({ text }) => text);
  const near = new NearestNames(parts);
  // Other programs write the anchor of a heading with hyphens.
  const found = near.near(wanted, MAX_NEAREST);
  return (found.length > 0 ? found : near.near(wanted.replaceAll('-', ' '), MAX_NEAREST)).map(({ name }) => `#${name}`);
}
