// Keeps the whole graph in memory and reads again only what changed since. Knows nothing of what is asked of the graph.
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import { createAdjacency, type EdgeColumns } from '../../graph/adjacency.ts';
import { unpackTargets } from './packed-targets.ts';
import type { Rows } from './rows.ts';

/** Row ids of the nodes in the order of their paths. */
interface Nodes {
  readonly revision: number;
  readonly ids: readonly number[];
  readonly paths: readonly NotePath[];
}

/** Answers with the same object until a node or an edge changes, here or in another process. */
export function createGraphCache(): (rows: Rows) => Graph {
  const targets = new Map<number, Int32Array>();
  let nodes: Nodes = { revision: -1, ids: [], paths: [] };
  let graph: Graph | undefined;
  return (rows) => {
    const state = rows.first<{ graph: number; nodes: number }>(
      'SELECT graph_revision AS graph, nodes_revision AS nodes FROM state',
    ) ?? { graph: 0, nodes: 0 };
    if (graph?.revision === state.graph) return graph;
    if (nodes.revision !== state.nodes) nodes = readNodes(rows, state.nodes, targets);
    readTargets(rows, graph?.revision ?? -1, targets);
    graph = {
      revision: state.graph,
      paths: nodes.paths,
      ...createAdjacency(nodes.ids.length, columns(nodes, targets)),
    };
    return graph;
  };
}

function readNodes(rows: Rows, revision: number, targets: Map<number, Int32Array>): Nodes {
  const found = rows.all<{ id: number; path: NotePath }>(
    `SELECT id, path FROM files WHERE kind <> 'attachment' ORDER BY path`,
  );
  const ids = found.map(({ id }) => id);
  const present = new Set(ids);
  for (const id of targets.keys()) if (!present.has(id)) targets.delete(id);
  return { revision, ids, paths: found.map(({ path }) => path) };
}

function readTargets(rows: Rows, since: number, targets: Map<number, Int32Array>): void {
  const sql = 'SELECT source, targets FROM edges WHERE revision > ?';
  for (const row of rows.all<{ source: number; targets: Uint8Array }>(sql, since)) {
    targets.set(row.source, unpackTargets(row.targets));
  }
}

/** Targets that are no nodes, and the node itself, are left out. */
function columns({ ids }: Nodes, targets: ReadonlyMap<number, Int32Array>): EdgeColumns {
  const nodeOf = new Map(ids.map((id, node) => [id, node]));
  const edges = { sources: [] as number[], targets: [] as number[], counts: [] as number[] };
  for (const [source, id] of ids.entries()) {
    const packed = targets.get(id) ?? new Int32Array();
    for (let place = 0; place < packed.length; place += 2) {
      const target = nodeOf.get(packed[place] as number);
      if (target === undefined || target === source) continue;
      edges.sources.push(source);
      edges.targets.push(target);
      edges.counts.push(packed[place + 1] as number);
    }
  }
  return {
    sources: Int32Array.from(edges.sources),
    targets: Int32Array.from(edges.targets),
    counts: Int32Array.from(edges.counts),
  };
}
