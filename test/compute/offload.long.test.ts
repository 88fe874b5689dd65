import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import { ownRules } from '../../src/base/system/system-rules.ts';
import type { FileToParse } from '../../src/compute/file-jobs.ts';
import { jobs } from '../../src/compute/jobs.ts';
import { createCompute } from '../../src/compute/offload.ts';
import type { Compute } from '../../src/contracts/compute.ts';
import { betweenness, pagerank } from '../../src/graph/centrality.ts';
import { communities } from '../../src/graph/communities.ts';
import { unpackNotes } from '../../src/markdown/parse/packed-notes.ts';
import { assertEach } from '../assert-each.ts';
import { graphOf, largeGraph } from '../graph/graphs.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const never = new AbortController().signal;
/** Seconds of betweenness: whatever a test wants to interrupt is still running. */
const long = largeGraph(40_000);
/** Too large for the caller's thread, whatever the job. */
const medium = largeGraph(15_000);
const small = graphOf(4, '0>1 1>2 2>3 3>0');

const started: Worker[] = [];
const online = new WeakMap<Worker, Promise<unknown>>();
const remember = (worker: Worker) => {
  started.push(worker);
  online.set(worker, once(worker, 'online'));
};
before(() => process.on('worker', remember));
after(() => process.off('worker', remember));

/** A test with its own compute, and the threads that it started so far. */
function computeTest(
  name: string,
  work: (compute: Compute, threads: () => Worker[]) => Promise<void>,
  idleMs?: number,
) {
  test(name, async () => {
    const first = started.length;
    const compute = createCompute(idleMs === undefined ? {} : { idleMs });
    try {
      await work(compute, () => started.slice(first));
    } finally {
      await compute.close();
    }
  });
}

const startedThread = async (threads: () => Worker[]): Promise<Worker> => {
  while (threads().length === 0) await new Promise(setImmediate);
  const worker = threads().at(-1) as Worker;
  await online.get(worker);
  return worker;
};

const isInternal = (thrown: unknown) =>
  thrown instanceof VaultgraphError && thrown.code === 'INTERNAL' && thrown.cause !== undefined;
const isShuttingDown = (thrown: unknown) => thrown instanceof VaultgraphError && thrown.code === 'SHUTTING_DOWN';

const notes = (count: number, make = (text: string): Uint8Array => new TextEncoder().encode(text)): FileToParse[] =>
  Array.from({ length: count }, (_, i) => ({ path: `${i}.md` as NotePath, bytes: make(`# Note ${i}\n[[${i + 1}]]`) }));

computeTest("every job gives on a thread what it gives on the caller's", async (compute, threads) => {
  assert.deepEqual(await compute.run(jobs.pagerank, medium, never), pagerank(medium));
  assert.deepEqual(await compute.run(jobs.betweenness, medium, never), betweenness(medium));
  assert.deepEqual(await compute.run(jobs.communities, medium, never), communities(medium));
  const { parsed } = await compute.run(jobs.index, notes(9), never);
  assertEach(unpackNotes(parsed), ({ links }) => [...links][0]?.link, [1, 2, 3, 4, 5, 6, 7, 8, 9].map(String));
  assert.equal(threads().length, 1);
});

computeTest('small jobs start no thread, and leave the bytes with their owner', async (compute, threads) => {
  const files = notes(8);
  await compute.run(jobs.index, files, never);
  assert.deepEqual([...(await compute.run(jobs.pagerank, small, never))], [0.25, 0.25, 0.25, 0.25]);
  await compute.run(jobs.betweenness, small, never);
  assert.equal(threads().length, 0);
  assert.ok(files.every(({ bytes }) => bytes.byteLength > 0));
});

computeTest('one large file is no small job', async (compute, threads) => {
  await compute.run(
    jobs.index,
    [{ path: 'a.md' as NotePath, bytes: new Uint8Array(256 * 1024 + 1).fill(0x61) }],
    never,
  );
  assert.equal(threads().length, 1);
});

computeTest('bytes move to the thread; those in a shared pool are copied and stay', async (compute) => {
  const own = notes(9);
  const pooled = notes(9, (text) => Buffer.from(text));
  await compute.run(jobs.index, own, never);
  const { parsed } = await compute.run(jobs.index, pooled, never);
  assert.ok(own.every(({ bytes }) => bytes.byteLength === 0));
  assert.equal(pooled[0]?.bytes.toString(), '# Note 0\n[[1]]');
  assert.equal(unpackNotes(parsed)[0]?.headings[0]?.text, 'Note 0');
});

computeTest('a graph stays with the caller', async (compute, threads) => {
  await compute.run(jobs.pagerank, medium, never);
  assert.ok(medium.targets.length > 0);
  assert.equal(threads().length, 1);
});

computeTest('jobs run in the order they came', async (compute, threads) => {
  const ended: string[] = [];
  const follow = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name));
  await Promise.all([
    follow('first', compute.run(jobs.betweenness, medium, never)),
    follow('second', compute.run(jobs.pagerank, medium, never)),
    follow('third', compute.run(jobs.index, notes(9), never)),
  ]);
  assert.deepEqual(ended, ['first', 'second', 'third']);
  assert.equal(threads().length, 1);
});

computeTest(
  "an abort ends the running job's thread at once, and the next job gets a new one",
  async (compute, threads) => {
    const stop = new AbortController();
    const running = compute.run(jobs.betweenness, long, stop.signal);
    const next = compute.run(jobs.pagerank, medium, never);
    const thread = await startedThread(threads);
    const ended = once(thread, 'exit');
    const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
    stop.abort(reason);
    await assert.rejects(running, (thrown) => thrown === reason);
    await ended;
    assert.deepEqual(await next, pagerank(medium));
    assert.equal(threads().length, 2);
  },
);

computeTest('an abort of a waiting job leaves the others their turn', async (compute, threads) => {
  const stop = new AbortController();
  const first = compute.run(jobs.betweenness, medium, never);
  const waiting = compute.run(jobs.communities, medium, stop.signal);
  const last = compute.run(jobs.pagerank, medium, never);
  const reason = new Error('no longer wanted');
  stop.abort(reason);
  await assert.rejects(waiting, (thrown) => thrown === reason);
  assert.deepEqual(await first, betweenness(medium));
  assert.deepEqual(await last, pagerank(medium));
  assert.equal(threads().length, 1);
});

computeTest('a signal aborted before the call starts nothing', async (compute, threads) => {
  const reason = new Error('too late');
  await assert.rejects(compute.run(jobs.communities, medium, AbortSignal.abort(reason)), (thrown) => thrown === reason);
  await assert.rejects(compute.run(jobs.pagerank, small, AbortSignal.abort(reason)), (thrown) => thrown === reason);
  assert.equal(threads().length, 0);
});

computeTest('a thread that dies fails only the job it ran', async (compute, threads) => {
  const doomed = compute.run(jobs.betweenness, long, never);
  const next = compute.run(jobs.pagerank, medium, never);
  const failed = assert.rejects(doomed, isInternal);
  await (await startedThread(threads)).terminate();
  await failed;
  assert.deepEqual(await next, pagerank(medium));
  assert.equal(threads().length, 2);
});

computeTest('a job that throws fails alone, with what it threw as the cause', async (compute) => {
  const broken = { ...medium, targets: medium.targets, offsets: undefined } as unknown as typeof medium;
  const thrown = await compute.run(jobs.communities, broken, never).catch((reason: unknown) => reason);
  assert.ok(isInternal(thrown));
  assert.match(String((thrown as Error).cause), /TypeError/);
  assert.deepEqual(await compute.run(jobs.communities, medium, never), communities(medium));
});

computeTest('an input that cannot be posted fails alone', async (compute) => {
  const unposted = { ...medium, counts: () => 1 } as unknown as typeof medium;
  await assert.rejects(compute.run(jobs.communities, unposted, never), isInternal);
  assert.deepEqual(await compute.run(jobs.pagerank, medium, never), pagerank(medium));
});

computeTest('a thread that died while idle is replaced', async (compute, threads) => {
  await compute.run(jobs.pagerank, medium, never);
  await threads()[0]?.terminate();
  assert.deepEqual(await compute.run(jobs.pagerank, medium, never), pagerank(medium));
  assert.equal(threads().length, 2);
});

computeTest(
  'an idle thread ends by itself, and a later job starts another',
  async (compute, threads) => {
    await compute.run(jobs.pagerank, medium, never);
    await once(threads()[0] as Worker, 'exit');
    assert.deepEqual(await compute.run(jobs.pagerank, medium, never), pagerank(medium));
    assert.equal(threads().length, 2);
  },
  5,
);

test('closing settles after an idle thread died', async () => {
  const first = started.length;
  const compute = createCompute({ idleMs: 500 });
  await compute.run(jobs.pagerank, medium, never);
  await started[first]?.terminate();
  await sleep(600);
  const closed = compute.close().then(() => 'closed');
  assert.equal(await Promise.race([closed, sleep(30_000, 'waits', { ref: false })]), 'closed');
});

test('a thread gives back the heap of a large job while it waits for the next', async () => {
  const first = started.length;
  const compute = createCompute({ idleMs: 3_600_000 });
  const text = Array.from({ length: 1_500_000 }, (_, at) => `[[Gone ${at}]]`).join(' ');
  await compute.run(jobs.outline, { path: 'a.md' as NotePath, text, parts: ['tags'] }, never);
  const [thread] = started.slice(first) as [Worker];
  const isSmall = async () => (await thread.getHeapStatistics()).total_heap_size < 64 * 2 ** 20;
  await until(isSmall, 'a small heap');
  await compute.close();
});

test('closing ends the thread and rejects running, waiting and later jobs', async () => {
  const first = started.length;
  const compute = createCompute();
  const running = assert.rejects(compute.run(jobs.betweenness, long, never), isShuttingDown);
  const waiting = assert.rejects(compute.run(jobs.pagerank, medium, never), isShuttingDown);
  const thread = await startedThread(() => started.slice(first));
  let exited = false;
  thread.once('exit', () => {
    exited = true;
  });
  await compute.close();
  assert.ok(exited);
  await Promise.all([running, waiting]);
  await assert.rejects(compute.run(jobs.pagerank, small, never), isShuttingDown);
  await compute.close();
});

/** The priorities of the threads of this process; 0 is the usual one, and higher numbers run later. */
function threadPriorities(): number[] {
  const folder = '/proc/self/task';
  const fields = readdirSync(folder).map((id) =>
    readFileSync(`${folder}/${id}/stat`, 'utf8').split(') ')[1]?.split(' '),
  );
  return fields.map((values) => Number(values?.[16]));
}

test('the thread of background work has a lower priority than the others', {
  skip: !ownRules().hasThreadPriorities,
}, async () => {
  const before = Math.max(...threadPriorities());
  const computes = [createCompute(), createCompute({ isBackground: true })];
  await computes[0]?.run(jobs.pagerank, medium, never);
  assert.equal(Math.max(...threadPriorities()), before);
  await computes[1]?.run(jobs.pagerank, medium, never);
  assert.equal(threadPriorities().filter((priority) => priority > before).length, 1);
  await Promise.all(computes.map((compute) => compute.close()));
});

const offload = fileURLToPath(new URL('../../src/compute/offload.ts', import.meta.url));
const jobTable = fileURLToPath(new URL('../../src/compute/jobs.ts', import.meta.url));
const graphs = fileURLToPath(new URL('../graph/graphs.ts', import.meta.url));

/** What a process prints that finds the PageRank of 15,000 notes with a compute that it never closes. */
async function printedAround(before: string, after: string): Promise<{ stdout: string; stderr: string }> {
  const script = `
    const { createCompute } = await import(${JSON.stringify(offload)});
    const { jobs } = await import(${JSON.stringify(jobTable)});
    const { largeGraph } = await import(${JSON.stringify(graphs)});
    const compute = createCompute({ idleMs: 3_600_000 });
    ${before}
    const scores = await compute.run(jobs.pagerank, largeGraph(15_000), new AbortController().signal);
    ${after}`;
  return await run(process.execPath, ['--input-type=module', '--eval', script], { timeout: 60_000 });
}

test('a running job keeps the process alive, an idle thread does not', async () => {
  const { stdout } = await printedAround('', 'console.log(scores.length);');
  assert.equal(stdout, '15000\n');
});

test('output of a thread goes to stderr, never to stdout', async () => {
  const { stdout, stderr } = await printedAround("process.on('worker', ({ stdout }) => stdout.push('stray'));", '');
  assert.equal(stdout, '');
  assert.equal(stderr, 'stray');
});
