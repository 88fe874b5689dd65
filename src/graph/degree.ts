// How many notes a note links to, or is linked from.
import { type Adjacency, neighborCountOf, nodeCountOf, reverseOf } from './adjacency.ts';

/** For each node the number of other nodes that its links name, each counted once. */
export function outDegrees(adjacency: Adjacency): Int32Array {
  const degrees = new Int32Array(nodeCountOf(adjacency));
  for (let node = 0; node < degrees.length; node++) {
    degrees[node] = neighborCountOf(adjacency, node);
  }
  return degrees;
}

/** For each node the number of other nodes that link to it, each counted once. */
export function inDegrees(adjacency: Adjacency): Int32Array {
  return outDegrees(reverseOf(adjacency));
}
