// Contract tests of vector generations.
import assert from 'node:assert/strict';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { asPath, changes, fill, found, type Law, remove, rewrite, signal } from './law.ts';
import {
  EAST,
  embed,
  fingerprint,
  generationOf,
  NORTH,
  nearChunks,
  opened,
  pendingNotes,
  UP,
  vector,
} from './vector-vault.ts';

async function states(store: Store): Promise<string[]> {
  return (await store.generations(signal)).map(({ id, role, state }) => `${id} ${role} ${state}`);
}

/** Three generations of one role, each of a model of its own. */
async function threeModels(store: Store): Promise<[number, number, number]> {
  const ids = [];
  for (const model of ['one', 'two', 'three']) ids.push((await opened(store, { model })).id);
  return ids as [number, number, number];
}

export function generationLaws(law: Law): void {
  law(
    'the generation of a role and fingerprint is reopened, and a new one is created if anything differs',
    async (store) => {
      assert.deepEqual(await store.generations(signal), []);
      const first = await opened(store);
      assert.deepEqual(first, {
        ...{ id: first.id, role: 'main', fingerprint: fingerprint(), state: 'building', activatedAt: null },
        ...{ embedded: 0, pending: 0, total: 0, chunks: 0, failedChunks: 0 },
      });
      assert.equal((await opened(store)).id, first.id);
      const others = [
        await opened(store, {}, 'fallback'),
        await opened(store, { digest: 'sha256:2' }),
        await opened(store, { dims: 4 }),
        await opened(store, { documentPrefix: 'passage: ' }),
        await opened(store, { truncation: 'silent' }),
        await opened(store, { chunker: '2/300' }),
      ];
      const ids = [first, ...others].map(({ id }) => id);
      assert.equal(new Set(ids).size, 7);
      assertEach(await store.generations(signal), ({ id }) => id, ids.toReversed());
    },
  );

  law('without a digest the sample vectors are compared; without both no generation is the same', async (store) => {
    const samples = [vector(0.6, 0.8, 0), vector(-0.1, 1e-38, 0.3333333432674408)];
    const first = await opened(store, { digest: null, samples });
    assert.deepEqual((await generationOf(store, first.id))?.fingerprint.samples, samples);
    const unit = [vector(0.6, 0.8, 0), vector(0, 0, 1)];
    const second = await opened(store, { digest: null, samples: unit });
    assert.notEqual(second.id, first.id);
    assert.equal((await opened(store, { digest: null, samples: [vector(0.6, 0.8, 1e-4), UP] })).id, second.id);
    assert.notEqual((await opened(store, { digest: null, samples: [EAST, UP] })).id, second.id);
    const unknown = await opened(store, { digest: null });
    assert.notEqual((await opened(store, { digest: null })).id, unknown.id);
  });

  law('a generation counts its embedded and missing notes, chunks and failures', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'map.base': '{}', 'pic.png': null });
    await store.apply(changes({ added: [found('unread.md')] }), signal);
    const generation = await opened(store);
    assert.deepEqual([generation.embedded, generation.pending, generation.total], [0, 3, 3]);
    await embed(store, generation, {
      'a.md': ['A', ['1', EAST], ['2', NORTH], ['3', 'too long']],
      'b.md': ['B', ['1', EAST]],
    });
    const { embedded, pending, total, chunks, failedChunks } = (await generationOf(store, generation.id)) ?? generation;
    assert.deepEqual([embedded, pending, total, chunks, failedChunks], [2, 1, 3, 3, 1]);
    assert.equal((await store.counts(signal)).quarantined, 0);
    await rewrite(store, { 'a.md': 'AA' });
    await remove(store, 'b.md');
    const later = (await generationOf(store, generation.id)) ?? generation;
    assert.deepEqual([later.embedded, later.pending, later.chunks, later.failedChunks], [0, 2, 0, 0]);
  });

  law(
    'S8 activating a generation makes it the only active one of its role, keeps the last one as previous and drops older ones',
    async (store) => {
      await fill(store, { 'a.md': 'A' });
      const [one, two, three] = await threeModels(store);
      const fallback = await opened(store, { model: 'one' }, 'fallback');
      for (const id of [one, two, three, fallback.id]) await embed(store, { id }, { 'a.md': ['A', ['1', EAST]] });
      await store.activate(one, signal);
      await store.activate(fallback.id, signal);
      assert.deepEqual(await states(store), [
        ...[`${fallback.id} fallback active`, `${three} main building`, `${two} main building`, `${one} main active`],
      ]);
      assert.match((await generationOf(store, one))?.activatedAt ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
      await store.activate(two, signal);
      assert.equal((await generationOf(store, one))?.state, 'previous');
      assert.deepEqual(await nearChunks(store, { id: one }, EAST), ['a.md 1-10 1.00']);
      await store.activate(three, signal);
      assert.deepEqual(await states(store), [
        ...[`${fallback.id} fallback active`, `${three} main active`, `${two} main previous`],
      ]);
      assert.deepEqual(await nearChunks(store, { id: one }, EAST), []);
      assert.deepEqual(await store.integrity(signal), []);
    },
  );

  law('activating the active one changes nothing, and the previous one can be activated again', async (store) => {
    const [one, two] = await threeModels(store);
    await store.activate(one, signal);
    await store.activate(two, signal);
    const before = await store.generations(signal);
    await store.activate(two, signal);
    assert.deepEqual(await store.generations(signal), before);
    assert.equal((await opened(store, { model: 'one' })).id, one);
    await store.activate(one, signal);
    assert.equal((await generationOf(store, one))?.state, 'active');
    assert.equal((await generationOf(store, two))?.state, 'previous');
  });

  law('a sweep deletes vectors that no chunk uses, and unfinished generations that are not kept', async (store) => {
    await fill(store, { 'a.md': 'A', 'b.md': 'B' });
    const [one, two, three] = await threeModels(store);
    await store.activate(one, signal);
    for (const id of [one, two, three]) {
      await embed(store, { id }, { 'a.md': ['A', ['1', EAST], ['2', NORTH]], 'b.md': ['B', ['3', UP]] });
    }
    await rewrite(store, { 'b.md': 'BB' });
    const held = (id: number) => store.heldVectors(id, ['1', '2', '3', '4'], signal);
    assert.deepEqual(await held(one), new Set(['1', '2', '3']), 'a vector waits for its text to come back');
    await store.sweepVectors([two], signal);
    assert.deepEqual(await held(one), new Set(['1', '2']));
    assert.deepEqual(await held(two), new Set(['1', '2']));
    assert.deepEqual(await states(store), [`${two} main building`, `${one} main active`]);
    assert.deepEqual(await nearChunks(store, { id: one }, NORTH), ['a.md 11-20 1.00']);
    assert.deepEqual(await store.noteVector(one, asPath('a.md'), signal), vector(Math.SQRT1_2, Math.SQRT1_2, 0));
  });

  law('a sweep deletes the vectors of the last embedded note once it was removed', async (store) => {
    await fill(store, { 'a.md': 'A' });
    const { id } = await opened(store);
    await embed(store, { id }, { 'a.md': ['A', ['1', EAST]] });
    await remove(store, 'a.md');
    await store.sweepVectors([id], signal);
    assert.deepEqual(await store.heldVectors(id, ['1'], signal), new Set());
  });

  law('a missing generation is empty, lacks nothing and cannot be written to', async (store) => {
    await fill(store, { 'a.md': 'A' });
    const dropped = await opened(store);
    await embed(store, dropped, { 'a.md': ['A', ['1', EAST]] });
    await store.sweepVectors([], signal);
    for (const id of [dropped.id, dropped.id + 1, -1]) {
      assert.deepEqual(await pendingNotes(store, { id }), []);
      assert.deepEqual(await store.heldVectors(id, ['1'], signal), new Set());
      assert.deepEqual(await store.failedChunks(id, { limit: 10, offset: 0 }, signal), []);
      assert.deepEqual(await nearChunks(store, { id }, EAST), []);
      assert.equal(await store.noteVector(id, asPath('a.md'), signal), null);
      assert.equal(await store.chunkVector(id, asPath('a.md'), 0, signal), null);
      assert.deepEqual(await store.nearestNotes(id, EAST, {}, [], 10, signal), []);
      await assert.rejects(embed(store, { id }, { 'a.md': ['A', ['1', EAST]] }), { code: 'INTERNAL' });
      await assert.rejects(store.activate(id, signal), { code: 'INTERNAL' });
    }
    assert.notEqual((await opened(store)).id, dropped.id, 'a number is never given twice');
  });

  law('a reset deletes every generation', async (store) => {
    await fill(store, { 'a.md': 'A' });
    const generation = await opened(store);
    await embed(store, generation, { 'a.md': ['A', ['1', EAST]] });
    await store.activate(generation.id, signal);
    await store.reset(signal);
    assert.deepEqual(await store.generations(signal), []);
    assert.deepEqual(await nearChunks(store, generation, EAST), []);
    const next = await opened(store);
    assert.ok(next.id > generation.id);
    assert.deepEqual(await store.heldVectors(next.id, ['1'], signal), new Set());
  });
}
