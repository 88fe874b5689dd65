// The picture made ready for questions of the page: who is linked with whom, what is where.
import type { GraphPicture, PicturedNote } from '../../contracts/graph-picture.ts';
import { type Shape, shapeOf } from '../../picture/shape.ts';
import { neighbours } from '../graph/chain.ts';

export interface Model {
  readonly picture: GraphPicture;
  readonly shape: Shape;
  readonly nodes: ReadonlyMap<string, number>;
  /** Of each node the others it is linked with, each once. */
  readonly around: readonly (readonly number[])[];
  /** Names of folders with how many notes lie in them and below, ascending. */
  readonly folders: readonly (readonly [string, number])[];
  /** Most notes first. */
  readonly tags: readonly (readonly [string, number])[];
}

export function modelOf(picture: GraphPicture): Model {
  const { notes, links } = picture;
  return Object.freeze({
    picture,
    shape: shapeOf(picture),
    nodes: new Map(notes.map(({ path }, node) => [path, node])),
    around: neighbours(notes.length, links).map((nodes) => [...new Set(nodes)]),
    folders: counted(notes.flatMap(({ path }) => foldersAbove(path))).sort(([a], [b]) => (a < b ? -1 : 1)),
    tags: counted(notes.flatMap(tagsAbove)).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)),
  });
}

/** `a/b` and `a` of `a/b/c.md`. */
function foldersAbove(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, depth) => steps.slice(0, depth + 1).join('/'));
}

/** A nested tag counts for those above it, once a note. */
function tagsAbove({ tags }: PicturedNote): string[] {
  const all = tags.flatMap((tag) => {
    const steps = tag.split('/');
    return steps.map((_, depth) => steps.slice(0, depth + 1).join('/'));
  });
  return [...new Set(all)];
}

function counted(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}

export function isInFolder({ path }: PicturedNote, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

export function hasTag({ tags }: PicturedNote, tag: string): boolean {
  const sought = tag.toLowerCase();
  return tags.some((one) => one.toLowerCase() === sought || one.toLowerCase().startsWith(`${sought}/`));
}

/** The first part of the path; empty for notes that lie in no folder. */
export const topFolder = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');
