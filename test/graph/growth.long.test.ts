import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagerank } from '../../src/graph/centrality.ts';
import { reach } from '../../src/graph/neighborhood.ts';
import { buildGraph, largeEdges, largeGraph, named } from './graphs.ts';

const SIZES = [10_000, 80_000] as const;
/** Eight times the notes may cost this many times as much, since they leave the caches: quadratic work would cost 64 times as much. */
const MAX_RATIO = 32;

function bestOf(runs: number, work: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

function grows(name: string, prepare: (size: number) => () => unknown): void {
  test(`${name} grows with the vault, not with its square`, (context) => {
    const [once = 0, eightfold = 0] = SIZES.map((size) => bestOf(12, prepare(size)));
    context.diagnostic(`1x ${once.toFixed(2)} ms, 8x ${eightfold.toFixed(2)} ms`);
    assert.ok(eightfold / once < MAX_RATIO, `${eightfold} ms for eight times the notes of ${once} ms`);
  });
}

grows('building the graph', (size) => {
  const [paths, edges] = [named(size), largeEdges(size)];
  return () => buildGraph(1, paths, edges);
});

grows('breadth-first search', (size) => {
  const graph = largeGraph(size);
  return () => reach(graph, 0, Infinity);
});

grows('PageRank', (size) => {
  const graph = largeGraph(size);
  return () => pagerank(graph);
});
