// Betweenness centrality by Brandes' algorithm: how many shortest chains of links lead through a note.
import { type Adjacency, nodeCountOf, outDegrees } from './adjacency.ts';
import { createRandom, sampleOf } from './seeded-random.ts';

/** Exact up to this many notes with outgoing links: less than a second at six links per note. */
const EXACT_UP_TO = 2_500;
/** The number of sampled starts beyond that limit, chosen with a fixed seed. */
const PIVOTS = 500;
const SEED = 1;

export type Betweenness = ReturnType<typeof betweenness>;

/**
 * Only nodes with outgoing links are starts; more than 2,500 of them are sampled.
 * `scores`: for each node, the number of ordered pairs of other nodes whose shortest directed chain leads through it; a
 * pair with several shortest chains counts by the share that does. An estimate if `sampled` is set.
 * `sampled`: the number of sampled starts; undefined if the scores are exact.
 */
export function betweenness(adjacency: Adjacency) {
  const starts = nodesWithLinks(adjacency);
  const exact = starts.length <= EXACT_UP_TO;
  const pivots = exact ? starts : sampleOf(starts, PIVOTS, createRandom(SEED));
  const scores = new Float64Array(nodeCountOf(adjacency));
  const search = createSearch(scores.length);
  for (const pivot of pivots) {
    countChains(adjacency, pivot, search);
    addDependencies(adjacency, search, scores);
    resetSearch(search);
  }
  if (exact) return { scores, sampled: undefined };
  const weight = starts.length / pivots.length;
  return { scores: scores.map((score) => score * weight), sampled: pivots.length };
}

function nodesWithLinks(adjacency: Adjacency): number[] {
  return [...outDegrees(adjacency).entries()].filter(([, degree]) => degree > 0).map(([node]) => node);
}

/** The result of the search from one start, in arrays shared by all starts; `visited` is in order of depth. */
type Search = ReturnType<typeof createSearch>;

function createSearch(size: number) {
  return {
    depths: new Int32Array(size).fill(-1),
    chains: new Float64Array(size),
    dependencies: new Float64Array(size),
    visited: new Int32Array(size),
    reached: 0,
  };
}

/** Breadth-first search from `start`: the depth of each node and the number of shortest chains to it. */
function countChains({ offsets, targets }: Adjacency, start: number, search: Search): void {
  const { depths, chains, visited } = search;
  depths[start] = 0;
  chains[start] = 1;
  visited[0] = start;
  let reached = 1;
  for (let i = 0; i < reached; i++) {
    const node = visited[i] as number;
    const depth = (depths[node] as number) + 1;
    const end = offsets[node + 1] as number;
    for (let place = offsets[node] as number; place < end; place++) {
      const next = targets[place] as number;
      if (depths[next] === -1) {
        depths[next] = depth;
        visited[reached++] = next;
      }
      if (depths[next] === depth) chains[next] = (chains[next] as number) + (chains[node] as number);
    }
  }
  search.reached = reached;
}

/**
 * Adds the dependencies, farthest node first: a node's dependency is its share of each successor and of that
 * successor's dependency.
 */
function addDependencies({ offsets, targets }: Adjacency, search: Search, scores: Float64Array): void {
  const { depths, chains, dependencies, visited } = search;
  for (let i = search.reached - 1; i > 0; i--) {
    const node = visited[i] as number;
    const depth = (depths[node] as number) + 1;
    const end = offsets[node + 1] as number;
    let sum = 0;
    for (let place = offsets[node] as number; place < end; place++) {
      const next = targets[place] as number;
      if (depths[next] === depth) sum += (1 + (dependencies[next] as number)) / (chains[next] as number);
    }
    dependencies[node] = sum * (chains[node] as number);
    scores[node] = (scores[node] as number) + (dependencies[node] as number);
  }
}

function resetSearch({ depths, chains, visited, reached }: Search): void {
  for (let i = 0; i < reached; i++) {
    const node = visited[i] as number;
    depths[node] = -1;
    chains[node] = 0;
  }
}
