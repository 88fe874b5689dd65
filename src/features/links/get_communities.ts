// Tool: clusters of densely linked notes.
import * as z from 'zod';
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { defineTool } from '../../contracts/tool.ts';
import { highestScores } from '../../graph/highest-scores.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { graphCommunities, graphScores } from './note-graph.ts';

const input = z.strictObject({
  members: z.int().min(1).max(100).default(5).describe('top notes to name in each'),
  ...pageShape,
});
const paging = createPaging('get_communities', input.shape);

export const getCommunities = defineTool({
  name: 'get_communities',
  summary: 'Clusters of densely linked notes, largest first, labelled by their most central note.',
  effect: 'reads',
  needs: ['store'],
  index: 'whole',
  fails: ['INVALID_INPUT'],
  input,
  run: async (args, { store }, call) => {
    const page = paging.pageOf(args);
    const graph = await store.graph(call.signal);
    const { communityOf, sizes, modularity } = await graphCommunities(graph, call.compute, call.signal);
    const { scores } = await graphScores(graph, 'pagerank', call.compute, call.signal);
    const total = sizes.filter((size) => size > 1).length;
    const ids = [...sizes.slice(0, total).keys()].slice(page.offset, page.offset + page.limit);
    const tops = ids.map((id) => topOf(graph, communityOf, scores, id, args.members));
    const titles = await titlesOf(tops, store, call.signal);
    return {
      communities: ids.map((id, at) => ({ id, size: sizes[id] ?? 0, label: titles[at], top: tops[at] ?? [] })),
      total,
      single_notes: sizes.length - total,
      modularity,
      ...paging.next(args, page, { shown: ids.length, total }),
    };
  },
});

function topOf(
  graph: Graph,
  communityOf: Int32Array,
  scores: ArrayLike<number>,
  id: number,
  members: number,
): NotePath[] {
  const nodes = [...communityOf.keys()].filter((node) => communityOf[node] === id);
  const best = highestScores(
    nodes.map((node) => scores[node] ?? 0),
    members,
  );
  return best.flatMap(({ node }) => graph.paths[nodes[node] ?? -1] ?? []);
}

async function titlesOf(
  tops: readonly NotePath[][],
  store: Store,
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const firsts = tops.map(([first]) => first);
  const records = await store.notes(
    firsts.filter((path) => path !== undefined),
    signal,
  );
  const titles = new Map(records.map(({ path, title }) => [path, title]));
  return firsts.map((path) => (path === undefined ? undefined : titles.get(path)));
}
