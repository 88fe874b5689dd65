// Finds notes that were not changed for long, and that no note changed since links to.
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { neighborsOf } from '../../graph/adjacency.ts';

export interface StaleNote {
  readonly path: NotePath;
  readonly modifiedMs: number;
}

/** Those changed longest ago first. @param beforeMs milliseconds since 1970; a note changed since is not stale */
export async function staleNotes(beforeMs: number, store: Store, signal: AbortSignal): Promise<readonly StaleNote[]> {
  const graph = await store.graph(signal);
  const modified = new Map((await store.fileStates(signal)).map((file) => [file.path, file.modifiedMs]));
  const isRecent = graph.paths.map((path) => (modified.get(path) ?? Number.POSITIVE_INFINITY) >= beforeMs);
  const isLinked = new Uint8Array(graph.paths.length);
  for (const [node, recent] of isRecent.entries()) {
    if (recent) for (const target of neighborsOf(graph, node)) isLinked[target] = 1;
  }
  return graph.paths
    .filter((_, node) => !isRecent[node] && isLinked[node] === 0)
    .map((path) => ({ path, modifiedMs: modified.get(path) as number }))
    .sort((one, other) => one.modifiedMs - other.modifiedMs);
}
