import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Graph } from '../../src/base/graph.ts';
import { type Direction, neighborhood, reach } from '../../src/graph/neighborhood.ts';
import { assertEach } from '../assert-each.ts';
import { everyDistance, graphOf, links, smallGraphs } from './graphs.ts';

const directions = fc.constantFrom<Direction[]>('in', 'out', 'both');

test('each neighbour with its depth and the links that lead to it', () => {
  const graph = graphOf(6, '0>1 1>0 2>0 1>3 2>3 4>3 5>4');
  assert.deepEqual(neighborhood(graph, 0, { direction: 'both', depth: 2, limit: 10 }), {
    total: 3,
    neighbors: [
      {
        node: 1,
        depth: 1,
        edges: [
          { source: 0, target: 1, direction: 'out' },
          { source: 1, target: 0, direction: 'in' },
        ],
      },
      { node: 2, depth: 1, edges: [{ source: 2, target: 0, direction: 'in' }] },
      {
        node: 3,
        depth: 2,
        edges: [
          { source: 1, target: 3, direction: 'out' },
          { source: 2, target: 3, direction: 'out' },
        ],
      },
    ],
  });
  const incoming = neighborhood(graph, 3, { direction: 'in', depth: 3, limit: 10 });
  assertEach(incoming.neighbors, ({ node, depth }) => [node, depth], [
    [1, 1],
    [2, 1],
    [4, 1],
    [0, 2],
    [5, 2],
  ]);
});

test('the total includes neighbours beyond the limit, and pages are contiguous', () => {
  fc.assert(
    fc.property(smallGraphs(), directions, fc.integer({ min: 1, max: 4 }), (graph, direction, limit) => {
      const whole = neighborhood(graph, 0, { direction, depth: 3, limit: 100 });
      assert.equal(whole.total, whole.neighbors.length);
      const pages = [];
      for (let offset = 0; offset < whole.total; offset += limit) {
        const page = neighborhood(graph, 0, { direction, depth: 3, limit, offset });
        assert.equal(page.total, whole.total);
        assert.ok(page.neighbors.length <= limit);
        pages.push(...page.neighbors);
      }
      assert.deepEqual(pages, whole.neighbors);
    }),
  );
});

test('reached nodes, depths and links match plain distances', () => {
  fc.assert(
    fc.property(smallGraphs(), directions, fc.integer({ min: 1, max: 3 }), (graph, direction, depth) => {
      const steps = stepsFrom(graph, 0, direction);
      const expected = [...steps.entries()]
        .filter(([node, step]) => node !== 0 && step <= depth)
        .sort(([a, stepA], [b, stepB]) => stepA - stepB || a - b);
      const { neighbors } = neighborhood(graph, 0, { direction, depth, limit: 100 });
      assertEach(neighbors, ({ node, depth: step }) => [node, step], expected);
      for (const { node, depth: step, edges } of neighbors) {
        const nearer = [...steps.entries()].filter(([, other]) => other === step - 1).map(([other]) => other);
        const out = nearer.filter((other) => direction !== 'in' && links(graph, other, node));
        const back = nearer.filter((other) => direction !== 'out' && links(graph, node, other));
        assert.deepEqual(edges, [
          ...out.map((source) => ({ source, target: node, direction: 'out' })),
          ...back.map((target) => ({ source: node, target, direction: 'in' })),
        ]);
      }
    }),
  );
});

test('a search without a depth limit reaches what is connected, the start first', () => {
  const { depths, reached } = reach(graphOf(5, '3>1 1>4 4>0'), 3, Infinity);
  assert.deepEqual([...reached], [3, 1, 4, 0]);
  assert.deepEqual([...depths], [3, 1, -1, 0, 2]);
});

function stepsFrom(graph: Graph, start: number, direction: Direction): number[] {
  const steps = everyDistance(graph, direction !== 'both');
  return [...graph.paths.keys()].map(
    (node) => (direction === 'in' ? steps[node]?.[start] : steps[start]?.[node]) ?? NaN,
  );
}
