// A reader that takes the index for complete looks at its last scan before and after it reads.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Opened } from '../../../src/contracts/provider.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { wholeStore } from '../../../src/contracts/whole-store.ts';
import { createIndexFolder, type IndexFolder } from '../../providers/sqlite/database/index-folder.ts';
import { asPath, fill, signal } from './law.ts';

let folder: IndexFolder;
let opened: Opened<Store>;
let looks: number;
let open: PromiseWithResolvers<void>;
beforeEach(async () => {
  folder = createIndexFolder();
  opened = await folder.open();
  await fill(opened.capability, { 'Ebb.md': 'low water' });
  await opened.capability.completeScan('2026-11-22T10:00:00.000Z', signal);
  looks = 0;
  open = Promise.withResolvers();
});
afterEach(async () => {
  await opened.close();
  folder.remove();
});

/** The store, with a method that ends when the test lets it. */
function counted(): Store {
  const store = opened.capability;
  const progress: Store['progress'] = (at) => {
    looks += 1;
    return store.progress(at);
  };
  const titles: Store['titles'] = async (paths, at) => {
    const answer = await store.titles(paths, at);
    await open.promise;
    return answer;
  };
  return { ...store, progress, titles };
}

test('methods that begin together, and end together, look once before and once after', async () => {
  const whole = wholeStore(counted(), signal);
  const titles = [1, 2, 3].map(() => whole.titles([asPath('Ebb.md')], signal));
  setImmediate(() => open.resolve());
  for (const answer of await Promise.all(titles)) assert.equal(answer.size, 1);
  // Those that are still reading when the others go on look later.
  assert.ok(looks >= 2 && looks <= 4, `${looks} looks`);
});

test('the progress of the index is one look, and refused while it has no scan', async () => {
  const whole = wholeStore(counted(), signal);
  const { scannedAt } = await whole.progress(signal);
  assert.equal(scannedAt, '2026-11-22T10:00:00.000Z');
  assert.equal(looks, 1);
  await opened.capability.reset(signal);
  await assert.rejects(whole.progress(signal), { code: 'NOT_READY' });
});

test('a method that ends after a look has begun is not vouched for by it', async () => {
  const whole = wholeStore(counted(), signal);
  await whole.names(signal);
  const before = looks;
  const waiting = whole.titles([asPath('Ebb.md')], signal);
  await opened.capability.completeScan('2026-11-22T11:00:00.000Z', signal);
  await whole.names(signal);
  assert.ok(looks > before);
  const after = looks;
  open.resolve();
  await waiting;
  assert.ok(looks > after, 'it looked for itself');
});
