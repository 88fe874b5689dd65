// The bare form of a picture: who is linked with whom, and who belongs together.
import type { GraphPicture } from '../contracts/graph-picture.ts';

export interface Shape {
  readonly count: number;
  /** Two indexes a pair of linked nodes, each pair once. */
  readonly pairs: Uint32Array;
  /** Of each node: with how many others it is linked. */
  readonly degrees: Uint32Array;
  /** Of each node; -1 for none. */
  readonly groups: Int32Array;
}

export function shapeOf({ notes, links }: Pick<GraphPicture, 'notes' | 'links'>): Shape {
  const pairs = pairsOf(links, notes.length);
  const degrees = new Uint32Array(notes.length);
  for (const node of pairs) degrees[node] = (degrees[node] ?? 0) + 1;
  return { count: notes.length, pairs, degrees, groups: Int32Array.from(notes, ({ group }) => group) };
}

/** Two notes that link to each other are one pair. */
function pairsOf(links: readonly number[], count: number): Uint32Array {
  const known = new Set<number>();
  const pairs: number[] = [];
  for (let at = 0; at < links.length; at += 3) {
    const [one = 0, other = 0] = [links[at], links[at + 1]];
    const key = Math.min(one, other) * count + Math.max(one, other);
    if (one === other || known.has(key)) continue;
    known.add(key);
    pairs.push(one, other);
  }
  return Uint32Array.from(pairs);
}
