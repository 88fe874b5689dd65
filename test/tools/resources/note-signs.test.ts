// Change signs: they change with the content of a note and with nothing else.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNoteSigns } from '../../../src/tools/resources/resources.ts';
import { signal, withIndex } from '../../indexing/index-under-test.ts';

test('a sign changes with the content and not with the time stamp', () =>
  withIndex(async ({ folder, store, run }) => {
    const notes = createNoteSigns(store);
    const signs = async (): Promise<Record<string, string>> =>
      Object.fromEntries(await notes.signs(['a.md', 'b.md', 'none.md'], signal));
    folder.put('a.md', 'one');
    folder.put('b.md', 'two');
    await run();
    const [first, mark] = [await signs(), await notes.mark(signal)];
    assert.deepEqual(Object.keys(first), ['a.md', 'b.md']);
    assert.equal(await notes.mark(signal), mark);
    utimesSync(join(folder.root, 'a.md'), 1, 1);
    await run();
    assert.deepEqual(await signs(), first);
    folder.put('a.md', 'one more');
    await run();
    assert.notEqual(await notes.mark(signal), mark);
    const second = await signs();
    assert.notEqual(second['a.md'], first['a.md']);
    assert.equal(second['b.md'], first['b.md']);
    folder.remove('b.md');
    await run();
    assert.deepEqual(await signs(), { 'a.md': second['a.md'] });
  }));

test('a heartbeat does not change the mark', () =>
  withIndex(async ({ folder, store, run }) => {
    const notes = createNoteSigns(store);
    folder.put('a.md', 'one');
    await run();
    const [mark, written] = [await notes.mark(signal), await store.mark(signal)];
    const report = { client: 'test', freshness: 'fresh', watching: { mode: 'off', pending: 0 } } as const;
    await store.publish({ report, jobs: [], answers: [] }, signal);
    assert.notEqual(await store.mark(signal), written);
    assert.equal(await notes.mark(signal), mark);
  }));
