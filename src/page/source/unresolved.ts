// Unresolved names and files as nodes of the page: what notes link to beside notes, with keys and positions.
import type { GraphPicture } from '../../contracts/graph-picture.ts';

const MARK = '?';
const AWAY = 1.3;

/** Prefix of unresolved names; `?` is not allowed in file names on Windows, and a note that has it takes precedence. */
export const unresolvedKey = (name: string): string => `${MARK}${MARK}/${name}`;

/** The unresolved name of a key; undefined for the key of a note. */
export function unresolvedName(key: string): string | undefined {
  return key.startsWith(`${MARK}${MARK}/`) ? key.slice(MARK.length * 2 + 1) : undefined;
}

export interface Loose {
  readonly key: string;
  readonly title: string;
  /** The notes that link to it. */
  readonly sources: readonly number[];
  readonly kind: 'unresolved' | 'file';
}

/** Unresolved names and files. */
export function loosesOf({ unresolved, files }: GraphPicture): readonly Loose[] {
  return [
    ...unresolved.map(
      ({ name, sources }): Loose => ({ key: unresolvedKey(name), title: name, sources, kind: 'unresolved' }),
    ),
    ...files.map(
      ({ path, sources }): Loose => ({ key: path, title: path.split('/').at(-1) ?? path, sources, kind: 'file' }),
    ),
  ];
}

export function looseOf(picture: GraphPicture, key: string): Loose | undefined {
  return loosesOf(picture).find((loose) => loose.key === key);
}

/** The position beside the note that links to it, or among all notes that do. @param turn its number among all */
export function loosePlace(sources: readonly number[], turn: number, places: Float32Array): readonly [number, number] {
  const [x, y] = [0, 1].map(
    (axis) => sources.reduce((sum, node) => sum + (places[node * 2 + axis] ?? 0), 0) / Math.max(1, sources.length),
  );
  const angle = turn * 2.399_963;
  return [(x ?? 0) + AWAY * Math.cos(angle), (y ?? 0) + AWAY * Math.sin(angle)];
}
