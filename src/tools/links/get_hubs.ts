// Tool: the most important notes of the link graph.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { highestScores } from '../../graph/centrality.ts';
import { folderArgument } from '../notes/filters.ts';
import { limitArgument } from '../notes/page.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { graphScores, listedGraph } from './note-graph.ts';

export const getHubs = defineTool({
  name: 'get_hubs',
  title: 'Most linked notes',
  summary: 'Ranks the most linked or most central notes. Returns path and score of each.',
  words: 'important notes, maps of content',
  effect: 'reads',
  needs: ['store'],
  index: 'whole',
  fails: ['PATH_NOT_ALLOWED'],
  input: z.strictObject({
    metric: z
      .enum(['in_degree', 'out_degree', 'pagerank', 'betweenness'])
      .default('in_degree')
      .describe('betweenness: on shortest chains'),
    folder: folderArgument,
    limit: limitArgument,
  }),
  run: async ({ metric, folder, limit }, { store }, call) => {
    const filter = await vaultFilter({ folder }, store, call);
    const graph = listedGraph(await store.graph(call.signal));
    const { scores, sampled } = await graphScores(graph, metric, call.compute, call.signal);
    await warnOfFilters(filter, store, call);
    const counted = scoresIn(graph.paths, scores, filter.folder);
    const best = highestScores(counted, limit).filter(({ score }) => score > 0);
    return {
      metric,
      hubs: best.map(({ node, score }) => ({ path: graph.paths[node], score })),
      total: countAboveZero(counted),
      ...(sampled === undefined ? {} : { sampled }),
    };
  },
});

/** The scores, with 0 for notes outside the folder. */
function scoresIn(paths: readonly string[], scores: ArrayLike<number>, folder: string | undefined): ArrayLike<number> {
  if (folder === undefined) return scores;
  return Float64Array.from(scores, (score, node) => (paths[node]?.startsWith(`${folder}/`) ? score : 0));
}

function countAboveZero(scores: ArrayLike<number>): number {
  let count = 0;
  for (let node = 0; node < scores.length; node++) if ((scores[node] ?? 0) > 0) count++;
  return count;
}
