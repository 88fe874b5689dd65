// Unresolved names as nodes of the page: their keys and their positions.
import type { GraphPicture, UnresolvedName } from '../../contracts/graph-picture.ts';

const MARK = '?';
const AWAY = 1.3;

/** Prefix of unresolved names; `?` is not allowed in file names on Windows, and a note that has it takes precedence. */
export const unresolvedKey = (name: string): string => `${MARK}${MARK}/${name}`;

/** The unresolved name of a key; undefined for the key of a note. */
export function unresolvedName(key: string): string | undefined {
  return key.startsWith(`${MARK}${MARK}/`) ? key.slice(MARK.length * 2 + 1) : undefined;
}

export function unresolvedOf({ unresolved }: GraphPicture, key: string): UnresolvedName | undefined {
  const name = unresolvedName(key);
  return name === undefined ? undefined : unresolved.find((one) => one.name === name);
}

/** The position beside the note that names it, or among all notes that do. */
export function unresolvedPlace(
  { unresolved }: GraphPicture,
  place: number,
  places: Float32Array,
): readonly [number, number] {
  const sources = unresolved[place]?.sources ?? [];
  const [x, y] = [0, 1].map(
    (axis) => sources.reduce((sum, node) => sum + (places[node * 2 + axis] ?? 0), 0) / Math.max(1, sources.length),
  );
  const angle = place * 2.399_963;
  return [(x ?? 0) + AWAY * Math.cos(angle), (y ?? 0) + AWAY * Math.sin(angle)];
}
