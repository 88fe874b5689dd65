// Groups of notes that link more among themselves than outward, found by the Louvain method. Knows rows, not notes.
import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { type Adjacency, nodeCountOf, undirectedOf } from './adjacency.ts';
import { modularity } from './modularity.ts';
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
  const given = Int32Array.from({ length: size }, (_, node) => found[node] ?? size + node);
  return { ...numbered(given), modularity: modularity(rows, given) };
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

function numbered(given: Int32Array): { communityOf: Int32Array; sizes: Int32Array } {
  const groups = [...Map.groupBy(given.keys(), (node) => given[node] as number).values()];
  groups.sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const communityOf = new Int32Array(given.length);
  for (const [community, nodes] of groups.entries()) {
    for (const node of nodes) communityOf[node] = community;
  }
  return { communityOf, sizes: Int32Array.from(groups, (nodes) => nodes.length) };
}
