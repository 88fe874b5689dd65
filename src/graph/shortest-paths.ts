// Finds the shortest chains of links between two notes by bidirectional search.
import type { Graph } from '../base/graph.ts';
import { type Adjacency, neighborCountOf, nodeCountOf, reverseOf, undirectedOf } from './adjacency.ts';

export interface PathRequest {
  /** Whether links are followed only from source to target. */
  readonly directed: boolean;
  /** The maximum number of chains, at least 1. */
  readonly maxPaths: number;
}

/** One side of the search. */
interface Side {
  readonly rows: Adjacency;
  /** Steps from this end; -1 if unknown. */
  readonly steps: Int32Array;
  /** Every node found, in order; those from `frontier` on were found in the last step. */
  readonly nodes: number[];
  frontier: number;
  /** The number of links the next step has to follow. */
  width: number;
}

/** Arrays of -1 for both sides, kept per graph: filling new ones would cost more than the search itself. */
const stepArrays = new WeakMap<Graph, readonly [Int32Array, Int32Array]>();

/**
 * The shortest chains from `from` to `to`, both included, each as its nodes, in ascending order. Empty if there is
 * none; from a note to itself, the chain of that note alone.
 */
export function shortestPaths(graph: Graph, from: number, to: number, request: PathRequest): number[][] {
  const forward = request.directed ? graph : undirectedOf(graph);
  const backward = request.directed ? reverseOf(graph) : forward;
  const [stepsFromStart, stepsFromGoal] = stepArraysOf(graph);
  const start = createSide(forward, stepsFromStart, from);
  const goal = createSide(backward, stepsFromGoal, to);
  const meeting = searchUntilMeeting(start, goal);
  markStepsToGoal(start, goal, meeting);
  const chains = meeting.length === 0 ? [] : chainsToGoal(forward, goal.steps, from, request.maxPaths);
  for (const node of [...start.nodes, ...goal.nodes]) stepsFromStart[node] = stepsFromGoal[node] = -1;
  return chains;
}

function stepArraysOf(graph: Graph): readonly [Int32Array, Int32Array] {
  const arrays = stepArrays.get(graph);
  if (arrays !== undefined) return arrays;
  const size = nodeCountOf(graph);
  const created = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)] as const;
  stepArrays.set(graph, created);
  return created;
}

function createSide(rows: Adjacency, steps: Int32Array, node: number): Side {
  steps[node] = 0;
  return { rows, steps, nodes: [node], frontier: 0, width: neighborCountOf(rows, node) };
}

/** Expands the side with fewer links to follow, one step at a time. @returns the nodes where the sides meet, or none */
function searchUntilMeeting(a: Side, b: Side): readonly number[] {
  let meeting = meetingNodes(a, b);
  while (meeting.length === 0 && a.width > 0 && b.width > 0) {
    const [grown, other] = a.width <= b.width ? [a, b] : [b, a];
    expand(grown);
    meeting = meetingNodes(grown, other);
  }
  return meeting;
}

function meetingNodes({ nodes, frontier }: Side, other: Side): readonly number[] {
  const meeting: number[] = [];
  for (let i = frontier; i < nodes.length; i++) {
    const node = nodes[i] as number;
    if (other.steps[node] !== -1) meeting.push(node);
  }
  return meeting;
}

function expand(side: Side): void {
  const { rows, steps, nodes, frontier } = side;
  const frontierEnd = nodes.length;
  let width = 0;
  for (let i = frontier; i < frontierEnd; i++) {
    const node = nodes[i] as number;
    const rowEnd = rows.offsets[node + 1] as number;
    for (let place = rows.offsets[node] as number; place < rowEnd; place++) {
      const neighbor = rows.targets[place] as number;
      if (steps[neighbor] !== -1) continue;
      steps[neighbor] = (steps[node] as number) + 1;
      nodes.push(neighbor);
      width += neighborCountOf(rows, neighbor);
    }
  }
  side.frontier = frontierEnd;
  side.width = width;
}

/** Writes the distance to the goal into every node on a shortest chain, from the meeting nodes back to the start. */
function markStepsToGoal(start: Side, goal: Side, meeting: readonly number[]): void {
  let level = meeting;
  const [first] = meeting;
  for (let steps = first === undefined ? 0 : (start.steps[first] as number); steps > 0; steps--) {
    level = level.flatMap((node) => {
      const stepsToGoal = (goal.steps[node] as number) + 1;
      const before = neighborsAt(goal.rows, node, start.steps, steps - 1).filter(
        (one) => goal.steps[one] !== stepsToGoal,
      );
      for (const one of before) goal.steps[one] = stepsToGoal;
      return before;
    });
  }
}

/** The first `limit` neighbours of `node`, ascending, at the distance `step`. */
function neighborsAt(rows: Adjacency, node: number, steps: Int32Array, step: number, limit = Infinity): number[] {
  const path: number[] = [];
  const rowEnd = rows.offsets[node + 1] as number;
  for (let place = rows.offsets[node] as number; place < rowEnd && path.length < limit; place++) {
    const neighbor = rows.targets[place] as number;
    if (steps[neighbor] === step) path.push(neighbor);
  }
  return path;
}

/** A chain as its last node and the chain before it, so that chains share their common beginnings. */
interface ChainEnd {
  readonly node: number;
  readonly before: ChainEnd | undefined;
}

/** Up to `limit` chains along which `stepsToGoal` decreases to 0. */
function chainsToGoal(rows: Adjacency, stepsToGoal: Int32Array, from: number, limit: number): number[][] {
  let ends: readonly ChainEnd[] = [{ node: from, before: undefined }];
  for (let left = (stepsToGoal[from] as number) - 1; left >= 0; left--) {
    const longer: ChainEnd[] = [];
    for (const before of ends) {
      const room = limit - longer.length;
      longer.push(...neighborsAt(rows, before.node, stepsToGoal, left, room).map((node) => ({ node, before })));
    }
    ends = longer;
  }
  return ends.map(chainTo);
}

function chainTo(last: ChainEnd): number[] {
  const chain: number[] = [];
  for (let end: ChainEnd | undefined = last; end !== undefined; end = end.before) chain.push(end.node);
  return chain.reverse();
}
