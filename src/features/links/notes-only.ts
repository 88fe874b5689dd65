// The link graph without `.base` files, which are views of notes and not notes.
import type { Graph } from '../../base/graph.ts';
import { fileKindOf } from '../../base/note.ts';

const kept = new WeakMap<Graph, Graph>();

/** The same object for the same graph, so that its scores are computed once. */
export function notesOnly(graph: Graph): Graph {
  if (graph.paths.every(isNote)) return graph;
  const known = kept.get(graph) ?? withoutBases(graph);
  kept.set(graph, known);
  return known;
}

const isNote = (path: string): boolean => fileKindOf(path) !== 'base';

function withoutBases({ revision, paths, offsets, targets, counts }: Graph): Graph {
  const nodes = [...paths.keys()].filter((node) => isNote(paths[node] ?? ''));
  const places = new Map(nodes.map((node, place) => [node, place]));
  const links = nodes.map((node) => {
    const ats = Array.from({ length: (offsets[node + 1] ?? 0) - (offsets[node] ?? 0) }, (_, at) => at);
    return ats.map((at) => at + (offsets[node] ?? 0)).filter((at) => places.has(targets[at] ?? -1));
  });
  const ends = [0];
  for (const own of links) ends.push((ends.at(-1) ?? 0) + own.length);
  return {
    revision,
    paths: nodes.flatMap((node) => paths[node] ?? []),
    offsets: Int32Array.from(ends),
    targets: Int32Array.from(links.flat(), (at) => places.get(targets[at] ?? -1) ?? 0),
    counts: Int32Array.from(links.flat(), (at) => counts[at] ?? 1),
  };
}
