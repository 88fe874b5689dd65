// Which notes matter most in the graph of links, by one of four measures. Knows nothing of how they are computed.
import * as z from 'zod';
import { defineTool } from '../contracts/tool.ts';
import { highestScores } from '../graph/highest-scores.ts';
import { folderArgument, noteFilter, warnOfEmptyFilters } from '../queries/filters.ts';
import { graphScores } from '../queries/graph-scores.ts';
import { limitArgument } from '../queries/page.ts';

export const getHubs = defineTool({
  name: 'get_hubs',
  summary: 'The most linked or most central notes.',
  effect: 'reads',
  needs: ['store'],
  index: 'whole',
  fails: ['PATH_NOT_ALLOWED'],
  input: z.strictObject({
    metric: z.enum(['in_degree', 'out_degree', 'pagerank', 'betweenness']).default('in_degree'),
    folder: folderArgument,
    limit: limitArgument,
  }),
  run: async ({ metric, folder, limit }, { store }, call) => {
    const filter = noteFilter({ folder, tag_mode: 'any' });
    const graph = await store.graph(call.signal);
    const { scores, sampled } = await graphScores(graph, metric, call.compute, call.signal);
    await warnOfEmptyFilters(filter, store, call);
    const nodes = nodesIn(graph.paths, filter.folder).filter((node) => (scores[node] ?? 0) > 0);
    const best = highestScores(
      nodes.map((node) => scores[node] ?? 0),
      limit,
    );
    return {
      metric,
      hubs: best.map(({ node, score }) => ({ path: graph.paths[nodes[node] ?? -1], score })),
      total: nodes.length,
      ...(sampled === undefined ? {} : { sampled }),
    };
  },
});

function nodesIn(paths: readonly string[], folder: string | undefined): number[] {
  const nodes = [...paths.keys()];
  return folder === undefined ? nodes : nodes.filter((node) => paths[node]?.startsWith(`${folder}/`));
}
