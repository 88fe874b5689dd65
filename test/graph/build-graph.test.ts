import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import { neighborsOf, reverseOf, undirectedOf } from '../../src/graph/adjacency.ts';
import { buildGraph, type Edge, indexOfPath } from '../../src/graph/build-graph.ts';
import { graphOf, links, named, smallGraphs } from './graphs.ts';

const paths = (...given: string[]) => given as NotePath[];

test('nodes stand by path, repeated links merge, self links go', () => {
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

test('paths stand by code points, not by UTF-16 units', () => {
  const graph = buildGraph(1, paths('😀.md', '\uFF21.md', 'a/b.md', 'a.md'), []);
  assert.deepEqual(graph.paths, ['a.md', 'a/b.md', '\uFF21.md', '😀.md']);
});

test('the order of paths and links given does not show in the graph', () => {
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

test('rows hold exactly the links given, ascending, each with its count', () => {
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

test('what cannot be a graph is refused', () => {
  const refused = (given: NotePath[], edges: Edge[], kind: string) => {
    const isRefusal = (thrown: unknown) => {
      assert.ok(thrown instanceof VaultgraphError);
      assert.deepEqual([thrown.code, thrown.details], ['INTERNAL', { kind }]);
      return true;
    };
    assert.throws(() => buildGraph(1, given, edges), isRefusal);
  };
  refused(paths('b.md', 'a.md', 'b.md'), [], 'graph_path');
  refused(paths('a.md', 'a.md'), [], 'graph_path');
  refused(named(2), [[0, 2, 1]], 'graph_edge');
  refused(named(2), [[-1, 0, 1]], 'graph_edge');
  refused(named(2), [[0, 1, 0]], 'graph_edge');
});

test('a path is found as its node, others are not', () => {
  const strings = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }));
  fc.assert(
    fc.property(strings, fc.string({ unit: 'binary' }), (given, other) => {
      const graph = buildGraph(1, paths(...given), []);
      for (const [node, path] of graph.paths.entries()) assert.equal(indexOfPath(graph, path), node);
      if (!given.includes(other)) assert.equal(indexOfPath(graph, other), undefined);
    }),
  );
});

test('the order of paths is that of their UTF-8 bytes, which is how a store sorts them', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), (given) => {
      const byBytes = [...given].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(buildGraph(1, paths(...given), []).paths, byBytes);
    }),
  );
});

test('reading against the links, and without direction', () => {
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

test('reversed twice is the graph again, and each link stands in one row of the reverse', () => {
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
