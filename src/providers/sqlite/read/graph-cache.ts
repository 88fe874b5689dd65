// Keeps the link graph in memory and reads only what has changed since the last call.
import type { Graph } from '../../../base/graph.ts';
import type { NotePath } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { Store } from '../../../contracts/store.ts';
import { createAdjacency, type EdgeColumns } from '../../../graph/adjacency.ts';
import { DamagedRow, edgesChecksum } from '../database/checksum.ts';
import { readAndFinish, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';
import { EXCLUDED } from './note-conditions.ts';

interface Node {
  readonly id: number;
  readonly path: NotePath;
}

/** The targets of the links of each note, by row ids, one entry per link. */
type Targets = Map<number, readonly number[]>;

/** Nodes read, or looked at, in a slice: some milliseconds, also for the first slices of a process. */
const NODES_PER_SLICE = 250;
const NEVER_READ = -1;

/** The graph of one revision, and what it was made of. */
interface Known {
  readonly graph: Graph;
  readonly targets: Targets;
}

/** @returns the method of the store: the same object until this or another process changes a node or an edge */
export function createGraphCache(source: Source): Store['graph'] {
  const { rows, read } = source;
  let cached: Known | undefined;
  return async (signal) => {
    const revision = await read('graph', signal, () => graphRevision(rows));
    if (cached?.graph.revision !== revision) cached = await readGraph(source, cached, signal);
    return cached.graph;
  };
}

async function readGraph({ rows, read }: Source, previous: Known | undefined, signal: AbortSignal): Promise<Known> {
  // A copy, because another call may read at the same time.
  const targets: Targets = new Map(previous?.targets);
  let since = NEVER_READ;
  let begun = previous?.graph.revision ?? NEVER_READ;
  const after = (path: NotePath | undefined): Slice<Node, NotePath> => {
    // What was read before a change is as it was when its slices began, or newer.
    if (path === undefined) [since, begun] = [begun, graphRevision(rows)];
    return readSlice(rows, since, path, targets);
  };
  const finish = (items: readonly Node[], isOfOneRevision: boolean) => {
    const nodes = isOfOneRevision ? items : readAtOnce(rows, begun, targets);
    return { nodes, revision: graphRevision(rows), excluded: new Set(rows.column<NotePath>(EXCLUDED_NODES)) };
  };
  const { nodes, revision, excluded } = await readAndFinish({ rows, read, op: 'graph', signal }, after, finish);
  // Each of these steps takes milliseconds, and so does what is computed from a new graph.
  const edges = await edgeColumns(nodes, targets);
  await letOthersRun();
  const graph = {
    revision,
    paths: nodes.map(({ path }) => path),
    ...createAdjacency(nodes.length, edges),
    ...(excluded.size > 0 && { excluded }),
  };
  await letOthersRun();
  // Each node has an entry, so any more are of nodes that are gone.
  if (targets.size > nodes.length) deleteOthers(targets, nodes);
  return { graph, targets };
}

function deleteOthers(targets: Targets, nodes: readonly Node[]): void {
  const present = new Set(nodes.map(({ id }) => id));
  for (const id of targets.keys()) if (!present.has(id)) targets.delete(id);
}

const EXCLUDED_NODES = `SELECT path FROM files WHERE kind <> 'attachment' AND id IN ${EXCLUDED}`;

function graphRevision(rows: Rows): number {
  return rows.value<number>('SELECT graph_revision FROM state') ?? 0;
}

/** The next nodes after a path. Reads the targets of those whose links have changed since the revision. */
function readSlice(rows: Rows, since: number, after: NotePath | undefined, targets: Targets): Slice<Node, NotePath> {
  const items = rows.all<Node & { readonly edges: number; readonly changed: number }>(
    `SELECT id, path, edges, edges_revision > ? AS changed FROM files WHERE kind <> 'attachment' AND path > ? ORDER BY path LIMIT ?`,
    ...[since, after ?? '', NODES_PER_SLICE],
  );
  const changed = items.filter((row) => row.changed === 1);
  const targetsById = targetsOf(
    rows,
    changed.map(({ id }) => id),
  );
  for (const { id, path, edges } of changed) {
    const ends = targetsById.get(id) ?? [];
    if (edgesChecksum(path, ends) !== edges) throw new DamagedRow('the links of a note are damaged');
    targets.set(id, ends);
  }
  const nodes = items.map(({ id, path }) => ({ id, path }));
  return { items: nodes, next: nodes.length < NODES_PER_SLICE ? undefined : nodes.at(-1)?.path };
}

function readAtOnce(rows: Rows, since: number, targets: Targets): Node[] {
  const nodes: Node[] = [];
  for (let after: NotePath | undefined; ; ) {
    const { items, next } = readSlice(rows, since, after, targets);
    nodes.push(...items);
    if (next === undefined) return nodes;
    after = next;
  }
}

/** Two long JSON texts are read in half the time of as many rows. */
function targetsOf(rows: Rows, ids: readonly number[]): Targets {
  const targets: Targets = new Map();
  if (ids.length === 0) return targets;
  const edges = `SELECT source, target FROM json_each(?) CROSS JOIN links ON source = value WHERE target IS NOT NULL`;
  const lists = `SELECT json_group_array(source), json_group_array(target) FROM (${edges})`;
  const [[sourceList, endList] = ['[]', '[]']] = rows.tuples<[string, string]>(lists, JSON.stringify(ids));
  const sources = JSON.parse(sourceList) as number[];
  const ends = JSON.parse(endList) as number[];
  for (let from = 0, to = 0; from < sources.length; from = to) {
    const source = sources[from] as number;
    while (sources[to] === source) to++;
    targets.set(source, ends.slice(from, to));
  }
  return targets;
}

/** Leaves out attachments and links of a note to itself. */
async function edgeColumns(nodes: readonly Node[], targets: Targets): Promise<EdgeColumns> {
  const nodeOf = nodesById(nodes);
  const most = nodes.reduce((sum, { id }) => sum + (targets.get(id)?.length ?? 0), 0);
  const edges = { sources: new Int32Array(most), targets: new Int32Array(most), count: 0 };
  for (let node = 0; node < nodes.length; node++) {
    if (node % NODES_PER_SLICE === 0) await letOthersRun();
    addEdges(edges, node, targets.get((nodes[node] as Node).id) ?? [], nodeOf);
  }
  await letOthersRun();
  const { count } = edges;
  const counts = new Int32Array(count).fill(1);
  return { sources: edges.sources.subarray(0, count), targets: edges.targets.subarray(0, count), counts };
}

type GrowingEdges = Pick<EdgeColumns, 'sources' | 'targets'> & { count: number };

/** A function of its own, because a loop of an asynchronous one makes an object for each edge. */
function addEdges(
  edges: GrowingEdges,
  source: number,
  targetIds: readonly number[],
  nodeOf: (id: number) => number | undefined,
): void {
  for (const targetId of targetIds) {
    const target = nodeOf(targetId);
    if (target === undefined || target === source) continue;
    edges.sources[edges.count] = source;
    edges.targets[edges.count] = target;
    edges.count += 1;
  }
}

/** Row ids are close together, so an array from the lowest to the highest is faster than a map. */
function nodesById(nodes: readonly Node[]): (id: number) => number | undefined {
  const lowest = nodes.reduce((low, { id }) => Math.min(low, id), Number.POSITIVE_INFINITY);
  const highest = nodes.reduce((high, { id }) => Math.max(high, id), 0);
  const places = new Int32Array(Math.max(0, highest - lowest + 1)).fill(-1);
  for (let node = 0; node < nodes.length; node++) places[(nodes[node] as Node).id - lowest] = node;
  return (id) => {
    const node = places[id - lowest];
    return node === -1 ? undefined : node;
  };
}
