import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shortestPaths } from '../../src/graph/shortest-paths.ts';
import { assertEach } from '../assert-each.ts';
import { runs } from '../runner/effort.ts';
import { buildGraph, type Edge, everyShortestPath, graphOf, named, smallGraphs } from './graphs.ts';

test('two chains around a square, one against the direction of the links', () => {
  const graph = graphOf(5, '0>1 1>3 0>2 3>2 3>4');
  assert.deepEqual(shortestPaths(graph, 0, 4, { directed: false, maxPaths: 5 }), [
    [0, 1, 3, 4],
    [0, 2, 3, 4],
  ]);
  assert.deepEqual(shortestPaths(graph, 0, 4, { directed: true, maxPaths: 5 }), [[0, 1, 3, 4]]);
  assert.deepEqual(shortestPaths(graph, 4, 0, { directed: true, maxPaths: 5 }), []);
  assert.deepEqual(shortestPaths(graph, 4, 4, { directed: true, maxPaths: 5 }), [[4]]);
});

test('exactly the shortest chains, in order, up to the limit', () => {
  fc.assert(
    fc.property(
      smallGraphs(),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      (graph, a, b, directed, maxPaths) => {
        const [from, to] = [a % graph.paths.length, b % graph.paths.length];
        const expected = everyShortestPath(graph, from, to, directed).slice(0, maxPaths);
        assert.deepEqual(shortestPaths(graph, from, to, { directed, maxPaths }), expected);
        assert.deepEqual(
          shortestPaths(graph, from, to, { directed, maxPaths }),
          expected,
          'a second search is the same',
        );
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('a chain of ten thousand daily notes is followed to its end', () => {
  const edges = Array.from({ length: 9_999 }, (_, day): Edge => [day, day + 1, 1]);
  const [chain] = shortestPaths(buildGraph(1, named(10_000), edges), 0, 9_999, { directed: true, maxPaths: 3 });
  assert.deepEqual(chain, [...Array(10_000).keys()]);
});

test('of thousands of equally short chains only the requested ones are built', () => {
  const layers = 30;
  const edges = Array.from({ length: layers }, (_, layer): Edge[] => {
    const [from, left, right, to] = [3 * layer, 3 * layer + 1, 3 * layer + 2, 3 * layer + 3];
    return [
      [from, left, 1],
      [from, right, 1],
      [left, to, 1],
      [right, to, 1],
    ];
  }).flat();
  const graph = buildGraph(1, named(3 * layers + 1), edges);
  const chains = shortestPaths(graph, 0, 3 * layers, { directed: true, maxPaths: 3 });
  assertEach(chains, (chain) => chain.slice(-5), [
    [84, 85, 87, 88, 90],
    [84, 85, 87, 89, 90],
    [84, 86, 87, 88, 90],
  ]);
});
