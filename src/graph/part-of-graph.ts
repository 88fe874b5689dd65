// The part of a link graph that some of its nodes are, with the links between them.
import type { Graph } from '../base/graph.ts';
import type { NotePath } from '../base/note.ts';

export function partOf(
  { revision, paths, offsets, targets, counts }: Graph,
  isKept: (path: NotePath) => boolean,
): Graph {
  const nodes = [...paths.keys()].filter((node) => isKept(paths[node] as NotePath));
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
