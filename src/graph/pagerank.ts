// PageRank: how likely a reader who follows links at random is at each note.
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
