// Which node of the graph a path is.
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import { comparePaths } from '../../graph/path-order.ts';

/** Undefined for attachments and for what is not in the graph. */
export function nodeOf({ paths }: Graph, path: NotePath): number | undefined {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePaths(paths[middle] as NotePath, path) < 0) low = middle + 1;
    else high = middle;
  }
  return paths[low] === path ? low : undefined;
}
