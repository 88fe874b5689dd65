// Finds the node of a path; nodes are sorted by code points, not UTF-16 units.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NotePath } from '../../../src/base/note.ts';
import { comparePaths } from '../../../src/base/path-order.ts';
import { nodeOf } from '../../../src/tools/links/note-graph.ts';

const NONE = new Int32Array();

test('each path is found at its own position', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(names, fc.string({ unit: 'binary', maxLength: 5 }), (all, other) => {
      const paths = all.toSorted(comparePaths) as NotePath[];
      const graph = { revision: 1, paths, offsets: NONE, targets: NONE, counts: NONE };
      for (const [node, path] of paths.entries()) assert.equal(nodeOf(graph, path), node);
      if (!all.includes(other)) assert.equal(nodeOf(graph, other as NotePath), undefined);
    }),
  );
});
