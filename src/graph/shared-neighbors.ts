// How near two notes are by the notes they are both linked with: those that few others are linked with count more.
import { type Adjacency, neighborCountOf, neighborsOf, undirectedOf } from './adjacency.ts';

export interface SharedNeighbors {
  readonly node: number;
  /** The sum of 1 / log2(1 + links) over the notes between. */
  readonly score: number;
}

/** What so many notes are linked with says nothing of any two of them; it bounds the work, too. */
const MAX_LINKS = 500;

/** Every node with a neighbour in common that is itself no neighbour, whatever the links' direction; best first, then by node. */
export function sharedNeighbors(links: Adjacency, node: number): SharedNeighbors[] {
  const graph = undirectedOf(links);
  const near = neighborsOf(graph, node);
  const scores = new Map<number, number>();
  for (const between of near.subarray(0, MAX_LINKS)) {
    const count = neighborCountOf(graph, between);
    if (count > MAX_LINKS) continue;
    const share = 1 / Math.log2(1 + count);
    for (const other of neighborsOf(graph, between)) scores.set(other, (scores.get(other) ?? 0) + share);
  }
  scores.delete(node);
  for (const neighbor of near) scores.delete(neighbor);
  const found = [...scores].map(([other, score]) => ({ node: other, score }));
  return found.sort((one, other) => other.score - one.score || one.node - other.node);
}
