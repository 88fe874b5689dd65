// Tests scores of notes by shared neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdjacency } from '../../src/graph/adjacency.ts';
import { sharedNeighbors } from '../../src/graph/neighborhood.ts';
import { assertEach } from '../assert-each.ts';

function graphOf(size: number, edges: readonly (readonly [number, number])[]) {
  const column = (side: 0 | 1) => Int32Array.from(edges, (edge) => edge[side]);
  return createAdjacency(size, { sources: column(0), targets: column(1), counts: Int32Array.from(edges, () => 1) });
}

test('shared neighbours count in either direction, and less the more links they have', () => {
  // 0 and 2 share 1; 0 and 4 share 1 and 3; 5 is a neighbour; 6 is near none.
  const graph = graphOf(8, [
    [0, 1],
    [2, 1],
    [4, 1],
    [3, 0],
    [3, 4],
    [0, 5],
    [5, 1],
  ]);
  const found = sharedNeighbors(graph, 0);
  assertEach(found, ({ node }) => node, [4, 2]);
  const between = (links: number) => 1 / Math.log2(1 + links);
  assert.ok(Math.abs((found[0]?.score ?? 0) - between(4) - between(2)) < 1e-12);
  assert.deepEqual(sharedNeighbors(graph, 6), []);
});

test('a hub linked with everything is ignored', () => {
  const hub = Array.from({ length: 600 }, (_, at) => [at + 1, 0] as const);
  assert.deepEqual(sharedNeighbors(graphOf(601, hub), 1), []);
});
