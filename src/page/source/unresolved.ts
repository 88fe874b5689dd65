// Names that no note has, as the page shows them: how they are told from notes, and where they stand.
import type { GraphPicture, UnresolvedName } from '../../contracts/graph-picture.ts';

const MARK = '?';
const AWAY = 1.3;

/** No path of a note begins with it: Windows allows it nowhere, and a vault that has it anyway has the note. */
export const unresolvedKey = (name: string): string => `${MARK}${MARK}/${name}`;

/** The name behind a key; undefined for the key of a note. */
export function unresolvedName(key: string): string | undefined {
  return key.startsWith(`${MARK}${MARK}/`) ? key.slice(MARK.length * 2 + 1) : undefined;
}

export function unresolvedOf({ unresolved }: GraphPicture, key: string): UnresolvedName | undefined {
  const name = unresolvedName(key);
  return name === undefined ? undefined : unresolved.find((one) => one.name === name);
}

/** Beside the one note that names it, or among all that do. */
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
