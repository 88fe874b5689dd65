// S7, S8: generations are consistent while other processes write and search them, and after one of them was killed.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Store } from '../../../../src/contracts/store.ts';
import { ALL, asPath, fill, rewrite, signal } from '../../../contracts/store/law.ts';
import { EAST, embed, NORTH, nearChunks, opened, pendingNotes } from '../../../contracts/store/vector-vault.ts';
import { startChild } from '../child.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

/** What would be a row without what it belongs to, by what is wrong. */
const WRONG: Readonly<Record<string, string>> = {
  'a chunk without its vector': `SELECT count(*) FROM chunks LEFT JOIN vectors ON vectors.id = vector AND vectors.generation = chunks.generation WHERE vectors.id IS NULL`,
  'a note with other chunks than it says': `SELECT count(*) FROM embedded WHERE chunks <>
    (SELECT count(*) FROM chunks WHERE chunks.generation = embedded.generation AND chunks.file = embedded.file)`,
  'a note with other failures than it says': `SELECT count(*) FROM embedded WHERE hash IS NOT NULL AND failed <>
    (SELECT count(*) FROM failed_chunks WHERE failed_chunks.generation = embedded.generation AND failed_chunks.file = embedded.file)`,
  'a note of another content': `SELECT count(*) FROM embedded JOIN files ON files.id = file WHERE embedded.hash <> files.hash`,
  'a mean that is no vector': `SELECT count(*) FROM embedded LEFT JOIN vectors ON vectors.id = centroid WHERE centroid IS NOT NULL AND vectors.id IS NULL`,
  'two that are active': `SELECT max(0, count(*) - 1) FROM generations WHERE state = 'active'`,
};

function wrongIn(file: string): string[] {
  const database = new Database(file, { readonly: true });
  // Rows of a dropped generation may be half gone.
  const dropped = database.prepare(`SELECT count(*) FROM generations WHERE state = 'dropped'`).pluck().get();
  const wrong = Object.entries(WRONG).filter(([, sql]) => dropped === 0 && database.prepare(sql).pluck().get() !== 0);
  database.close();
  return wrong.map(([what]) => what);
}

/** Of the active generation: its model, when every note is whole in it. */
async function activeModel(store: Store, paths: readonly string[]): Promise<number> {
  const all = await store.generations(signal);
  const active = all.find(({ state }) => state === 'active') ?? assert.fail('none is active');
  const { id, embedded, chunks, failedChunks, pending } = active;
  assert.deepEqual([embedded, chunks, failedChunks, pending], [paths.length, 3 * paths.length, paths.length, 0]);
  assert.equal((await nearChunks(store, { id }, EAST)).length, paths.length);
  assert.equal((await store.failedChunks(id, ALL, signal)).length, paths.length);
  for (const path of paths) assert.notEqual(await store.noteVector(id, asPath(path), signal), null);
  return Number(active.fingerprint.model.slice('model '.length));
}

describe('S7: killed while it embeds, activates or sweeps', () => {
  it('leaves consistent vectors, twenty times, and the next sweep deletes the unused ones', async () => {
    const paths = Array.from({ length: 8 }, (_, at) => `n${at}.md`);
    const setUp = await folder.open();
    await fill(setUp.capability, Object.fromEntries(paths.map((path) => [path, 'text'])));
    await setUp.close();
    let model = 0;
    for (let round = 0; round < 20; round++) {
      const { dataFolder, vaultRoot } = folder.context;
      const child = startChild('vectors/embed-child.ts', [dataFolder, vaultRoot, String(model + 1), ...paths]);
      const named = Number(await child.line());
      await sleep(round * 4);
      child.process.kill('SIGKILL');
      assert.equal(await child.ended(), 'SIGKILL');
      const { capability: store, close } = await folder.open();
      assert.deepEqual(wrongIn(folder.file), []);
      model = await activeModel(store, paths);
      assert.ok(model >= named);
      assert.deepEqual(await store.integrity(signal), []);
      await store.sweepVectors([], signal);
      assert.deepEqual(wrongIn(folder.file), []);
      await close();
    }
    const database = new Database(folder.file, { readonly: true });
    const counted = database
      .prepare(`SELECT (SELECT count(*) FROM generations), (SELECT count(*) FROM vectors)`)
      .raw()
      .get();
    database.close();
    assert.deepEqual(counted, [2, 2 * 4 * paths.length], 'two generations, each with three chunks and a mean a note');
  });
});

describe('S8: activation while another process searches', () => {
  it('a search finishes on the generation it began with, and the next search uses the new one', async () => {
    const [writing, searching] = [await folder.open(), await folder.open()];
    const [writer, searcher] = [writing.capability, searching.capability];
    await fill(writer, { 'a.md': 'A' });
    const embedded = async (model: string, to: Float32Array) => {
      const generation = await opened(writer, { model });
      await embed(writer, generation, { 'a.md': ['A', ['1', to]] });
      return generation;
    };
    const first = await embedded('one', EAST);
    const second = await embedded('two', NORTH);
    const third = await embedded('three', EAST);
    await writer.activate(first.id, signal);
    assert.deepEqual(await nearChunks(searcher, first, EAST), ['a.md 1-10 1.00']);
    await writer.activate(second.id, signal);
    assert.deepEqual(await nearChunks(searcher, first, EAST), ['a.md 1-10 1.00']);
    const both = await Promise.all([writer.activate(third.id, signal), nearChunks(searcher, first, EAST)]);
    assert.ok(['', 'a.md 1-10 1.00'].includes(both[1].join()));
    assert.deepEqual(await nearChunks(searcher, first, EAST), []);
    const [active] = await searcher.generations(signal);
    assert.deepEqual([active?.id, active?.state], [third.id, 'active']);
    assert.deepEqual(await nearChunks(searcher, third, EAST), ['a.md 1-10 1.00']);
    await writing.close();
    await searching.close();
  });

  it('a note that another process has changed is no longer found or counted as embedded', async () => {
    const [one, other] = [await folder.open(), await folder.open()];
    await fill(one.capability, { 'a.md': 'A', 'b.md': 'B' });
    const generation = await opened(one.capability);
    await embed(one.capability, generation, { 'a.md': ['A', ['1', EAST]], 'b.md': ['B', ['2', EAST]] });
    assert.equal((await nearChunks(other.capability, generation, EAST)).length, 2);
    await rewrite(one.capability, { 'a.md': 'AA' });
    assert.deepEqual(await nearChunks(other.capability, generation, EAST), ['b.md 1-10 1.00']);
    assert.deepEqual(await pendingNotes(other.capability, generation), ['a.md']);
    const [reported] = await other.capability.generations(signal);
    assert.deepEqual([reported?.embedded, reported?.pending, reported?.chunks], [1, 1, 1]);
    await one.close();
    await other.close();
  });
});
