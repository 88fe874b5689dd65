// Groups of notes that link more among themselves than outward, found by the Louvain method.
import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { type Adjacency, nodeCountOf, undirectedOf } from './adjacency.ts';
import { createRandom } from './seeded-random.ts';

// The package is CommonJS and its declarations are not: at run time the function itself is what is imported.
const louvain = louvainModule as unknown as typeof louvainModule.default;

const SEED = 1;

export interface Communities {
  /** The community of each node. Communities are numbered from 0: larger first, of equal ones that with the first node. */
  readonly communityOf: Int32Array;
  /** How many nodes each community has. */
  readonly sizes: Int32Array;
  /** How much more the links stay inside communities than by chance, -0.5 … 1; 0 without links. */
  readonly modularity: number;
}

/** Links count without direction and by their number; resolution 1; a node without links is a community of its own. */
export function communities(adjacency: Adjacency): Communities {
  const rows = undirectedOf(adjacency);
  const found = louvain(libraryGraphOf(rows), { rng: createRandom(SEED), resolution: 1 });
  const size = nodeCountOf(rows);
  // The numbers from `size` on are free: the library counts communities, of which there are at most as many as nodes.
  const assigned = Int32Array.from({ length: size }, (_, node) => found[node] ?? size + node);
  return { ...renumbered(assigned), modularity: modularity(rows, assigned) };
}

/** Nodes without links are left out: they belong to nothing. */
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

function renumbered(given: Int32Array): { communityOf: Int32Array; sizes: Int32Array } {
  const groups = [...Map.groupBy(given.keys(), (node) => given[node] as number).values()];
  groups.sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const communityOf = new Int32Array(given.length);
  for (const [community, nodes] of groups.entries()) {
    for (const node of nodes) communityOf[node] = community;
  }
  return { communityOf, sizes: Int32Array.from(groups, (nodes) => nodes.length) };
}

/**
 * The share of link ends that stay inside their group less the share expected if ends met at random, -0.5 … 1.
 * @param undirected rows in which every link stands from both ends
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
