// Unused vectors are deleted in batches, and an interrupted deletion is finished by the next.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { Store } from '../../../../src/contracts/store.ts';
import { fill, signal } from '../../../contracts/store/law.ts';
import { embed, nearChunks, opened, UP, vector } from '../../../contracts/store/vector-vault.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const CHUNKS = 5_000;
const TABLES = ['generations', 'vectors', 'chunks', 'embedded', 'failed_chunks'];

function rowsIn(file: string): Record<string, unknown> {
  const database = new Database(file, { readonly: true });
  const counts = TABLES.map((table) => [table, database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]);
  database.close();
  return Object.fromEntries(counts);
}

async function large(store: Store, model: string): Promise<{ readonly id: number }> {
  await fill(store, { 'a.md': 'A' });
  const generation = await opened(store, { model });
  const chunks = Array.from({ length: CHUNKS }, (_, at) => [`${at}`, vector(1, at, 1)] as const);
  await embed(store, generation, { 'a.md': ['A', ...chunks, ['bad', 'refused']] });
  return generation;
}

describe('a large generation', () => {
  it('is deleted to the last row after it was dropped', async () => {
    const { capability: store, close } = await folder.open();
    await large(store, 'one');
    const kept = await opened(store, { model: 'two' });
    await embed(store, kept, { 'a.md': ['A', ['1', UP]] });
    await store.sweepVectors([kept.id], signal);
    assert.deepEqual(rowsIn(folder.file), { generations: 1, vectors: 1, chunks: 1, embedded: 1, failed_chunks: 0 });
    assert.deepEqual(await store.integrity(signal), []);
    await close();
  });

  it('loses all of its unused vectors', async () => {
    const { capability: store, close } = await folder.open();
    const generation = await large(store, 'one');
    await embed(store, generation, { 'a.md': ['A', ['up', UP]] });
    assert.equal(rowsIn(folder.file).vectors, CHUNKS + 2, 'until it is swept');
    await store.sweepVectors([generation.id], signal);
    assert.deepEqual(rowsIn(folder.file), { generations: 1, vectors: 1, chunks: 1, embedded: 1, failed_chunks: 0 });
    await close();
  });

  it('is no longer listed while its rows are being deleted, and the next call deletes the rest', async () => {
    const { capability: store, close } = await folder.open();
    const generation = await large(store, 'one');
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const swept = store.sweepVectors([], controller.signal);
    setImmediate(() => controller.abort(reason));
    await swept.catch((thrown: unknown) => assert.equal(thrown, reason));
    const left = Number(rowsIn(folder.file).vectors);
    const reported = await store.generations(signal);
    assert.ok(reported.length === 0 || left === CHUNKS + 1, 'all of it is there, or none of it is reported');
    if (reported.length === 0) assert.deepEqual(await nearChunks(store, generation, UP), []);
    await store.sweepVectors([], signal);
    assert.deepEqual(Object.values(rowsIn(folder.file)), [0, 0, 0, 0, 0]);
    await close();
  });
});
