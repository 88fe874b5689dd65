// Makes the graph from a list of paths and the links between them, and finds a path in it.
import { VaultgraphError } from '../base/errors.ts';
import type { Graph } from '../base/graph.ts';
import type { NotePath } from '../base/note.ts';
import { createAdjacency, type EdgeColumns, everyIndex } from './adjacency.ts';
import { comparePaths } from './path-order.ts';

/** `source` and `target` are places in the list of paths; `count` is how many links lead from one to the other. */
export type Edge = readonly [source: number, target: number, count: number];

/**
 * Nodes in the order of their paths' code points, repeated edges merged by adding their counts, self links dropped.
 * @throws INTERNAL for a path given twice, a place outside the list, or a count below one: the caller's bookkeeping is wrong
 */
export function buildGraph(revision: number, paths: readonly NotePath[], edges: readonly Edge[]): Graph {
  const order = ascendingOrder(paths);
  const nodeAt = new Int32Array(paths.length);
  const sorted: NotePath[] = [];
  for (let node = 0; node < order.length; node++) {
    const place = order[node] as number;
    nodeAt[place] = node;
    sorted.push(paths[place] as NotePath);
  }
  return { revision, paths: sorted, ...createAdjacency(paths.length, columnsBetweenNodes(edges, nodeAt)) };
}

/** The node with exactly this path, or undefined. */
export function indexOfPath({ paths }: Graph, path: string): number | undefined {
  let low = 0;
  let high = paths.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = comparePaths(paths[middle] as string, path);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Places in ascending order of their paths; a list that ascends already, as a store gives it, is not sorted again. */
function ascendingOrder(paths: readonly NotePath[]): Int32Array {
  const order = everyIndex(paths.length);
  const compare = (a: number, b: number) => comparePaths(paths[a] as string, paths[b] as string);
  const ascends = (places: Int32Array) =>
    places.every((place, i) => i === 0 || compare(places[i - 1] as number, place) < 0);
  if (ascends(order)) return order;
  order.sort(compare);
  if (!ascends(order)) throw new VaultgraphError('INTERNAL', { kind: 'graph_path' });
  return order;
}

function columnsBetweenNodes(edges: readonly Edge[], nodeAt: Int32Array): EdgeColumns {
  const sources = new Int32Array(edges.length);
  const targets = new Int32Array(edges.length);
  const counts = new Int32Array(edges.length);
  let kept = 0;
  for (const [from, to, count] of edges) {
    const source = nodeAt[from];
    const target = nodeAt[to];
    if (source === undefined || target === undefined || !(count >= 1)) {
      throw new VaultgraphError('INTERNAL', { kind: 'graph_edge' });
    }
    if (source === target) continue;
    sources[kept] = source;
    targets[kept] = target;
    counts[kept++] = count;
  }
  return { sources: sources.subarray(0, kept), targets: targets.subarray(0, kept), counts: counts.subarray(0, kept) };
}
