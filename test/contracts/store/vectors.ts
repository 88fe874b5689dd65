// Contract tests of embedded notes and their chunks.
import assert from 'node:assert/strict';
import type { Store } from '../../../src/contracts/store.ts';
import { asPath, changes, fill, found, indexed, type Law, remove, rewrite, signal } from './law.ts';
import {
  type Chunk,
  EAST,
  embed,
  embeddedNote,
  generationOf,
  NORTH,
  nearChunks,
  opened,
  pendingNotes,
  UP,
  vector,
} from './vector-vault.ts';

const UNFIT: Readonly<Record<string, Float32Array>> = {
  short: vector(1, 0),
  long: vector(1, 0, 0, 0),
  empty: vector(),
  zero: vector(0, 0, 0),
  NaN: vector(1, Number.NaN, 0),
  infinite: vector(1, 0, Number.NEGATIVE_INFINITY),
};

/** `path chunk attempts reason` of every failed chunk. */
async function failures(store: Store, { id }: { readonly id: number }, limit = 100, offset = 0): Promise<string[]> {
  const failed = await store.failedChunks(id, { limit, offset }, signal);
  return failed.map(({ path, chunk, attempts, reason }) => `${path} ${chunk} ${attempts} ${reason}`);
}

export function vectorLaws(law: Law): void {
  law('notes without vectors are listed by path from a cursor, with title and hash', async (store) => {
    await fill(store, { 'b.md': '---\ntitle: Bay\n---', 'a/c.md': 'C', 'd.md': 'D', 'e.md': 'E', 'm.base': '{}' });
    await store.apply(changes({ added: [found('unread.md'), found('pic.png')] }), signal);
    const generation = await opened(store);
    const all = await store.unembedded(generation.id, '', 10, false, signal);
    assert.deepEqual(all.slice(0, 2), [
      { path: 'a/c.md', title: 'c', hash: 'hash of C' },
      { path: 'b.md', title: 'Bay', hash: 'hash of ---\ntitle: Bay\n---' },
    ]);
    assert.equal(all.length, 4);
    const next = await store.unembedded(generation.id, 'a/c.md', 2, false, signal);
    assert.deepEqual(next, all.slice(1, 3));
    await embed(store, generation, { 'd.md': ['D', ['1', EAST]], 'e.md': ['E', ['2', EAST], ['3', 'too long']] });
    assert.deepEqual(await pendingNotes(store, generation), ['a/c.md', 'b.md']);
    assert.deepEqual(await pendingNotes(store, generation, true), ['a/c.md', 'b.md', 'e.md']);
  });

  law('P13 a vector that is not finite, zero or of another length is refused with its whole set', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B' });
    const generation = await opened(store);
    for (const [name, unfit] of Object.entries(UNFIT)) {
      const refused = embed(store, generation, { 'a.md': ['A', ['1', EAST]], 'b.md': ['B', ['2', unfit]] });
      await assert.rejects(refused, { code: 'INTERNAL' }, name);
      await assert.rejects(nearChunks(store, generation, unfit), { code: 'INTERNAL' }, name);
      await assert.rejects(store.nearestNotes(generation.id, unfit, {}, [], 5, signal), { code: 'INTERNAL' }, name);
    }
    assert.deepEqual(await store.heldVectors(generation.id, ['1', '2'], signal), new Set());
    assert.deepEqual(await pendingNotes(store, generation), ['a.md', 'b.md']);
  });

  law('a chunk without a vector is refused with its whole set', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B' });
    const generation = await opened(store);
    const notes = [embeddedNote('a.md', 'A', [['1', EAST]]), embeddedNote('b.md', 'B', [['2', EAST]])];
    const vectors = [{ hash: '1', vector: EAST }];
    await assert.rejects(store.applyVectors(generation.id, { vectors, notes }, signal), { code: 'INTERNAL' });
    assert.deepEqual(await pendingNotes(store, generation), ['a.md', 'b.md']);
    await store.applyVectors(generation.id, { vectors, notes: notes.slice(0, 1) }, signal);
    const held = [{ hash: '2', vector: NORTH }];
    await store.applyVectors(generation.id, { vectors: held, notes: notes.slice(1) }, signal);
    assert.deepEqual(await pendingNotes(store, generation), []);
  });

  law('equal texts share a vector within a generation, not across generations', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B' });
    const [one, two] = [await opened(store), await opened(store, { model: 'two' })];
    await embed(store, one, { 'a.md': ['A', ['same', EAST], ['same', EAST]] });
    assert.deepEqual(await store.heldVectors(two.id, ['same'], signal), new Set());
    const note = embeddedNote('b.md', 'B', [
      ['other', 'refused'],
      ['same', EAST],
    ]);
    await store.applyVectors(one.id, { vectors: [], notes: [note] }, signal);
    assert.deepEqual(await nearChunks(store, one, EAST), ['a.md 1-10 1.00', 'b.md 11-20 1.00']);
    assert.equal((await generationOf(store, one.id))?.chunks, 3);
    assert.deepEqual(await pendingNotes(store, two), ['a.md', 'b.md']);
  });

  law('vectors of a note that changed meanwhile or is missing are ignored', async (store) => {
    await fill(store, { 'a.md': 'new' });
    const generation = await opened(store);
    await embed(store, generation, { 'a.md': ['old', ['1', EAST]], 'gone.md': ['gone', ['2', NORTH]] });
    assert.deepEqual(await pendingNotes(store, generation), ['a.md']);
    assert.deepEqual(await nearChunks(store, generation, EAST), []);
    assert.deepEqual(await store.heldVectors(generation.id, ['1', '2'], signal), new Set(['1', '2']));
  });

  law('only chunks of the current content are found', async (store) => {
    const texts = { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' };
    await fill(store, texts);
    const generation = await opened(store);
    const chunks: Record<string, readonly [string, ...Chunk[]]> = {};
    for (const [path, text] of Object.entries(texts)) chunks[path] = [text, [text, EAST]];
    await embed(store, generation, chunks);
    await rewrite(store, { 'a.md': 'AA', 'b.md': 'B' });
    await remove(store, 'c.md');
    await store.apply(changes({ touched: [{ path: asPath('d.md'), sizeBytes: 9, modifiedMs: 9 }] }), signal);
    assert.deepEqual(await nearChunks(store, generation, EAST), ['b.md 1-10 1.00', 'd.md 1-10 1.00']);
    assert.deepEqual(await pendingNotes(store, generation), ['a.md']);
    assert.equal(await store.noteVector(generation.id, asPath('a.md'), signal), null);
    assert.equal(await store.noteVector(generation.id, asPath('c.md'), signal), null);
    await store.apply(changes({ added: [found('c.md')], indexed: [indexed('c.md', 'C')] }), signal);
    assert.deepEqual(await pendingNotes(store, generation), ['a.md', 'c.md']);
    await embed(store, generation, { 'a.md': ['AA', ['AA', NORTH]] });
    assert.deepEqual(await nearChunks(store, generation, NORTH, 1), ['a.md 1-10 1.00']);
  });

  law('embedding a note again replaces all its chunks', async (store) => {
    await fill(store, { 'a.md': 'A', 'empty.md': '' });
    const generation = await opened(store);
    await embed(store, generation, { 'a.md': ['A', ['1', EAST], ['2', NORTH], ['3', 'too long']] });
    await embed(store, generation, { 'a.md': ['A', ['4', UP]], 'empty.md': [''] });
    assert.deepEqual(await nearChunks(store, generation, EAST), ['a.md 1-10 0.00']);
    const now = await generationOf(store, generation.id);
    assert.deepEqual([now?.embedded, now?.pending, now?.chunks, now?.failedChunks], [2, 0, 1, 0]);
    assert.deepEqual(await failures(store, generation), []);
    assert.equal(await store.noteVector(generation.id, asPath('empty.md'), signal), null);
  });

  law(
    'P16 failed chunks are listed by path and position, and repeated failures of a text are counted',
    async (store) => {
      await fill(store, { 'b.md': 'B', 'a.md': 'A' });
      const generation = await opened(store);
      await embed(store, generation, {
        'b.md': ['B', ['b0', 'one'], ['b1', EAST], ['b2', 'two']],
        'a.md': ['A', ['a0', 'three']],
      });
      assert.deepEqual(await failures(store, generation), ['a.md 0 1 three', 'b.md 0 1 one', 'b.md 2 1 two']);
      assert.deepEqual(await failures(store, generation, 1, 1), ['b.md 0 1 one']);
      const [, first] = await store.failedChunks(generation.id, { limit: 2, offset: 0 }, signal);
      const { first: since, last, ...rest } = first ?? assert.fail();
      const reported = {
        path: 'b.md',
        chunk: 0,
        lines: [1, 10],
        code: 'PROVIDER_INPUT_TOO_LONG',
        reason: 'one',
        attempts: 1,
      };
      assert.deepEqual(rest, reported);
      assert.equal(since, last);
      await rewrite(store, { 'b.md': 'BB' });
      assert.deepEqual(await failures(store, generation), ['a.md 0 1 three']);
      await embed(store, generation, { 'b.md': ['BB', ['new', 'five'], ['b2', 'four'], ['b1', EAST]] });
      assert.deepEqual(await failures(store, generation), ['a.md 0 1 three', 'b.md 0 1 five', 'b.md 1 2 four']);
      const later = (await store.failedChunks(generation.id, { limit: 9, offset: 0 }, signal))[2];
      assert.ok(later !== undefined && later.first <= later.last && later.first === since);
      await remove(store, 'a.md');
      await embed(store, generation, { 'b.md': ['BB', ['new', NORTH], ['b2', 'four'], ['b1', EAST]] });
      assert.deepEqual(await failures(store, generation), ['b.md 1 3 four']);
    },
  );

  law('invalid pages and limits are refused', async (store) => {
    const { id } = await opened(store);
    for (const limit of [-1, 1.5, 1e9]) {
      await assert.rejects(store.failedChunks(id, { limit, offset: 0 }, signal), { code: 'LIMIT_EXCEEDED' });
      await assert.rejects(store.unembedded(id, '', limit, false, signal), { code: 'LIMIT_EXCEEDED' });
      await assert.rejects(store.nearestChunks(id, EAST, {}, limit, signal), { code: 'LIMIT_EXCEEDED' });
      await assert.rejects(store.nearestNotes(id, EAST, {}, [], limit, signal), { code: 'LIMIT_EXCEEDED' });
    }
  });
}
