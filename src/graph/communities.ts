// Finds communities, groups of notes with more links inside than outside, by the Louvain method.
import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { type Adjacency, nodeCountOf, undirectedOf } from './adjacency.ts';
import { createRandom } from './centrality.ts';

// The package is CommonJS but its type declarations are not: the import is the function itself.
const louvain = louvainModule as unknown as typeof louvainModule.default;

const SEED = 1;

export type Communities = ReturnType<typeof communities>;

/**
 * Links are undirected and weighted by their count; resolution 1. A node without links is a community of its own.
 * `communityOf`: the community of each node, numbered from 0 by descending size, then by the first node.
 * `sizes`: the number of nodes of each community.
 * `modularity`: how many more links are inside communities than expected by chance, -0.5 … 1; 0 without links.
 */
export function communities(adjacency: Adjacency) {
  const rows = undirectedOf(adjacency);
  const communityOf = louvain(libraryGraphOf(rows), { rng: createRandom(SEED), resolution: 1 });
  const size = nodeCountOf(rows);
  // Numbers from `size` on are free: the library numbers at most as many communities as there are nodes.
  const assigned = Int32Array.from({ length: size }, (_, node) => communityOf[node] ?? size + node);
  return { ...renumbered(assigned), modularity: modularity(rows, assigned) };
}

/** Nodes without links are left out: they belong to no community. */
function libraryGraphOf({ offsets, targets, counts }: Adjacency): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (let node = 0; node + 1 < offsets.length; node++) {
    if (offsets[node] !== offsets[node + 1]) graph.addNode(node);
  }
  for (let node = 0; node + 1 < offsets.length; node++) {
    for (let place = offsets[node] as number; place < (offsets[node + 1] as number); place++) {
      const target = targets[place] as number;
      if (target > node) graph.addEdge(node, target, { weight: counts[place] });
    }
  }
  return graph;
}

function renumbered(labels: Int32Array): { communityOf: Int32Array; sizes: Int32Array } {
  const groups = [...Map.groupBy(labels.keys(), (node) => labels[node] as number).values()];
  groups.sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const communityOf = new Int32Array(labels.length);
  for (const [community, nodes] of groups.entries()) {
    for (const node of nodes) communityOf[node] = community;
  }
  return { communityOf, sizes: Int32Array.from(groups, (nodes) => nodes.length) };
}

/**
 * The share of link ends inside their group, minus the share expected at random, -0.5 … 1.
 * @param undirected rows in which every link occurs at both ends
 * @param groupOf any number per node; equal numbers are one group
 * @returns 0 for rows without links
 */
export function modularity(undirected: Adjacency, groupOf: Int32Array): number {
  const inside = new Map<number, number>();
  const ends = new Map<number, number>();
  let total = 0;
  const add = (sums: Map<number, number>, group: number, count: number) =>
    sums.set(group, (sums.get(group) ?? 0) + count);
  for (let node = 0; node < nodeCountOf(undirected); node++) {
    const group = groupOf[node] as number;
    const rowEnd = undirected.offsets[node + 1] as number;
    for (let place = undirected.offsets[node] as number; place < rowEnd; place++) {
      const count = undirected.counts[place] as number;
      total += count;
      add(ends, group, count);
      if (groupOf[undirected.targets[place] as number] === group) add(inside, group, count);
    }
  }
  let sum = 0;
  for (const [group, count] of ends) sum += (inside.get(group) ?? 0) / total - (count / total) ** 2;
  return sum;
}
