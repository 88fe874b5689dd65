// The structure of a graph for layout: links and groups.
import type { GraphPicture } from '../contracts/graph-picture.ts';

export interface Shape {
  readonly count: number;
  /** Two node indexes per linked pair, each pair once. */
  readonly pairs: Uint32Array;
  /** Per node: the number of linked nodes. */
  readonly degrees: Uint32Array;
  /** Per node: its group, or -1 for none. */
  readonly groups: Int32Array;
}

export function shapeOf({ notes, links }: Pick<GraphPicture, 'notes' | 'links'>): Shape {
  const pairs = pairsOf(links, notes.length);
  const degrees = new Uint32Array(notes.length);
  for (const node of pairs) degrees[node] = (degrees[node] ?? 0) + 1;
  return { count: notes.length, pairs, degrees, groups: Int32Array.from(notes, ({ group }) => group) };
}

/** Two notes that link to each other count as one pair. */
function pairsOf(links: readonly number[], count: number): Uint32Array {
  const nodes = new Set<number>();
  const pairs: number[] = [];
  for (let at = 0; at < links.length; at += 3) {
    const [one = 0, other = 0] = [links[at], links[at + 1]];
    const key = Math.min(one, other) * count + Math.max(one, other);
    if (one === other || nodes.has(key)) continue;
    nodes.add(key);
    pairs.push(one, other);
  }
  return Uint32Array.from(pairs);
}

export interface EmbeddedGraph {
  readonly picture: GraphPicture;
  /** Two numbers per note. */
  readonly places: readonly number[];
  /** The notes by path; absent if exported without texts. */
  readonly texts?: Readonly<Record<string, EmbeddedNote>>;
}

export interface EmbeddedNote {
  readonly text: string;
  /** The target of each link as written; null for an unresolved link. */
  readonly links: Readonly<Record<string, string | null>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Radii in pixels: smaller with more notes; the area of a disc is proportional to its score. */
export function radii(scores: ArrayLike<number>): Float32Array {
  const count = scores.length;
  const smallest = clamp(11 / Math.max(count, 1) ** 0.18, 1.9, 5.5);
  const largest = clamp(34 / Math.max(count, 1) ** 0.11, 11, 24);
  const scale = range(scores);
  return Float32Array.from(scores, (score) => smallest + (largest - smallest) * Math.sqrt(scale(score)));
}

/** Scales scores to 0 (smallest) to 1 (largest). */
function range(scores: ArrayLike<number>): (score: number) => number {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < scores.length; at++) {
    least = Math.min(least, scores[at] ?? 0);
    most = Math.max(most, scores[at] ?? 0);
  }
  return (score) => (most > least ? (score - least) / (most - least) : 0);
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
