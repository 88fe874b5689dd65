// Keeps the link graph in memory and reads only what has changed since the last call.
import type { Graph } from '../../../base/graph.ts';
import type { NotePath } from '../../../base/note.ts';
import { createAdjacency, type EdgeColumns } from '../../../graph/adjacency.ts';
import { DamagedRow, edgesChecksum } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';

/** The row ids and paths of the nodes, ascending by path. */
interface Nodes {
  readonly revision: number;
  readonly ids: readonly number[];
  readonly paths: readonly NotePath[];
}

/** Returns the same object until this or another process changes a node or an edge. */
export function createGraphCache(rows: Rows): () => Graph {
  const targets = new Map<number, number[]>();
  let nodes: Nodes = { revision: -1, ids: [], paths: [] };
  let graph: Graph | undefined;
  return () => {
    const state = rows.first<{ graph: number; nodes: number }>(
      'SELECT graph_revision AS graph, nodes_revision AS nodes FROM state',
    ) ?? { graph: 0, nodes: 0 };
    if (graph?.revision === state.graph) return graph;
    if (nodes.revision !== state.nodes) nodes = readNodes(rows, state.nodes, targets);
    readTargets(rows, graph?.revision ?? -1, targets);
    graph = {
      revision: state.graph,
      paths: nodes.paths,
      ...createAdjacency(nodes.ids.length, edgeColumns(nodes, targets)),
    };
    return graph;
  };
}

function readNodes(rows: Rows, revision: number, targets: Map<number, number[]>): Nodes {
  const found = rows.all<{ id: number; path: NotePath }>(
    `SELECT id, path FROM files WHERE kind <> 'attachment' ORDER BY path`,
  );
  const ids = found.map(({ id }) => id);
  const present = new Set(ids);
  for (const id of targets.keys()) if (!present.has(id)) targets.delete(id);
  return { revision, ids, paths: found.map(({ path }) => path) };
}

/** Reads the targets of every note whose links have changed since the revision, one entry per link. */
function readTargets(rows: Rows, since: number, targets: Map<number, number[]>): void {
  const changed = rows.tuples<[number, NotePath, number]>(
    'SELECT id, path, edges FROM files WHERE edges_revision > ?',
    since,
  );
  for (const [source] of changed) targets.set(source, []);
  const edges = `SELECT source, target FROM files CROSS JOIN links ON links.source = files.id
    WHERE edges_revision > ? AND target IS NOT NULL ORDER BY files.id, ordinal`;
  // Two long JSON texts are read in half the time of as many rows.
  const lists = `SELECT json_group_array(source), json_group_array(target) FROM (${edges})`;
  const [[sourceList, endList] = ['[]', '[]']] = rows.tuples<[string, string]>(lists, since);
  const sources = JSON.parse(sourceList) as number[];
  const ends = JSON.parse(endList) as number[];
  for (let from = 0, to = 0; from < sources.length; from = to) {
    const source = sources[from] as number;
    while (sources[to] === source) to++;
    targets.set(source, ends.slice(from, to));
  }
  for (const [source, path, edges] of changed) {
    if (edgesChecksum(path, targets.get(source) ?? []) !== edges)
      throw new DamagedRow('the links of a note are damaged');
  }
}

/** Leaves out attachments and links of a note to itself. */
function edgeColumns({ ids }: Nodes, targets: ReadonlyMap<number, number[]>): EdgeColumns {
  const nodeOf = nodesById(ids);
  const sources: number[] = [];
  const ends: number[] = [];
  for (const [source, id] of ids.entries()) {
    for (const targetId of targets.get(id) ?? []) {
      const target = nodeOf(targetId);
      if (target === undefined || target === source) continue;
      sources.push(source);
      ends.push(target);
    }
  }
  const counts = new Int32Array(sources.length).fill(1);
  return { sources: Int32Array.from(sources), targets: Int32Array.from(ends), counts };
}

/** Row ids are close together, so an array from the lowest to the highest is faster than a map. */
function nodesById(ids: readonly number[]): (id: number) => number | undefined {
  const lowest = ids.reduce((low, id) => Math.min(low, id), Number.POSITIVE_INFINITY);
  const highest = ids.reduce((high, id) => Math.max(high, id), 0);
  const nodes = new Int32Array(Math.max(0, highest - lowest + 1)).fill(-1);
  for (const [node, id] of ids.entries()) nodes[id - lowest] = node;
  return (id) => {
    const node = nodes[id - lowest];
    return node === -1 ? undefined : node;
  };
}
