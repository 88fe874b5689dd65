// S4, S5, S7: several processes share an index, processes are killed, disks are full.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { ALL, asPath, changes, fill, filled, found, signal, targetsIn } from '../../contracts/store/law.ts';
import { startChild } from './child.ts';
import { createIndexFolder, type IndexFolder } from './database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const pathsWith = async (store: Store, text: string): Promise<string[]> => {
  const query = { terms: [{ text, kind: 'word', negated: false } as const], match: 'any' } as const;
  return (await store.searchText(query, {}, ALL, signal)).hits.map(({ path }) => path);
};

/** Milliseconds that the event loop was held up at most while `work` ran. */
async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}

describe('S4: a write lock held by another process', () => {
  it('delays writes but not reads', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'low' });
    const holder = startChild('hold-lock-child.ts', [folder.file]);
    await holder.line();
    const written = fill(store, { 'Flow.md': 'high' });
    assert.deepEqual(await pathsWith(store, 'low'), ['Ebb.md']);
    await sleep(1_000);
    assert.deepEqual(await pathsWith(store, 'high'), []);
    holder.process.stdin.end();
    await written;
    assert.deepEqual(await pathsWith(store, 'high'), ['Flow.md']);
    await close();
  });

  it('ends in STORE_BUSY if it is held for long, without blocking the event loop', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'low' });
    const holder = startChild('hold-lock-child.ts', [folder.file]);
    await holder.line();
    const delay = await longestDelay(async () => {
      await assert.rejects(fill(store, { 'Flow.md': 'high' }), { code: 'STORE_BUSY', retryable: true });
    });
    // A wait for the lock on this thread would take two seconds.
    assert.ok(delay < 1_000, `the loop was held up for ${delay} ms`);
    holder.process.stdin.end();
    await holder.ended();
    await fill(store, { 'Flow.md': 'high' });
    assert.deepEqual(await pathsWith(store, 'high'), ['Flow.md']);
    await close();
  });

  it('stops delaying a call that is cancelled', async () => {
    const { capability: store, close } = await folder.open();
    const holder = startChild('hold-lock-child.ts', [folder.file]);
    await holder.line();
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const written = store.apply(filled({ 'Flow.md': 'high' }), controller.signal);
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(written, reason);
    holder.process.stdin.end();
    await holder.ended();
    assert.equal((await store.counts(signal)).files, 0);
    await close();
  });
});

describe('two stores on one index', () => {
  it('see the commits of each other at once, including links and graph', async () => {
    const one = await folder.open();
    const other = await folder.open();
    await fill(one.capability, { 'Ebb.md': '[[Flow]]' });
    assert.deepEqual((await other.capability.graph(signal)).paths, ['Ebb.md']);
    await fill(other.capability, { 'Flow.md': '[[Ebb]]' });
    assert.deepEqual(await targetsIn(one.capability, 'Ebb.md'), ['Flow.md']);
    assert.deepEqual((await one.capability.graph(signal)).paths, ['Ebb.md', 'Flow.md']);
    assert.equal((await one.capability.counts(signal)).notes, 2);
    const both = ['a', 'b'].map((name, at) =>
      fill([one, other][at]?.capability ?? one.capability, { [`${name}.md`]: name }),
    );
    await Promise.all(both);
    assert.equal((await other.capability.counts(signal)).notes, 4);
    await one.close();
    await other.close();
  });
});

describe('S7: a process killed during a change', () => {
  it('leaves the old state or the new one, twenty times', async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `n${i}.md`);
    const setUp = await folder.open();
    await fill(setUp.capability, { 'target0.md': '', 'target1.md': '' });
    await setUp.capability.apply(changes({ added: paths.map((path) => found(path)) }), signal);
    await setUp.close();
    let generation = 0;
    for (let round = 0; round < 20; round++) {
      const { dataFolder, vaultRoot } = folder.context;
      const child = startChild('rewrite-child.ts', [dataFolder, vaultRoot, String(generation + 1), ...paths]);
      const committed = Number(await child.line());
      await sleep(round * 3);
      child.process.kill('SIGKILL');
      assert.equal(await child.ended(), 'SIGKILL');
      generation = await oneGeneration(paths);
      assert.ok(generation >= committed);
    }
  });
});

/** The generation all notes are of, by every way there is to ask. */
async function oneGeneration(paths: readonly string[]): Promise<number> {
  const { capability: store, close } = await folder.open();
  const tags = await store.listTags(undefined, {}, signal);
  assertEach(tags, ({ count }) => count, [paths.length]);
  const generation = Number(tags[0]?.tag.slice('#g'.length));
  assert.equal((await pathsWith(store, `generation${generation}`)).length, paths.length);
  assert.deepEqual(await pathsWith(store, `generation${generation - 1}`), []);
  const incoming = await store.links(asPath(`target${generation % 2}.md`), 'in', ALL, signal);
  assert.equal(incoming.length, paths.length);
  assert.equal((await store.graph(signal)).targets.length, paths.length);
  assert.deepEqual(await store.integrity(signal), []);
  await close();
  return generation;
}

const ownDisk = ['unshare', '--user', '--map-root-user', '--mount'];
const withoutDisk =
  spawnSync(ownDisk[0] ?? '', [...ownDisk.slice(1), 'mount', '-t', 'tmpfs', 'none', '/mnt']).status !== 0;

describe('S5: a full and then read-only disk', () => {
  it('causes typed errors, and the index still answers', {
    skip: withoutDisk && 'needs unshare and mount',
  }, async () => {
    const child = startChild('small-disk-child.ts', [folder.context.vaultRoot.replace(/\/vault$/, '')], ownDisk);
    const said = [];
    for (let line = 0; line < 6; line++) said.push(await child.line());
    assert.deepEqual(said, [
      'full STORE_FULL',
      'found 1',
      'sound 0',
      'again done',
      'new STORE_READONLY',
      'newInFolder STORE_READONLY',
    ]);
    assert.equal(await child.ended(), 0);
  });
});
