// Graphs for the tests: random small ones, large ones from a seed, and ones written out by hand.
import fc from 'fast-check';
import type { Graph } from '../../src/base/graph.ts';
import type { NotePath } from '../../src/base/note.ts';
import { comparePaths } from '../../src/base/path-order.ts';
import { createAdjacency } from '../../src/graph/adjacency.ts';
import { createRandom } from '../../src/graph/centrality.ts';

/** `source` and `target` are indexes into the list of paths; `count` is the number of links between the two. */
export type Edge = readonly [source: number, target: number, count: number];

/** A graph with its nodes in the order of their paths, without self links; repeated edges add up. */
export function buildGraph(revision: number, paths: readonly NotePath[], edges: readonly Edge[]): Graph {
  const sorted = [...paths].sort(comparePaths);
  const nodeOf = new Map(sorted.map((path, node) => [path, node]));
  const nodes = paths.map((path) => nodeOf.get(path) as number);
  const kept = edges.filter(([source, target]) => source !== target);
  const columns = {
    sources: Int32Array.from(kept, ([source]) => nodes[source] as number),
    targets: Int32Array.from(kept, ([, target]) => nodes[target] as number),
    counts: Int32Array.from(kept, ([, , count]) => count),
  };
  return { revision, paths: sorted, ...createAdjacency(paths.length, columns) };
}

export const named = (count: number): NotePath[] =>
  Array.from({ length: count }, (_, i) => `${String(i).padStart(7, '0')}.md` as NotePath);

/** `graphOf(4, '0>1 1>2 2>1*3')`: link counts behind a star. */
export function graphOf(size: number, links: string): Graph {
  const edges = links
    .split(' ')
    .filter(Boolean)
    .map((link): Edge => {
      const [ends = '', count = '1'] = link.split('*');
      const [source, target] = ends.split('>');
      return [Number(source), Number(target), Number(count)];
    });
  return buildGraph(1, named(size), edges);
}

export const smallGraphs = (most = 9): fc.Arbitrary<Graph> =>
  fc.integer({ min: 1, max: most }).chain((size) => {
    const node = fc.nat(size - 1);
    const edge = fc.tuple(node, node, fc.integer({ min: 1, max: 3 }));
    return fc.array(edge, { maxLength: 2 * size }).map((edges) => buildGraph(1, named(size), edges));
  });

/** Six links a note; targets crowd towards the first notes, as in real vaults. */
export function largeEdges(size: number): Edge[] {
  const random = createRandom(size);
  return Array.from({ length: 6 * size }, () => [Math.floor(random() * size), Math.floor(random() ** 3 * size), 1]);
}

export const largeGraph = (size: number): Graph => buildGraph(1, named(size), largeEdges(size));

/** Whether a link leads from `source` to `target`, the slow and plain way. */
export function links(graph: Graph, source: number, target: number): boolean {
  return graph.targets.subarray(graph.offsets[source], graph.offsets[source + 1]).includes(target);
}

/** Steps between every two nodes by Floyd and Warshall; Infinity where none leads. */
export function everyDistance(graph: Graph, directed: boolean): number[][] {
  const nodes = [...graph.paths.keys()];
  const joined = (a: number, b: number) => links(graph, a, b) || (!directed && links(graph, b, a));
  const steps = nodes.map((a) => nodes.map((b) => (a === b ? 0 : joined(a, b) ? 1 : Infinity)));
  const between = (a: number, b: number) => steps[a]?.[b] ?? Infinity;
  for (const middle of nodes) {
    for (const a of nodes) {
      for (const b of nodes) {
        const row = steps[a];
        if (row !== undefined) row[b] = Math.min(between(a, b), between(a, middle) + between(middle, b));
      }
    }
  }
  return steps;
}

/** Every shortest chain from `from` to `to`, in ascending order, by trying each neighbour that is one step nearer. */
export function everyShortestPath(graph: Graph, from: number, to: number, directed: boolean): number[][] {
  const steps = everyDistance(graph, directed);
  const left = (node: number) => steps[node]?.[to] ?? Infinity;
  const onward = (node: number): number[][] => {
    if (node === to) return [[to]];
    const next = [...graph.paths.keys()].filter(
      (other) =>
        (links(graph, node, other) || (!directed && links(graph, other, node))) && left(other) === left(node) - 1,
    );
    return next.flatMap((other) => onward(other).map((chain) => [node, ...chain]));
  };
  return left(from) === Infinity ? [] : onward(from);
}
