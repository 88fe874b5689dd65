// Finds the shortest path between two nodes of the drawing.
import type { GraphPicture } from '../../contracts/graph-picture.ts';

/** From the first node to the last, both included; empty if they are not connected. */
export function shortestPath(
  { notes, links }: Pick<GraphPicture, 'notes' | 'links'>,
  from: number,
  to: number,
): number[] {
  if (from < 0 || to < 0) return [];
  const around = neighbours(notes.length, links);
  const before = new Map<number, number>([[from, from]]);
  const queue = [from];
  for (const node of queue) {
    if (node === to) break;
    for (const next of around[node] ?? []) {
      if (before.has(next)) continue;
      before.set(next, node);
      queue.push(next);
    }
  }
  return before.has(to) ? walkBack(before, to) : [];
}

function walkBack(before: ReadonlyMap<number, number>, to: number): number[] {
  const chain = [to];
  for (let node = to; before.get(node) !== node; ) {
    node = before.get(node) ?? node;
    chain.unshift(node);
  }
  return chain;
}

export function neighbours(count: number, links: readonly number[]): readonly number[][] {
  const around = Array.from({ length: count }, (): number[] => []);
  for (let at = 0; at < links.length; at += 3) {
    const [source = 0, target = 0] = [links[at], links[at + 1]];
    around[source]?.push(target);
    around[target]?.push(source);
  }
  return around;
}
