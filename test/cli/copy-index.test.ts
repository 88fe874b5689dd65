// Checks that a store that took over the index of another answers as that one did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyStored } from '../../src/cli/index-command.ts';
import type { Store } from '../../src/contracts/store.ts';
import { openStoredIndex } from '../../src/providers/sqlite/stored-index.ts';
import { ALL, asPath, changes, fill, found, indexed, remove, rewrite, signal } from '../contracts/store/law.ts';
import { everything } from '../contracts/store/random-changes.ts';
import { EAST, embed, NORTH, nearChunks, opened } from '../contracts/store/vector-vault.ts';
import { createIndexFolder, type IndexFolder } from '../providers/sqlite/database/index-folder.ts';

const QUERIES = ['water', 'low tide', '海', 'harbour', 'gone'];
const SCANNED_AT = '2026-11-24T12:00:00.000Z';
const QUIET = { quiet: true };

async function withFolders(work: (one: IndexFolder, other: IndexFolder) => Promise<void>): Promise<void> {
  const folders = [createIndexFolder(), createIndexFolder()] as const;
  try {
    await work(...folders);
  } finally {
    for (const folder of folders) folder.remove();
  }
}

async function withStore<T>(folder: IndexFolder, work: (store: Store) => Promise<T>): Promise<T> {
  const { capability, close } = await folder.open();
  try {
    return await work(capability);
  } finally {
    await close();
  }
}

/** Notes in several segments, of which some were indexed again or removed; an attachment, an unread file and vectors. */
async function makeIndex(store: Store): Promise<void> {
  await fill(store, {
    'Ebb.md': '---\naliases: [Low]\nrow: 1.5\n---\n# Ebb\nwater low tide #tide\n- [ ] moor 📅 2026-11-20\n^block',
    'a/Flow.md': 'high water [[Ebb#Ebb|the ebb]] [[gone]] ![[pic.png]] #Tide/low 海の水',
    'pic.png': null,
    'Later.md': null,
  });
  await fill(store, {
    'Harbour.md': 'harbour water [[Flow]]',
    'Old.md': 'gone water',
    'Later2.md': 'low tide low tide',
  });
  await rewrite(store, { 'Harbour.md': 'harbour of the low tide [[Ebb]] [[Low]]' });
  await remove(store, 'Old.md', 'Later.md');
  const row = { path: asPath('Ebb.md'), phase: 'parse', code: 'BASE_INVALID', reason: 'odd', line: 2 } as const;
  await store.apply(changes({ quarantined: [row] }), signal);
  const generation = await opened(store);
  await embed(store, generation, {
    'Harbour.md': ['harbour of the low tide [[Ebb]] [[Low]]', ['one', EAST], ['two', 'refused'], ['three', NORTH]],
  });
  await store.activate(generation.id, signal);
  await store.completeScan(SCANNED_AT, signal);
}

async function answers(store: Store): Promise<object> {
  const [active] = await store.generations(signal);
  const searches = QUERIES.flatMap((query) => [
    store.searchText({ terms: words(query), match: 'any' }, {}, ALL, signal),
    store.searchText({ terms: [{ text: query, kind: 'phrase', negated: false }], match: 'all' }, {}, ALL, signal),
  ]);
  const states = await store.fileStates(signal);
  const vectors = await store.termVectors(
    states.map(({ path }) => path),
    signal,
  );
  assert.ok(active, 'there are vectors');
  const { id: _, ...generation } = active;
  const failed = await store.failedChunks(active.id, ALL, signal);
  return {
    ...(await everything(store)),
    searches: await Promise.all(searches),
    vectors: new Map([...vectors].map(([path, terms]) => [path, Buffer.from(terms).toString('hex')])),
    generation: { ...generation, activatedAt: null },
    failed: failed.map(({ path, chunk, code, reason }) => ({ path, chunk, code, reason })),
    near: await nearChunks(store, active, EAST),
    quarantine: (await store.quarantine(ALL, signal)).map(({ path, phase, code, line }) => ({
      path,
      phase,
      code,
      line,
    })),
  };
}

const words = (query: string) => query.split(' ').map((text) => ({ text, kind: 'word', negated: false }) as const);

test('a store that took over an index gives the same answers, and is sound', () =>
  withFolders(async (one, other) => {
    const expected = await withStore(one, async (store) => {
      await makeIndex(store);
      return answers(store);
    });
    const stored = openStoredIndex(one.file);
    assert.ok(typeof stored === 'object', String(stored));
    await withStore(other, async (store) => {
      await copyStored(stored, store, QUIET);
      stored.close();
      assert.deepEqual(await answers(store), expected);
      assert.deepEqual(await store.integrity(signal), []);
    });
  }));

test('an index that is missing or not complete is refused with the reason', () =>
  withFolders(async (one) => {
    assert.match(String(openStoredIndex(one.file)), /no such index/);
    await withStore(one, async (store) => {
      await store.apply(changes({ found: [found('Ebb.md')] }), signal);
      assert.match(String(openStoredIndex(one.file)), /not complete/);
      await store.completeScan(SCANNED_AT, signal);
      assert.match(String(openStoredIndex(one.file)), /not complete/);
      await store.apply(changes({ indexed: [indexed('Ebb.md', 'low')] }), signal);
      await store.completeScan(SCANNED_AT, signal);
      const stored = openStoredIndex(one.file);
      assert.ok(typeof stored === 'object', String(stored));
      assert.match(String(openStoredIndex(one.file, undefined, () => false)), /not complete/);
      stored.close();
    });
  }));
