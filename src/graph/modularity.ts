// Modularity: how much more links stay inside groups than they would by chance. Knows rows and a group for each node.
import { type Adjacency, nodeCountOf } from './adjacency.ts';

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
