import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { undirectedOf } from '../../src/graph/adjacency.ts';
import { communities, modularity } from '../../src/graph/communities.ts';
import { graphOf, largeGraph, links, smallGraphs } from './graphs.ts';

test('two triangles joined by one link are two communities of modularity 5/14', () => {
  const found = communities(graphOf(7, '4>5 5>6 6>4 0>1 1>2 2>0 0>4'));
  assert.deepEqual([...found.communityOf], [0, 0, 0, 2, 1, 1, 1]);
  assert.deepEqual([...found.sizes], [3, 3, 1]);
  assert.ok(Math.abs(found.modularity - 5 / 14) < 1e-12);
});

test('the larger community has the smaller number', () => {
  const found = communities(graphOf(7, '0>1 1>2 2>0 3>4 3>5 3>6 4>5 4>6 5>6'));
  assert.deepEqual([...found.communityOf], [1, 1, 1, 0, 0, 0, 0]);
});

test('links are weighted by their count: strong pairs stay together', () => {
  assert.deepEqual([...communities(graphOf(4, '0>1*9 1>2 2>3*9 3>0')).communityOf], [0, 0, 1, 1]);
});

test('without notes and without links', () => {
  assert.deepEqual(communities(graphOf(0, '')), {
    communityOf: new Int32Array(0),
    sizes: new Int32Array(0),
    modularity: 0,
  });
  assert.deepEqual(communities(graphOf(2, '')), {
    communityOf: Int32Array.of(0, 1),
    sizes: Int32Array.of(1, 1),
    modularity: 0,
  });
});

test('modularity equals its definition over all pairs', () => {
  fc.assert(
    fc.property(smallGraphs(), fc.infiniteStream(fc.nat(3)), (graph, groups) => {
      const groupOf = Int32Array.from(graph.paths, () => groups.next().value);
      const rows = undirectedOf(graph);
      const nodes = [...graph.paths.keys()];
      const weight = (a: number, b: number) => {
        const place = rows.targets.subarray(rows.offsets[a], rows.offsets[a + 1]).indexOf(b);
        return place < 0 ? 0 : (rows.counts[(rows.offsets[a] ?? 0) + place] ?? 0);
      };
      const ends = nodes.map((a) => nodes.reduce((sum, b) => sum + weight(a, b), 0));
      const total = ends.reduce((sum, count) => sum + count, 0);
      let expected = 0;
      for (const a of nodes) {
        for (const b of nodes) {
          if (total === 0 || groupOf[a] !== groupOf[b]) continue;
          expected += weight(a, b) / total - ((ends[a] ?? 0) * (ends[b] ?? 0)) / total ** 2;
        }
      }
      assert.ok(Math.abs(modularity(rows, groupOf) - expected) < 1e-9);
    }),
  );
});

test('every node has a community, sizes descend, a note without links is alone, and modularity is never negative', () => {
  fc.assert(
    fc.property(smallGraphs(12), (graph) => {
      const { communityOf, sizes, modularity: value } = communities(graph);
      const counted = [...sizes.keys()].map((community) => communityOf.filter((one) => one === community).length);
      assert.deepEqual([...sizes], counted);
      assert.deepEqual(
        [...sizes],
        [...sizes].sort((a, b) => b - a),
      );
      assert.equal(communityOf.length, graph.paths.length);
      const alone = modularity(undirectedOf(graph), Int32Array.from(graph.paths.keys()));
      assert.ok(value >= alone - 1e-12);
      for (const node of graph.paths.keys()) {
        const lonely = graph.paths.every((_, other) => !links(graph, node, other) && !links(graph, other, node));
        if (lonely) assert.equal(sizes[communityOf[node] as number], 1);
      }
    }),
  );
});

test('equal graphs have equal communities', () => {
  assert.deepEqual(communities(largeGraph(800)), communities(largeGraph(800)));
});
