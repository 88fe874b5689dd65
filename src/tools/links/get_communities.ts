// Tool: clusters of densely linked notes.
import * as z from 'zod';
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import { defineTool } from '../../contracts/tool.ts';
import { highestScores } from '../../graph/centrality.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { graphCommunities, graphScores, listedGraph } from './note-graph.ts';

const input = z.strictObject({
  members: z.int().min(1).max(100).default(5).describe('notes named of each'),
  ...pageShape,
});
const paging = createPaging('get_communities', input.shape);

export const getCommunities = defineTool({
  name: 'get_communities',
  title: 'Clusters of notes',
  summary:
    'Groups notes into clusters of densely linked ones, largest first. Returns size, label (most central note) and top notes of each.',
  words: 'themes, topics, overview',
  effect: 'reads',
  needs: ['store'],
  index: 'whole',
  fails: ['INVALID_INPUT'],
  input,
  run: async (args, { store }, call) => {
    const page = paging.pageOf(args);
    const graph = listedGraph(await store.graph(call.signal));
    const { communityOf, sizes, modularity } = await graphCommunities(graph, call.compute, call.signal);
    const { scores } = await graphScores(graph, 'pagerank', call.compute, call.signal);
    const total = sizes.filter((size) => size > 1).length;
    const ids = [...sizes.slice(0, total).keys()].slice(page.offset, page.offset + page.limit);
    const tops = nodesOf(ids, communityOf).map((nodes) => topOf(nodes, graph, scores, args.members));
    const firsts = tops.flatMap((top) => top.slice(0, 1));
    const titles = await store.titles(firsts, call.signal);
    const labelOf = (top: readonly NotePath[]) => titles.get(top[0] as NotePath);
    return {
      communities: tops.map((top, at) => ({ id: ids[at], size: sizes[ids[at] ?? 0], label: labelOf(top), top })),
      total,
      single_notes: sizes.length - total,
      modularity,
      ...paging.next(args, page, { shown: ids.length, total }),
    };
  },
});

/** The nodes of each of some communities, ascending. */
function nodesOf(ids: readonly number[], communityOf: Int32Array): readonly (readonly number[])[] {
  const nodes = new Map(ids.map((id): [number, number[]] => [id, []]));
  for (const [node, id] of communityOf.entries()) nodes.get(id)?.push(node);
  return [...nodes.values()];
}

function topOf(nodes: readonly number[], graph: Graph, scores: ArrayLike<number>, members: number) {
  const counted = nodes.map((node) => scores[node] ?? 0);
  return highestScores(counted, members).flatMap(({ node }) => graph.paths[nodes[node] ?? -1] ?? []);
}
