// The SQLite provider: opening, reading without changes, and closing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sqliteProvider } from '../../../src/providers/sqlite/provider.ts';
import { assertEach } from '../../assert-each.ts';
import { ALL, asPath, fill, filled, signal } from '../../contracts/store/law.ts';
import { EAST, embed, opened } from '../../contracts/store/vector-vault.ts';
import { startChild } from './child.ts';
import { createIndexFolder, type IndexFolder } from './database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('the SQLite provider', () => {
  it('lets a heartbeat wait for a change, and a change with a million links take longer than others', () => {
    const { apply = 0, publish = 0, completeScan = 0 } = sqliteProvider.limits({});
    assert.ok(apply > completeScan && publish > apply);
  });

  it('describes itself', async () => {
    assert.deepEqual([sqliteProvider.capability, sqliteProvider.type], ['store', 'sqlite']);
    const { capability, probe, close } = await folder.open();
    assert.deepEqual(Object.keys(sqliteProvider.limits({})).sort(), Object.keys(capability).sort());
    assert.ok(Object.isFrozen(capability));
    await fill(capability, { 'Ebb.md': '' });
    assert.deepEqual(await probe(signal), { ok: true, detail: '1 notes indexed, 0 pending, revision 1' });
    await close();
  });

  it('writes and reads as before after it gave back its memory', async () => {
    const { capability: store, release, close } = await folder.open();
    await fill(store, { 'Ebb.md': 'low', 'Flow.md': '' });
    await Promise.all([release?.(), fill(store, { 'Calm.md': '[[Ebb]]' })]);
    await release?.();
    await fill(store, { 'Flow.md': '[[Calm]]' });
    assert.deepEqual((await store.links(asPath('Calm.md'), 'in', ALL, signal)).length, 1);
    assert.equal((await store.progress(signal)).revision, 3);
    await close();
  });

  it('S3: names the vector module if it does not load, and without a chosen driver says that it uses node:sqlite', async () => {
    const child = startChild('without-vectors-child.ts', [folder.context.dataFolder, folder.context.vaultRoot]);
    assert.match(await child.line(), /^STORE_UNAVAILABLE .*sqlite-vec does not load/);
    assert.match(
      await child.line(),
      /on node:sqlite, because sqlite-vec does not load store_fallback .*"reason":"sqlite-vec"/,
    );
    assert.equal(await child.ended(), 0);
  });

  it('S11: does not change anything by reading', async () => {
    const first = await folder.open();
    await fill(first.capability, { 'Ebb.md': 'low #tide [[Flow]] [[gone]]', 'Flow.md': '---\nx: 1\n---' });
    const { id } = await opened(first.capability);
    await embed(first.capability, { id }, { 'Flow.md': ['---\nx: 1\n---', ['flow', EAST], ['bad', 'refused']] });
    await first.close();
    const before = hashOf(folder.file);
    const { capability: store, probe, close } = await folder.open();
    await probe(signal);
    await store.counts(signal);
    await store.fileStates(signal);
    await store.quarantine(ALL, signal);
    await store.searchText({ terms: [{ text: 'low', kind: 'word', negated: false }], match: 'any' }, {}, ALL, signal);
    await store.listNotes({ tags: ['#tide'] }, 'links', 'desc', ALL, signal);
    await store.listTags(undefined, {}, signal);
    await store.candidates('Ebb', signal);
    await store.links(asPath('Flow.md'), 'in', ALL, signal);
    await store.unresolved({}, 5, ALL, signal);
    await store.graph(signal);
    await store.generations(signal);
    await store.unembedded(id, '', 10, true, signal);
    await store.heldVectors(id, ['flow'], signal);
    await store.failedChunks(id, ALL, signal);
    assert.equal((await store.nearestChunks(id, EAST, { folder: '' }, 5, signal)).length, 1);
    assert.equal((await store.nearestNotes(id, EAST, {}, [], 5, signal)).length, 1);
    assert.deepEqual(await store.noteVector(id, asPath('Flow.md'), signal), EAST);
    await store.integrity(signal);
    assert.equal(hashOf(folder.file), before);
    await close();
    assert.equal(hashOf(folder.file), before);
  });

  it('keeps everything across a restart', async () => {
    const first = await folder.open();
    await fill(first.capability, { 'Ebb.md': 'low [[Flow]]', 'Flow.md': '' });
    const before = await first.capability.counts(signal);
    await first.close();
    const second = await folder.open();
    assert.deepEqual(await second.capability.counts(signal), before);
    assert.deepEqual((await second.capability.graph(signal)).paths, ['Ebb.md', 'Flow.md']);
    await second.close();
  });

  it('refuses every call after it is closed', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': '' });
    await close();
    await assert.rejects(store.counts(signal), { code: 'SHUTTING_DOWN' });
    await assert.rejects(store.apply(filled({ 'Flow.md': '' }), signal), { code: 'SHUTTING_DOWN' });
  });

  it('takes over the buffers of a change instead of copying them', async () => {
    const { capability: store, close } = await folder.open();
    const set = filled({ 'Ebb.md': 'water [[Flow]]', 'Flow.md': '' });
    await store.apply(set, signal);
    assert.deepEqual([set.parsed?.byteLength, set.words?.rows.byteLength], [0, 0]);
    assertEach(await store.links(asPath('Ebb.md'), 'out', ALL, signal), ({ target }) => target, ['Flow.md']);
    await close();
  });

  it('rolls back a running change when it is closed', async () => {
    const { capability: store, close } = await folder.open();
    await fill(store, { 'Ebb.md': '' });
    const texts = Array.from({ length: 3_000 }, (_, i) => [`n${i}.md`, 'water '.repeat(200)]);
    const written = store.apply(filled(Object.fromEntries(texts)), signal);
    const refused = assert.rejects(written, { code: 'SHUTTING_DOWN' });
    await close();
    await refused;
    const again = await folder.open();
    assert.equal((await again.capability.counts(signal)).files, 1);
    await again.close();
  });

  it('fails the call whose thread dies, rolls it back, and serves the next call', async () => {
    const { capability: store, close } = await folder.open();
    process.once('worker', (worker) => worker.once('online', () => worker.terminate()));
    await assert.rejects(fill(store, { 'Ebb.md': 'low' }), { code: 'STORE_UNAVAILABLE' });
    await fill(store, { 'Flow.md': 'high' });
    assertEach(await store.fileStates(signal), ({ path }) => path, ['Flow.md']);
    assert.deepEqual(await store.integrity(signal), []);
    await close();
  });

  it('lets the process exit without being closed, after a pending change', async () => {
    const child = startChild('unclosed-child.ts', [folder.context.dataFolder, folder.context.vaultRoot]);
    assert.equal(await child.line(), 'applied');
    assert.equal(await child.ended(), 0);
    const { capability: store, close } = await folder.open();
    assert.equal((await store.counts(signal)).indexed, 1);
    await close();
  });
});
