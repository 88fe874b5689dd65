// Breadth-first search: how many steps every node is away from one. Knows rows, not what a step means.
import { type Adjacency, nodeCountOf } from './adjacency.ts';

export interface Reach {
  /** Steps from the start; -1 for what was not reached. */
  readonly depths: Int32Array;
  /** The nodes reached, the start first, ascending by depth and then by node. */
  readonly reached: Int32Array;
}

/** Follows the rows from `start` for at most `depth` steps. */
export function reach(adjacency: Adjacency, start: number, depth: number): Reach {
  const size = nodeCountOf(adjacency);
  const depths = new Int32Array(size).fill(-1);
  const reached = new Int32Array(size);
  depths[start] = 0;
  reached[0] = start;
  let from = 0;
  let to = 1;
  for (let level = 1; level <= depth && from < to; level++) {
    const end = takeLevel(adjacency, level, depths, reached, from, to);
    reached.subarray(to, end).sort();
    [from, to] = [to, end];
  }
  return { depths, reached: reached.subarray(0, to) };
}

/** Writes the unseen neighbours of `reached[from … to)` behind them. @returns where they end */
function takeLevel(
  { offsets, targets }: Adjacency,
  level: number,
  depths: Int32Array,
  reached: Int32Array,
  from: number,
  to: number,
): number {
  let end = to;
  for (let i = from; i < to; i++) {
    const node = reached[i] as number;
    const rowEnd = offsets[node + 1] as number;
    for (let place = offsets[node] as number; place < rowEnd; place++) {
      const neighbor = targets[place] as number;
      if (depths[neighbor] !== -1) continue;
      depths[neighbor] = level;
      reached[end++] = neighbor;
    }
  }
  return end;
}
