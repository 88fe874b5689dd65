// Finds the notes around a note, by distance and by shared neighbours.
import type { Graph } from '../base/graph.ts';
import { type Adjacency, neighborCountOf, neighborsOf, nodeCountOf, reverseOf, undirectedOf } from './adjacency.ts';

export type Direction = 'in' | 'out' | 'both';

/** A link in the vault; `direction` is `out` if it leads away from the start. */
export type NeighborhoodEdge = ReturnType<typeof edgesToCloser>[number];

export interface Neighbor {
  readonly node: number;
  /** Steps from the start, at least 1. */
  readonly depth: number;
  /** Every link to a note one step closer: outgoing ones first, then ascending by that note. */
  readonly edges: readonly NeighborhoodEdge[];
}

export interface NeighborhoodRequest {
  readonly direction: Direction;
  /** The maximum number of steps from the start, at least 1. */
  readonly depth: number;
  readonly limit: number;
  /** How many neighbours to skip; 0 by default. */
  readonly offset?: number;
}

/**
 * The notes around `start`, closest first, then by path, without the start itself.
 * `total`: the number of all neighbours; `neighbors` has fewer if `limit` or `offset` apply.
 */
export function neighborhood(graph: Graph, start: number, request: NeighborhoodRequest) {
  const { direction, depth, limit, offset = 0 } = request;
  const { depths, reached } = reach(rowsOf(graph, direction), start, depth);
  const others = reached.subarray(1);
  const neighbors = Array.from(others.subarray(offset, offset + limit), (node) => ({
    node,
    depth: depths[node] as number,
    edges: edgesToCloser(graph, node, depths, direction),
  }));
  return { neighbors, total: others.length };
}

function rowsOf(graph: Graph, direction: Direction): Adjacency {
  if (direction === 'both') return undirectedOf(graph);
  return direction === 'out' ? graph : reverseOf(graph);
}

function edgesToCloser(graph: Graph, node: number, depths: Int32Array, direction: Direction) {
  const nearer = (rows: Adjacency) =>
    Array.from(neighborsOf(rows, node)).filter((other) => depths[other] === (depths[node] as number) - 1);
  const out = direction === 'in' ? [] : nearer(reverseOf(graph));
  const back = direction === 'out' ? [] : nearer(graph);
  return [
    ...out.map((source) => ({ source, target: node, direction: 'out' as const })),
    ...back.map((target) => ({ source: node, target, direction: 'in' as const })),
  ];
}

/**
 * Follows the rows from `start` for at most `depth` steps.
 * `depths`: steps from the start; -1 if not reached.
 * `reached`: the nodes reached, the start first, ascending by depth and then by node.
 */
export function reach(adjacency: Adjacency, start: number, depth: number) {
  const size = nodeCountOf(adjacency);
  const depths = new Int32Array(size).fill(-1);
  const reached = new Int32Array(size);
  depths[start] = 0;
  reached[0] = start;
  let from = 0;
  let to = 1;
  for (let level = 1; level <= depth && from < to; level++) {
    const end = expandLevel(adjacency, level, depths, reached, from, to);
    reached.subarray(to, end).sort();
    [from, to] = [to, end];
  }
  return { depths, reached: reached.subarray(0, to) };
}

/** Appends the unseen neighbours of `reached[from … to)`. @returns the new end */
function expandLevel(
  { offsets, targets }: Adjacency,
  level: number,
  depths: Int32Array,
  reached: Int32Array,
  from: number,
  to: number,
): number {
  let end = to;
  for (let i = from; i < to; i++) {
    const node = reached[i] as number;
    const rowEnd = offsets[node + 1] as number;
    for (let place = offsets[node] as number; place < rowEnd; place++) {
      const neighbor = targets[place] as number;
      if (depths[neighbor] !== -1) continue;
      depths[neighbor] = level;
      reached[end++] = neighbor;
    }
  }
  return end;
}

/** A note linked with more others says nothing about any two of them; this also bounds the work. */
const MAX_LINKS = 500;

/**
 * Every node that shares a neighbour with `node` but is not linked with it, in either direction; best first, then by
 * node.
 * `score`: the sum of 1 / log2(1 + links) over the shared neighbours.
 */
export function sharedNeighbors(links: Adjacency, node: number) {
  const graph = undirectedOf(links);
  const near = neighborsOf(graph, node);
  const scores = new Map<number, number>();
  for (const between of near.subarray(0, MAX_LINKS)) {
    const count = neighborCountOf(graph, between);
    if (count > MAX_LINKS) continue;
    const share = 1 / Math.log2(1 + count);
    for (const neighbor of neighborsOf(graph, between)) scores.set(neighbor, (scores.get(neighbor) ?? 0) + share);
  }
  scores.delete(node);
  for (const neighbor of near) scores.delete(neighbor);
  const scored = [...scores].map(([other, score]) => ({ node: other, score }));
  return scored.sort((one, other) => other.score - one.score || one.node - other.node);
}
