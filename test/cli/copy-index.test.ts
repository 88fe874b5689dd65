// Checks that a store that took over the index of another answers as that one did.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { errorOf } from '../../src/base/outcome.ts';
import { copyStored } from '../../src/cli/index-command.ts';
import type { Store } from '../../src/contracts/store.ts';
import { openStoredCopy } from '../../src/providers/postgresql/copy/open-copy.ts';
import { loadEngine } from '../../src/providers/sqlite/database/engine.ts';
import { createStoredFeed } from '../../src/providers/sqlite/feed/read-feed.ts';
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

const WRITES = ['reset', 'apply', 'openGeneration', 'applyVectors', 'activate', 'completeScan'] as const;
const full = new VaultgraphError('STORE_FULL', {
  op: 'apply',
  sqlite_code: 'SQLITE_FULL',
  file: 'index.db',
  free_bytes: 0,
});

/** The store, of which one write fails. */
function failingAt(store: Store, number: number): Store {
  let writes = 0;
  const failing = WRITES.map((name) => {
    const write = store[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, async (...args: unknown[]) => (writes++ === number ? Promise.reject(full) : write(...args))];
  });
  return { ...store, ...Object.fromEntries(failing) };
}

test('a copy that failed at any of its writes is made by the next call, and an index is never replaced', () =>
  withFolders(async (one, other) => {
    const expected = await withStore(one, async (store) => {
      await makeIndex(store);
      return answers(store);
    });
    const copyTo = async (store: Store): Promise<void> => {
      const stored = openStoredIndex(one.file);
      assert.ok(typeof stored === 'object', String(stored));
      await copyStored(stored, store, QUIET).finally(() => stored.close());
    };
    await withStore(other, async (store) => {
      let failed = 0;
      for (let isFailing = true; isFailing; ) {
        const error = await errorOf(copyTo(failingAt(store, failed)));
        isFailing = error !== undefined;
        if (error !== undefined) assert.equal(error, full);
        if (isFailing) await copyTo(store);
        assert.deepEqual(await answers(store), expected, `after a failure of write ${failed}`);
        assert.equal((await errorOf(copyTo(store)))?.code, 'CONFIG_INVALID');
        await store.reset(signal);
        failed += 1;
      }
      assert.ok(failed > WRITES.length, `${failed} writes`);
    });
  }));

test('an index that the system does not let us look at is not reported as missing', () =>
  withFolders(async (one) => {
    mkdirSync(dirname(one.file));
    symlinkSync(one.file, one.file);
    const refusal = { code: 'STORE_UNAVAILABLE', message: /index\.db cannot be read \(ELOOP\)/ };
    assert.throws(() => openStoredIndex(one.file), refusal);
    assert.throws(() => openStoredCopy(one.file, undefined), refusal);
    await assert.rejects(createStoredFeed(one.file, loadEngine()).state(signal), refusal);
  }));

test('an index that is missing or not complete is refused with the reason', () =>
  withFolders(async (one) => {
    assert.match(String(openStoredIndex(one.file)), /no such index/);
    await withStore(one, async (store) => {
      await store.apply(changes({ added: [found('Ebb.md')] }), signal);
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
