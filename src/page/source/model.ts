// The graph prepared for the page: neighbours, folders and tags.
import type { GraphPicture, PicturedNote } from '../../contracts/graph-picture.ts';
import { type Shape, shapeOf } from '../../picture/shape.ts';
import { neighbours } from '../graph/chain.ts';

export interface Model {
  readonly picture: GraphPicture;
  readonly shape: Shape;
  readonly nodes: ReadonlyMap<string, number>;
  /** Per node: its linked nodes, each once. */
  readonly around: readonly (readonly number[])[];
  /** Folders with the number of notes in and below them, in ascending order. */
  readonly folders: readonly (readonly [string, number])[];
  /** Tags, most notes first. */
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

/** The folders above a path: `a/b` and `a` for `a/b/c.md`. */
function foldersAbove(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, depth) => steps.slice(0, depth + 1).join('/'));
}

/** A nested tag counts for its parent tags too, once per note. */
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

/** The top folder of a path; empty for notes outside any folder. */
export const topFolder = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');
