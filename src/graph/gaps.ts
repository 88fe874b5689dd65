// Notes that hang loosely in the graph: linked with nothing, or leading nowhere.
import type { Adjacency } from './adjacency.ts';
import { inDegrees, outDegrees } from './degree.ts';

/** Nodes that no other node links to and that link to no other, ascending. */
export function orphans(adjacency: Adjacency): number[] {
  return nodesWhere(adjacency, (links, linked) => links === 0 && linked === 0);
}

/** Nodes that others link to and that link to no other, ascending. */
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
