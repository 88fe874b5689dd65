// The shortest chains of links between two notes, searched from both ends at once. Knows nodes, not paths of files.
import type { Graph } from '../base/graph.ts';
import { type Adjacency, neighborsOf, nodeCountOf, reverseOf, undirectedOf } from './adjacency.ts';

export interface PathRequest {
  /** Whether a link leads only from its note to its target. */
  readonly directed: boolean;
  /** Most chains to give, at least 1. */
  readonly maxPaths: number;
}

/** One end of the search: the steps from it, -1 where unknown, and the nodes found last. */
interface Side {
  readonly rows: Adjacency;
  readonly steps: Int32Array;
  frontier: readonly number[];
  depth: number;
}

/**
 * The shortest chains from `from` to `to`, both ends included, each as its nodes; all are equally long and they stand in
 * ascending order of their nodes. Empty when none leads there; a note leads to itself by the chain of itself alone.
 */
export function shortestPaths(graph: Graph, from: number, to: number, request: PathRequest): number[][] {
  const forward = request.directed ? graph : undirectedOf(graph);
  const backward = request.directed ? reverseOf(graph) : forward;
  const fromStart = createSide(forward, from);
  const fromGoal = createSide(backward, to);
  const meeting = meet(fromStart, fromGoal);
  markWayBack(fromStart, fromGoal, meeting, backward);
  return meeting.length === 0 ? [] : chainsDown(forward, fromGoal.steps, from, request.maxPaths);
}

function createSide(rows: Adjacency, node: number): Side {
  const steps = new Int32Array(nodeCountOf(rows)).fill(-1);
  steps[node] = 0;
  return { rows, steps, frontier: [node], depth: 0 };
}

/** Widens the narrower side, whole steps at a time, until the sides touch. @returns the nodes they touch in, empty if never */
function meet(a: Side, b: Side): readonly number[] {
  let [grown, other] = [a, b];
  let meeting = touching(grown, other);
  while (meeting.length === 0 && a.frontier.length > 0 && b.frontier.length > 0) {
    [grown, other] = a.frontier.length <= b.frontier.length ? [a, b] : [b, a];
    widen(grown);
    meeting = touching(grown, other);
  }
  return meeting;
}

function touching(side: Side, other: Side): readonly number[] {
  return side.frontier.filter((node) => other.steps[node] !== -1);
}

function widen(side: Side): void {
  const { rows, steps } = side;
  const found: number[] = [];
  side.depth += 1;
  for (const node of side.frontier) {
    const rowEnd = rows.offsets[node + 1] as number;
    for (let place = rows.offsets[node] as number; place < rowEnd; place++) {
      const neighbor = rows.targets[place] as number;
      if (steps[neighbor] !== -1) continue;
      steps[neighbor] = side.depth;
      found.push(neighbor);
    }
  }
  side.frontier = found;
}

/** From the meeting nodes back to the start, writes the steps to the goal into every node that lies on a shortest chain. */
function markWayBack(start: Side, goal: Side, meeting: readonly number[], backward: Adjacency): void {
  let level = meeting;
  while (level.length > 0) {
    const nearer = new Set<number>();
    for (const node of level) {
      for (const before of neighborsOf(backward, node)) {
        if (start.steps[before] !== (start.steps[node] as number) - 1) continue;
        goal.steps[before] = (goal.steps[node] as number) + 1;
        nearer.add(before);
      }
    }
    level = [...nearer];
  }
}

/** Up to `most` chains along which `stepsToGoal` falls by one at each node, down to 0. */
function chainsDown(rows: Adjacency, stepsToGoal: Int32Array, from: number, most: number): number[][] {
  const chains: number[][] = [];
  const chain: number[] = [];
  const descend = (node: number): void => {
    chain.push(node);
    if (stepsToGoal[node] === 0) chains.push([...chain]);
    for (const next of neighborsOf(rows, node)) {
      if (chains.length >= most) break;
      if (stepsToGoal[next] === (stepsToGoal[node] as number) - 1) descend(next);
    }
    chain.pop();
  };
  descend(from);
  return chains;
}
