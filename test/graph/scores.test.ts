import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Graph } from '../../src/base/graph.ts';
import { deadEnds, inDegrees, orphans, outDegrees } from '../../src/graph/adjacency.ts';
import { betweenness, createRandom, highestScores, pagerank, sampleOf } from '../../src/graph/centrality.ts';
import { reach } from '../../src/graph/neighborhood.ts';
import { longTest } from '../runner/effort.ts';
import { everyShortestPath, graphOf, largeGraph, links, smallGraphs } from './graphs.ts';

const near = (actual: ArrayLike<number>, expected: readonly number[], within: number) => {
  assert.equal(actual.length, expected.length);
  for (const [i, value] of expected.entries()) {
    assert.ok(Math.abs((actual[i] as number) - value) <= within, `${i}: ${actual[i]} is not ${value}`);
  }
};

test('degrees count notes, not links', () => {
  const graph = graphOf(4, '0>1*5 0>2 1>2');
  assert.deepEqual([...outDegrees(graph)], [2, 1, 0, 0]);
  assert.deepEqual([...inDegrees(graph)], [0, 1, 2, 0]);
});

test('orphans have no links, dead ends only incoming ones', () => {
  const graph = graphOf(5, '0>1 0>2 2>0 4>4');
  assert.deepEqual(orphans(graph), [3, 4]);
  assert.deepEqual(deadEnds(graph), [1]);
});

test('the best scores first, equal ones by node', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6 })), fc.nat(12), (scores, limit) => {
      const sorted = scores
        .map((score, node) => ({ node, score }))
        .sort((a, b) => b.score - a.score || a.node - b.node);
      assert.deepEqual(highestScores(scores, limit), sorted.slice(0, limit));
    }),
  );
});

test('PageRank of two notes that link to a third, computed by hand', () => {
  // x = .05 + .85 z/3 for each of the two, z = x + .85 · 2x, 2x + z = 1
  const x = 1 / (2 + 2.7);
  near(pagerank(graphOf(3, '0>2*9 1>2')), [x, x, 2.7 * x], 1e-8);
});

test('PageRank equals the fixed point of plain power iteration, and adds up to 1', () => {
  fc.assert(
    fc.property(smallGraphs(), (graph) => {
      const scores = pagerank(graph);
      near(scores, powerIteration(graph), 1e-8);
      near([scores.reduce((sum, score) => sum + score, 0)], [1], 1e-9);
    }),
  );
  assert.equal(pagerank(graphOf(0, '')).length, 0);
});

test('betweenness of a chain and of two equally short chains, computed by hand', () => {
  assert.deepEqual([...betweenness(graphOf(4, '0>1 1>2 2>3')).scores], [0, 2, 2, 0]);
  assert.deepEqual(betweenness(graphOf(4, '0>1 0>2 1>3 2>3')), {
    scores: Float64Array.of(0, 0.5, 0.5, 0),
    sampled: undefined,
  });
});

test('betweenness is the share of all shortest chains that lead through a node', () => {
  fc.assert(
    fc.property(smallGraphs(7), (graph) => {
      const expected = graph.paths.map(() => 0);
      for (const from of graph.paths.keys()) {
        for (const to of graph.paths.keys()) {
          const chains = from === to ? [] : everyShortestPath(graph, from, to, true);
          for (const node of chains.flatMap((chain) => chain.slice(1, -1))) {
            expected[node] = (expected[node] ?? 0) + 1 / chains.length;
          }
        }
      }
      near(betweenness(graph).scores, expected, 1e-9);
    }),
  );
});

test('sampled betweenness is marked and reproducible', () => {
  const graph = largeGraph(2_600);
  const { scores, sampled } = betweenness(graph);
  assert.equal(sampled, 500);
  assert.deepEqual(betweenness(graph), { scores, sampled });
});

longTest('sampled betweenness has the same leaders as the exact one', async () => {
  const graph = largeGraph(2_600);
  const { scores } = betweenness(graph);
  const exact = exactBetweenness(graph);
  const leaders = highestScores(scores, 20).map(({ node }) => node);
  const trueLeaders = new Set(highestScores(exact, 20).map(({ node }) => node));
  assert.ok(leaders.filter((node) => trueLeaders.has(node)).length >= 15);
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  assert.ok(Math.abs(total(scores) / total(exact) - 1) < 0.1, 'estimates are on the scale of exact scores');
});

test('random numbers are reproducible and uniform; samples contain no item twice', () => {
  const drawn = (seed: number) => Array.from({ length: 10_000 }, createRandom(seed));
  assert.deepEqual(drawn(3), drawn(3));
  assert.notDeepEqual(drawn(3), drawn(4));
  const tenths = Map.groupBy(drawn(5), (value) => Math.floor(value * 10));
  assert.deepEqual([...tenths.keys()].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const values of tenths.values()) assert.ok(values.length > 850 && values.length < 1_150);
  const sample = sampleOf([...Array(50).keys()], 20, createRandom(1));
  assert.equal(new Set(sample).size, 20);
});

function powerIteration(graph: Graph): number[] {
  const nodes = [...graph.paths.keys()];
  const targets = nodes.map((a) => nodes.filter((b) => links(graph, a, b)));
  let scores = nodes.map(() => 1 / nodes.length);
  for (let round = 0; round < 300; round++) {
    scores = nodes.map((node) =>
      nodes.reduce((sum, other) => {
        const named = targets[other] ?? [];
        const share = named.length === 0 ? 1 / nodes.length : named.includes(node) ? 1 / named.length : 0;
        return sum + 0.85 * share * (scores[other] ?? 0);
      }, 0.15 / nodes.length),
    );
  }
  return scores;
}

/** The exact scores of a graph too large to be given them, by distances and chain counts from each start. */
function exactBetweenness(graph: Graph): Float64Array {
  const total = new Float64Array(graph.paths.length);
  const row = (node: number) => graph.targets.subarray(graph.offsets[node], graph.offsets[node + 1]);
  for (const start of graph.paths.keys()) {
    const { depths, reached } = reach(graph, start, Infinity);
    const chains = new Float64Array(total.length);
    const dependency = new Float64Array(total.length);
    const onward = (node: number) => row(node).filter((next) => depths[next] === (depths[node] as number) + 1);
    chains[start] = 1;
    for (const node of reached) {
      for (const next of onward(node)) chains[next] = (chains[next] as number) + (chains[node] as number);
    }
    for (const node of reached.toReversed()) {
      for (const next of onward(node)) {
        const share = (chains[node] as number) / (chains[next] as number);
        dependency[node] = (dependency[node] as number) + share * (1 + (dependency[next] as number));
      }
      if (node !== start) total[node] = (total[node] as number) + (dependency[node] as number);
    }
  }
  return total;
}
