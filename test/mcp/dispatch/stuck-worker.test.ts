// A call whose work does not return ends at its limit, other calls continue, and later ones get a thread of their own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { jobs } from '../../../src/compute/jobs.ts';
import { createCompute } from '../../../src/compute/offload.ts';
import type { Job } from '../../../src/contracts/compute.ts';
import { type AnyTool, defineTool } from '../../../src/contracts/tool.ts';
import type { Adjacency } from '../../../src/graph/adjacency.ts';
import { createTestHost } from '../test-host.ts';
import { testCatalog } from '../test-tools.ts';

const NODES = 2_500;
const LINKS_PER_NODE = 2_000;
/** As many notes as are searched from each start, linked so densely that all shortest paths take a thread half a minute; the call has seconds. */
const RING = {
  offsets: Int32Array.from({ length: NODES + 1 }, (_, node) => node * LINKS_PER_NODE),
  targets: Int32Array.from(
    { length: NODES * LINKS_PER_NODE },
    (_, link) => (Math.floor(link / LINKS_PER_NODE) + 1 + (link % LINKS_PER_NODE)) % NODES,
  ),
  counts: new Int32Array(NODES * LINKS_PER_NODE).fill(1),
};

const tool = <Scores>(name: string, job: Job<Adjacency, Scores>): AnyTool =>
  defineTool({
    ...{ name, title: name, summary: name, effect: 'reads', needs: [], index: 'none', fails: [] },
    input: z.strictObject({}),
    run: async (_input, _granted, { compute, signal }) => {
      await compute.run(job, RING, signal);
      return { done: true };
    },
  });

test('a worker that does not return', async () => {
  const compute = createCompute();
  const threads: Worker[] = [];
  const remember = (worker: Worker): void => void threads.push(worker);
  process.on('worker', remember);
  const catalog = [...testCatalog, tool('spin', jobs.betweenness), tool('rank', jobs.pagerank)];
  const { dispatch } = createTestHost({ compute, catalog, callLimitMs: 5_000 });
  const call = { signal: new AbortController().signal };
  try {
    const spinning = dispatch('spin', {}, call);
    let isOver = false;
    void spinning.then(() => {
      isOver = true;
    });
    const { structured } = await dispatch('wait', { ms: 1 }, call);
    assert.ok(structured.ok && !isOver, 'another call is answered meanwhile');
    const spun = (await spinning).structured;
    assert.equal(spun.ok ? undefined : spun.error.code, 'DEADLINE_EXCEEDED');
    const [thread] = threads;
    assert.ok(thread !== undefined);
    if (thread.threadId !== -1) await once(thread, 'exit');
    const ranked = await dispatch('rank', {}, { ...call, limitMs: Number.POSITIVE_INFINITY });
    assert.ok(ranked.structured.ok, ranked.text);
    assert.equal(threads.length, 2, 'the thread was replaced');
    const last = dispatch('spin', {}, { ...call, limitMs: Number.POSITIVE_INFINITY });
    await compute.close();
    const ended = (await last).structured;
    assert.equal(ended.ok ? undefined : ended.error.code, 'SHUTTING_DOWN');
  } finally {
    process.off('worker', remember);
    await compute.close();
  }
});
