// Finds the central notes: by PageRank, by betweenness, and which have the highest scores.

import { partitionPoint } from '../base/binary-search.ts';
import { type Adjacency, nodeCountOf, outDegrees, reverseOf } from './adjacency.ts';

/** The probability of following a link; otherwise the reader jumps to any note with equal probability. */
const DAMPING = 0.85;
/** Iteration stops when the scores of all nodes together change by less than this. */
const TOLERANCE = 1e-9;
/** Each round changes the scores by at most DAMPING times the previous change, the first by at most 2. */
const MAX_ROUNDS = Math.ceil(Math.log(TOLERANCE / 2) / Math.log(DAMPING)) + 1;

/**
 * One score per node; they add up to 1. A note passes its score in equal parts to the notes it links to, regardless
 * of link counts; a note without links passes it to all notes equally.
 */
export function pagerank(adjacency: Adjacency): Float64Array {
  const size = nodeCountOf(adjacency);
  const incoming = reverseOf(adjacency);
  const degrees = outDegrees(adjacency);
  let scores = new Float64Array(size).fill(1 / size);
  let next = new Float64Array(size);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const moved = nextScores(incoming, degrees, scores, next);
    [scores, next] = [next, scores];
    if (moved < TOLERANCE) break;
  }
  return scores;
}

/** Writes the scores after one more step into `next`. @returns the total change */
function nextScores(incoming: Adjacency, degrees: Int32Array, scores: Float64Array, next: Float64Array): number {
  const parts = new Float64Array(scores.length);
  let dangling = 0;
  for (let node = 0; node < scores.length; node++) {
    const degree = degrees[node] as number;
    if (degree === 0) dangling += scores[node] as number;
    else parts[node] = (scores[node] as number) / degree;
  }
  const toAll = (1 - DAMPING + DAMPING * dangling) / scores.length;
  let moved = 0;
  for (let node = 0; node < scores.length; node++) {
    const score = toAll + DAMPING * incomingScore(incoming, node, parts);
    moved += Math.abs(score - (scores[node] as number));
    next[node] = score;
  }
  return moved;
}

function incomingScore({ offsets, targets }: Adjacency, node: number, parts: Float64Array): number {
  const end = offsets[node + 1] as number;
  let sum = 0;
  for (let place = offsets[node] as number; place < end; place++) sum += parts[targets[place] as number] as number;
  return sum;
}

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

// Selects the highest of many scores without sorting all of them.

interface ScoredNode {
  readonly node: number;
  readonly score: number;
}

/** The `limit` highest scores, best first; equal scores ascend by node. */
export function highestScores(scores: ArrayLike<number>, limit: number): ScoredNode[] {
  const best: ScoredNode[] = [];
  for (let node = 0; node < scores.length; node++) {
    const score = scores[node] as number;
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || score <= last.score)) continue;
    const place = partitionPoint(best.length, (index) => (best[index] as ScoredNode).score >= score);
    best.splice(place, 0, { node, score });
    if (best.length > limit) best.pop();
  }
  return best;
}

/** Uniform numbers in [0, 1): a scrambled Weyl sequence. Equal seeds give equal sequences. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** `count` different items of `items`, chosen uniformly. */
export function sampleOf(items: readonly number[], count: number, random: () => number): number[] {
  const pool = [...items];
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (pool.length - i));
    [pool[i], pool[other]] = [pool[other] as number, pool[i] as number];
  }
  return pool.slice(0, count);
}
