// The link graph in compressed sparse rows, its reverse, and its undirected form.
import type { Graph } from '../base/graph.ts';

/** The rows of a graph without its paths; every `Graph` is one. Rows are ascending, each neighbour occurs once. */
export type Adjacency = Pick<Graph, 'offsets' | 'targets' | 'counts'>;

/** Three columns of equal length: `counts[i]` links from `sources[i]` to `targets[i]`. */
export interface EdgeColumns {
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly counts: Int32Array;
}

const reversed = new WeakMap<Adjacency, Adjacency>();
const undirected = new WeakMap<Adjacency, Adjacency>();

export function nodeCountOf(adjacency: Adjacency): number {
  return adjacency.offsets.length - 1;
}

export function neighborCountOf({ offsets }: Adjacency, node: number): number {
  return (offsets[node + 1] as number) - (offsets[node] as number);
}

/** The neighbours of one node, ascending; a view, not a copy. */
export function neighborsOf({ offsets, targets }: Adjacency, node: number): Int32Array {
  return targets.subarray(offsets[node], offsets[node + 1]);
}

/** The reversed rows: the nodes that link to each node. Computed once per object. */
export function reverseOf(adjacency: Adjacency): Adjacency {
  return cachedIn(reversed, adjacency, () => transposed(adjacency));
}

/**
 * The undirected rows: every link in the rows of both ends, with the counts of both directions added. Computed once
 * per object.
 */
export function undirectedOf(adjacency: Adjacency): Adjacency {
  return cachedIn(undirected, adjacency, () => united(adjacency, reverseOf(adjacency)));
}

/** Builds rows from links in any order; repeated links are merged and their counts added. */
export function createAdjacency(size: number, edges: EdgeColumns): Adjacency {
  const byTarget = orderedBy(edges.targets, everyIndex(edges.targets.length), size);
  return mergedRows(size, edges, orderedBy(edges.sources, byTarget, size));
}

function mergedRows(size: number, { sources, targets, counts }: EdgeColumns, order: Int32Array): Adjacency {
  const offsets = new Int32Array(size + 1);
  const mergedTargets = new Int32Array(order.length);
  const mergedCounts = new Int32Array(order.length);
  let last = -1;
  let lastSource = -1;
  for (let i = 0; i < order.length; i++) {
    const edge = order[i] as number;
    const source = sources[edge] as number;
    const target = targets[edge] as number;
    if (source !== lastSource || target !== mergedTargets[last]) {
      mergedTargets[++last] = target;
      lastSource = source;
      offsets[source + 1] = (offsets[source + 1] as number) + 1;
    }
    mergedCounts[last] = (mergedCounts[last] as number) + (counts[edge] as number);
  }
  toPrefixSums(offsets);
  return { offsets, targets: mergedTargets.slice(0, last + 1), counts: mergedCounts.slice(0, last + 1) };
}

/** `order` rearranged so that `keys` ascend; a stable counting sort. */
function orderedBy(keys: Int32Array, order: Int32Array, size: number): Int32Array {
  const next = new Int32Array(size + 1);
  for (let i = 0; i < keys.length; i++) {
    const slot = (keys[i] as number) + 1;
    next[slot] = (next[slot] as number) + 1;
  }
  toPrefixSums(next);
  const result = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const item = order[i] as number;
    const key = keys[item] as number;
    const place = next[key] as number;
    result[place] = item;
    next[key] = place + 1;
  }
  return result;
}

/** The rows are ascending, because they are filled in the order of the sources. */
function transposed(adjacency: Adjacency): Adjacency {
  const { targets, counts } = adjacency;
  const size = nodeCountOf(adjacency);
  const offsets = new Int32Array(size + 1);
  for (let at = 0; at < targets.length; at++) {
    const slot = (targets[at] as number) + 1;
    offsets[slot] = (offsets[slot] as number) + 1;
  }
  toPrefixSums(offsets);
  const next = offsets.slice();
  const rows = { offsets, targets: new Int32Array(targets.length), counts: new Int32Array(targets.length) };
  for (let node = 0, at = 0; node < size; node++) {
    for (const end = adjacency.offsets[node + 1] as number; at < end; at++) {
      const target = targets[at] as number;
      const place = next[target] as number;
      rows.targets[place] = node;
      rows.counts[place] = counts[at] as number;
      next[target] = place + 1;
    }
  }
  return rows;
}

/** Each row of both, merged; the counts of a neighbour that is in both are added. */
function united(one: Adjacency, other: Adjacency): Adjacency {
  const most = one.targets.length + other.targets.length;
  const [offsets, targets, counts] = [one.offsets.slice(), new Int32Array(most), new Int32Array(most)];
  let [at, otherAt, end] = [0, 0, 0];
  for (let node = 0; node < nodeCountOf(one); node++) {
    const [to, otherTo] = [one.offsets[node + 1] as number, other.offsets[node + 1] as number];
    while (at < to || otherAt < otherTo) {
      const target = at < to ? (one.targets[at] as number) : Number.POSITIVE_INFINITY;
      const otherTarget = otherAt < otherTo ? (other.targets[otherAt] as number) : Number.POSITIVE_INFINITY;
      targets[end] = Math.min(target, otherTarget);
      counts[end++] =
        (target <= otherTarget ? (one.counts[at++] as number) : 0) +
        (otherTarget <= target ? (other.counts[otherAt++] as number) : 0);
    }
    offsets[node + 1] = end;
  }
  return { offsets, targets: targets.slice(0, end), counts: counts.slice(0, end) };
}

function cachedIn(cache: WeakMap<Adjacency, Adjacency>, key: Adjacency, create: () => Adjacency): Adjacency {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}

function toPrefixSums(amounts: Int32Array): void {
  for (let i = 1; i < amounts.length; i++) amounts[i] = (amounts[i] as number) + (amounts[i - 1] as number);
}

/** 0, 1, 2 … up to `length`, exclusive. */
function everyIndex(length: number): Int32Array {
  const indexes = new Int32Array(length);
  for (let i = 0; i < length; i++) indexes[i] = i;
  return indexes;
}

/** For each node, the number of other nodes it links to. */
export function outDegrees(adjacency: Adjacency): Int32Array {
  const degrees = new Int32Array(nodeCountOf(adjacency));
  for (let node = 0; node < degrees.length; node++) {
    degrees[node] = neighborCountOf(adjacency, node);
  }
  return degrees;
}

/** For each node, the number of other nodes that link to it. */
export function inDegrees(adjacency: Adjacency): Int32Array {
  return outDegrees(reverseOf(adjacency));
}

/** Nodes without incoming and outgoing links, ascending. */
export function orphans(adjacency: Adjacency): number[] {
  return nodesWhere(adjacency, (links, linked) => links === 0 && linked === 0);
}

/** Nodes with incoming but without outgoing links, ascending. */
export function deadEnds(adjacency: Adjacency): number[] {
  return nodesWhere(adjacency, (links, linked) => links === 0 && linked > 0);
}

function nodesWhere(adjacency: Adjacency, holds: (links: number, linked: number) => boolean): number[] {
  const linked = inDegrees(adjacency);
  const nodes: number[] = [];
  for (const [node, links] of outDegrees(adjacency).entries()) {
    if (holds(links, linked[node] as number)) nodes.push(node);
  }
  return nodes;
}
