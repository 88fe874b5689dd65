// The nodes and scores of the link graph.
import { partitionPoint } from '../../base/binary-search.ts';
import type { Graph } from '../../base/graph.ts';
import type { NotePath } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Compute } from '../../contracts/compute.ts';
import { inDegrees, outDegrees } from '../../graph/adjacency.ts';
import type { Communities } from '../../graph/communities.ts';
import { partOf } from '../../graph/part-of-graph.ts';

export type Metric = 'in_degree' | 'out_degree' | 'pagerank' | 'betweenness';

export interface GraphScores {
  readonly scores: ArrayLike<number>;
  /** The number of sampled start notes; undefined if the scores are exact. */
  readonly sampled?: number | undefined;
}

const keptScores = new WeakMap<Graph, Map<Metric, GraphScores>>();
const keptCommunities = new WeakMap<Graph, Communities>();

export async function graphScores(
  graph: Graph,
  metric: Metric,
  compute: Compute,
  signal: AbortSignal,
): Promise<GraphScores> {
  const scoresByMetric = keptScores.get(graph) ?? new Map<Metric, GraphScores>();
  keptScores.set(graph, scoresByMetric);
  const scores = scoresByMetric.get(metric) ?? (await computed(graph, metric, compute, signal));
  scoresByMetric.set(metric, scores);
  return scores;
}

async function computed(graph: Graph, metric: Metric, compute: Compute, signal: AbortSignal): Promise<GraphScores> {
  if (metric === 'in_degree') return { scores: inDegrees(graph) };
  if (metric === 'out_degree') return { scores: outDegrees(graph) };
  if (metric === 'pagerank') return { scores: await compute.run(jobs.pagerank, graph, signal) };
  return compute.run(jobs.betweenness, graph, signal);
}

export async function graphCommunities(graph: Graph, compute: Compute, signal: AbortSignal): Promise<Communities> {
  const communities = keptCommunities.get(graph) ?? (await compute.run(jobs.communities, graph, signal));
  keptCommunities.set(graph, communities);
  return communities;
}

const keptLists = new WeakMap<Graph, Graph>();

/** The graph without the notes that Obsidian's settings exclude, except for those that the caller names. The same object for the same graph. */
export function listedGraph(graph: Graph, ...named: readonly NotePath[]): Graph {
  const { excluded } = graph;
  if (excluded === undefined) return graph;
  if (named.some((path) => excluded.has(path)))
    return partOf(graph, (path) => !excluded.has(path) || named.includes(path));
  const part = keptLists.get(graph) ?? partOf(graph, (path) => !excluded.has(path));
  keptLists.set(graph, part);
  return part;
}

/** Undefined for attachments and paths that are not in the graph. */
export function nodeOf({ paths }: Graph, path: NotePath): number | undefined {
  const node = partitionPoint(paths.length, (index) => comparePaths(paths[index] as NotePath, path) < 0);
  return paths[node] === path ? node : undefined;
}
