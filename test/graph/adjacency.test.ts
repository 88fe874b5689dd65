import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../src/base/note.ts';
import { createAdjacency, neighborsOf, reverseOf, undirectedOf } from '../../src/graph/adjacency.ts';
import { buildGraph, type Edge, graphOf, links, named, smallGraphs } from './graphs.ts';

const paths = (...given: string[]) => given as NotePath[];

test('nodes are sorted by path, repeated links are merged and self links are dropped', () => {
  const graph = buildGraph(7, paths('c.md', 'a.md', 'b.md'), [
    [0, 1, 2],
    [0, 2, 1],
    [0, 1, 3],
    [1, 1, 4],
    [2, 0, 1],
  ]);
  assert.deepEqual(graph, {
    revision: 7,
    paths: ['a.md', 'b.md', 'c.md'],
    offsets: Int32Array.of(0, 0, 1, 3),
    targets: Int32Array.of(2, 0, 1),
    counts: Int32Array.of(1, 5, 1),
  });
});

test('an empty vault has an empty graph', () => {
  assert.deepEqual(buildGraph(1, [], []), {
    revision: 1,
    paths: [],
    offsets: Int32Array.of(0),
    targets: new Int32Array(0),
    counts: new Int32Array(0),
  });
});

test('paths are sorted by code point, not by UTF-16 code unit', () => {
  const graph = buildGraph(1, paths('😀.md', '\uFF21.md', 'a/b.md', 'a.md'), []);
  assert.deepEqual(graph.paths, ['a.md', 'a/b.md', '\uFF21.md', '😀.md']);
});

test('the order in which paths and links are given does not change the graph', () => {
  const link = fc.tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(fc.array(link), fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), (edges, order) => {
      const moved = edges.map(([source, target, count]): Edge => [order.indexOf(source), order.indexOf(target), count]);
      const names = named(8);
      const shuffled = order.map((node) => names[node] as NotePath);
      assert.deepEqual(buildGraph(1, shuffled, moved.reverse()), buildGraph(1, names, edges));
    }),
  );
});

test('rows contain exactly the links given, ascending, each with its count', () => {
  const link = fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(fc.array(link), (edges) => {
      const expected = new Map<string, number>();
      for (const [source, target, count] of edges) {
        const key = `${source}>${target}`;
        if (source !== target) expected.set(key, (expected.get(key) ?? 0) + count);
      }
      const graph = buildGraph(1, named(6), edges);
      const rows = graph.paths.flatMap((_, node) =>
        Array.from(neighborsOf(graph, node), (target) => `${node}>${target}`),
      );
      assert.deepEqual(rows, [...expected.keys()].sort());
      assert.deepEqual(
        [...graph.counts],
        rows.map((key) => expected.get(key)),
      );
    }),
  );
});

test('paths have the order of their UTF-8 bytes, as in the store', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), (given) => {
      const byBytes = [...given].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(buildGraph(1, paths(...given), []).paths, byBytes);
    }),
  );
});

test('the graph reversed, and without direction', () => {
  const graph = graphOf(3, '0>1*2 1>0*3 1>2');
  assert.deepEqual(reverseOf(graph), {
    offsets: Int32Array.of(0, 1, 2, 3),
    targets: Int32Array.of(1, 0, 1),
    counts: Int32Array.of(3, 2, 1),
  });
  assert.deepEqual(undirectedOf(graph), {
    offsets: Int32Array.of(0, 1, 3, 4),
    targets: Int32Array.of(1, 0, 2, 1),
    counts: Int32Array.of(5, 5, 1, 1),
  });
  assert.equal(reverseOf(graph), reverseOf(graph));
});

test('the reverse, and the rows without direction, are those of the same links turned around, or in both directions', () => {
  fc.assert(
    fc.property(smallGraphs(), (graph) => {
      const size = graph.paths.length;
      const sources = [...graph.paths.keys()].flatMap((node) => new Array(neighborsOf(graph, node).length).fill(node));
      const targets = [...graph.targets];
      const counts = [...graph.counts];
      const columns = (from: number[], to: number[], each: number[]) =>
        createAdjacency(size, {
          sources: Int32Array.from(from),
          targets: Int32Array.from(to),
          counts: Int32Array.from(each),
        });
      assert.deepEqual(reverseOf(graph), columns(targets, sources, counts));
      const both = columns([...sources, ...targets], [...targets, ...sources], [...counts, ...counts]);
      assert.deepEqual(undirectedOf(graph), both);
    }),
  );
});

test('a graph reversed twice is the same graph, and the reverse has each link once', () => {
  fc.assert(
    fc.property(smallGraphs(), (graph) => {
      const { offsets, targets, counts } = graph;
      assert.deepEqual(reverseOf(reverseOf(graph)), { offsets, targets, counts });
      for (const a of graph.paths.keys()) {
        for (const b of graph.paths.keys()) {
          assert.equal(neighborsOf(reverseOf(graph), b).includes(a), links(graph, a, b));
          assert.equal(neighborsOf(undirectedOf(graph), b).includes(a), links(graph, a, b) || links(graph, b, a));
        }
      }
    }),
  );
});
