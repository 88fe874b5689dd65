// The names of the current index: patched after each change, computed once for several calls, and dropped when memory is given back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StoreCache } from '../../../src/contracts/session.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { nameIndex, updateNames } from '../../../src/tools/notes/name-index.ts';
import { fill, remove, signal } from '../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from '../../providers/sqlite/database/index-folder.ts';

let folder: IndexFolder;
let store: Store;
let close: () => Promise<void>;
before(async () => {
  folder = createIndexFolder();
  ({ capability: store, close } = await folder.open());
});
after(async () => {
  await close();
  folder.remove();
});

test('they follow added, renamed and removed notes', async () => {
  const context = { signal, storeCache: new StoreCache() };
  await fill(store, { 'Harbour.md': '', 'Tide.md': '---\naliases: [Flood]\n---' });
  const names = await nameIndex(store, context);
  assert.deepEqual([await names.correctedWord('harbuor'), await names.correctedWord('floood')], ['Harbour', 'Flood']);
  await fill(store, { 'Tide.md': 'text', 'Lighthouse.md': '' });
  await remove(store, 'Harbour.md');
  assert.equal(await nameIndex(store, context), names, 'the same names are patched');
  const words = await Promise.all(['harbuor', 'floood', 'lihgthouse'].map((word) => names.correctedWord(word)));
  assert.deepEqual(words, [undefined, undefined, 'Lighthouse']);
});

test('calls at the same time compute them once, also if the first of them is aborted', async () => {
  const storeCache = new StoreCache();
  const aborted = new AbortController();
  let computed = 0;
  const compute = async (counted: Store, given: AbortSignal) => {
    computed += 1;
    await counted.names(given);
    return computed;
  };
  const first = storeCache.get(compute, store, aborted.signal);
  const others = [1, 2, 3].map(() => storeCache.get(compute, store, signal));
  aborted.abort();
  await Promise.allSettled([first]);
  const values = await Promise.all(others);
  assert.equal(new Set(values).size, 1);
  assert.equal(values[0], computed);
});

test('only values that are not kept are computed again after the memory was given back', async () => {
  const storeCache = new StoreCache();
  const names = await nameIndex(store, { signal, storeCache });
  const compute = async () => ({});
  const value = await storeCache.get(compute, store, signal);
  assert.equal(await storeCache.get(compute, store, signal), value);
  storeCache.clear(updateNames);
  assert.equal(await nameIndex(store, { signal, storeCache }), names);
  assert.notEqual(await storeCache.get(compute, store, signal), value);
});
