// Counts the links of each note, and finds notes without links.
import { type Adjacency, neighborCountOf, nodeCountOf, reverseOf } from './adjacency.ts';

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
