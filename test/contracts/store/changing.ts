// Contract tests of change sets of a store.
import assert from 'node:assert/strict';
import type { Store } from '../../../src/contracts/store.ts';
import { wholeStore } from '../../../src/contracts/whole-store.ts';
import { assertEach } from '../../assert-each.ts';
import {
  ALL,
  asPath,
  asPaths,
  changes,
  fill,
  filled,
  found,
  indexed,
  type Law,
  remove,
  rewrite,
  signal,
} from './law.ts';

const word = (text: string) => ({ terms: [{ text, kind: 'word', negated: false } as const], match: 'any' as const });

async function pathsWith(store: Store, text: string): Promise<string[]> {
  const { hits } = await store.searchText(word(text), {}, ALL, signal);
  return hits.map(({ path }) => path);
}

async function quarantined(store: Store): Promise<string[]> {
  const rows = await store.quarantine(ALL, signal);
  return rows.map(({ path, phase, attempts }) => `${path} ${phase} ${attempts}`);
}

const FIRST_SCAN = '2026-11-21T10:00:00.000Z';
const NEXT_SCAN = '2026-11-21T11:00:00.000Z';

export function changingLaws(law: Law): void {
  law('a reader of a whole index gets no answer from one that was emptied, until that is whole', async (store) => {
    await fill(store, { 'Ebb.md': 'tide' });
    await store.completeScan(FIRST_SCAN, signal);
    const whole = wholeStore(store, signal);
    assert.deepEqual(await pathsWith(whole, 'tide'), ['Ebb.md']);
    await store.reset(signal);
    const notReady = { code: 'NOT_READY', details: { phase: 'replaced' } };
    await assert.rejects(pathsWith(whole, 'tide'), notReady);
    await assert.rejects(pathsWith(wholeStore(store, signal), 'tide'), notReady);
    await fill(store, { 'Flow.md': 'tide' });
    await assert.rejects(whole.graph(signal), notReady);
    await store.completeScan(NEXT_SCAN, signal);
    assert.deepEqual(await pathsWith(whole, 'tide'), ['Flow.md']);
  });

  law(
    'a reader of a whole index gets no answer from the time between, if that was emptied and built again',
    async (store) => {
      await fill(store, { 'Ebb.md': 'tide' });
      await store.completeScan(FIRST_SCAN, signal);
      let rebuilds = 0;
      const rebuilt: Store = {
        ...store,
        searchText: async (...query) => {
          if (rebuilds > 0) return store.searchText(...query);
          rebuilds += 1;
          await store.reset(signal);
          const found = await store.searchText(...query);
          await fill(store, { 'Flow.md': 'tide' });
          await store.completeScan(NEXT_SCAN, signal);
          return found;
        },
      };
      assert.deepEqual(await pathsWith(wholeStore(rebuilt, signal), 'tide'), ['Flow.md']);
    },
  );

  law('an empty store returns empty results', async (store) => {
    const counts = await store.counts(signal);
    const none = {
      files: 0,
      notes: 0,
      indexed: 0,
      pending: 0,
      links: 0,
      unresolved: 0,
      embeds: 0,
      tags: 0,
      aliases: 0,
    };
    assert.deepEqual(counts, { revision: counts.revision, ...none, quarantined: 0, scannedAt: null });
    assert.deepEqual(await store.fileStates(signal), []);
    assert.deepEqual(await store.notes(asPaths('Ebb.md'), signal), []);
    assert.deepEqual(await store.names(signal), []);
    assert.deepEqual(await store.listNotes({}, 'name', 'asc', ALL, signal), { notes: [], total: 0 });
    assert.deepEqual(await store.searchText(word('ebb'), {}, ALL, signal), {
      hits: [],
      total: 0,
      dropped: [],
      indexed: 0,
      docFrequencies: [0],
    });
    assert.deepEqual(await store.unresolved({}, 5, ALL, signal), { groups: [], total: 0 });
    assert.deepEqual((await store.graph(signal)).paths, []);
    assert.deepEqual(await store.integrity(signal), []);
  });

  law('a change set is visible immediately, and each increases the revision', async (store) => {
    const before = (await store.counts(signal)).revision;
    const first = await store.apply(filled({ 'Ebb.md': '#tide #Sea\n[[Flow]] ![[pic.png]]', 'pic.png': null }), signal);
    assert.ok(first.revision > before);
    const counts = await store.counts(signal);
    assert.equal(counts.revision, first.revision);
    assert.deepEqual(
      [counts.files, counts.notes, counts.indexed, counts.pending, counts.links, counts.unresolved, counts.embeds],
      [2, 1, 1, 0, 2, 1, 1],
    );
    assert.equal(counts.tags, 2);
    const second = await store.apply(changes({ added: [found('Flow.md')] }), signal);
    assert.ok(second.revision > first.revision);
    assert.equal((await store.counts(signal)).pending, 1);
  });

  law('the state of every file is stored unchanged', async (store) => {
    const modifiedMs = 1_700_000_000_123.456;
    const text = 'Höhe\n';
    await store.apply(
      changes({
        added: [found('b/Ebb.md'), found('a.png', { sizeBytes: 9, modifiedMs })],
        indexed: [indexed('b/Ebb.md', text, { modifiedMs })],
      }),
      signal,
    );
    assert.deepEqual(await store.fileStates(signal), [
      { path: 'a.png', kind: 'attachment', sizeBytes: 9, modifiedMs, hash: null },
      { path: 'b/Ebb.md', kind: 'note', sizeBytes: 6, modifiedMs, hash: `hash of ${text}` },
    ]);
  });

  law('the states of many files are listed by path, while files are added', async (store) => {
    const paths = Array.from({ length: 4_000 }, (_, at) => `${at % 2 === 0 ? 'é' : 'z'}/${at}.md`);
    await store.apply(changes({ added: paths.map((path) => found(path)) }), signal);
    const reading = store.fileStates(signal);
    await store.apply(changes({ added: [found('a.md')] }), signal);
    const during = (await reading).map(({ path }) => path);
    const after = (await store.fileStates(signal)).map(({ path }) => path);
    const expected = paths.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    assert.deepEqual(after, ['a.md', ...expected]);
    assert.deepEqual(during, during.length === expected.length ? expected : after);
  });

  law('indexing a note again replaces all of its rows', async (store) => {
    await fill(store, {
      'Ebb.md': '---\ntitle: Old\naliases: [Low]\nstatus: old\n---\n# Before\nword ^old\n#old [[Flow]]',
      'Flow.md': '',
    });
    await rewrite(store, { 'Ebb.md': '# After\nother #new' });
    const [record] = await store.notes(asPaths('Ebb.md'), signal);
    assert.deepEqual(
      [record?.title, record?.aliases, record?.tags, record?.properties, record?.blocks],
      ['Ebb', [], ['#new'], {}, []],
    );
    assert.deepEqual(record?.headings, [{ text: 'After', level: 1, line: 1, column: 1, offset: 0 }]);
    assert.deepEqual(await store.candidates('Low', signal), []);
    assert.deepEqual(await store.candidates('Old', signal), []);
    assert.deepEqual(await pathsWith(store, 'before'), []);
    assert.deepEqual(await pathsWith(store, 'other'), ['Ebb.md']);
    assert.deepEqual(await store.links(asPath('Flow.md'), 'in', ALL, signal), []);
    assert.equal((await store.listNotes({ tags: ['#old'] }, 'name', 'asc', ALL, signal)).total, 0);
    const where = [{ name: 'status', operator: 'exists', value: null } as const];
    assert.equal((await store.listNotes({ where }, 'name', 'asc', ALL, signal)).total, 0);
    assert.deepEqual(await store.integrity(signal), []);
  });

  law('touching a file changes only its size and time', async (store) => {
    await fill(store, { 'Ebb.md': 'low water' });
    await store.apply(changes({ touched: [{ path: asPath('Ebb.md'), sizeBytes: 77, modifiedMs: 5_000 }] }), signal);
    const [state] = await store.fileStates(signal);
    assert.deepEqual([state?.sizeBytes, state?.modifiedMs, state?.hash], [77, 5_000, 'hash of low water']);
    assert.deepEqual(await pathsWith(store, 'water'), ['Ebb.md']);
  });

  law(
    'finding a known file again changes its flags, and its size and time only if it is not indexed',
    async (store) => {
      await fill(store, { 'Ebb.md': 'low water' });
      const later = { evicted: true, conflictCopy: true, sizeBytes: 77, modifiedMs: 5_000 };
      await store.apply(changes({ added: [found('Ebb.md', later), found('Flow.md')] }), signal);
      await store.apply(changes({ added: [found('Flow.md', later)] }), signal);
      const [ebb, flow] = await store.notes(asPaths('Ebb.md', 'Flow.md'), signal);
      assert.deepEqual(
        [ebb?.evicted, ebb?.conflictCopy, ebb?.modifiedMs, ebb?.hash],
        [true, true, 1_000, 'hash of low water'],
      );
      assert.deepEqual([flow?.evicted, flow?.modifiedMs, flow?.hash], [true, 5_000, null]);
    },
  );

  law('removing a file deletes its rows, and removing an unknown one does nothing', async (store) => {
    await fill(store, { 'Ebb.md': 'low water #tide', 'Flow.md': '' });
    await remove(store, 'Ebb.md', 'Never.md');
    assertEach(await store.fileStates(signal), ({ path }) => path, ['Flow.md']);
    assert.deepEqual(await pathsWith(store, 'water'), []);
    assert.deepEqual(await store.listTags(undefined, {}, signal), []);
    await fill(store, { 'Ebb.md': 'risen' });
    assert.deepEqual(await pathsWith(store, 'risen'), ['Ebb.md']);
    assert.deepEqual(await pathsWith(store, 'water'), []);
  });

  law('a change set that fails leaves the store unchanged', async (store) => {
    await fill(store, { 'Ebb.md': 'low water' });
    const before = await store.counts(signal);
    const unlisted = changes({
      added: [found('Flow.md')],
      removed: asPaths('Ebb.md'),
      indexed: [indexed('Flow.md', ''), indexed('Nobody listed this.md', '')],
    });
    await assert.rejects(store.apply(unlisted, signal), { code: 'INTERNAL' });
    assert.deepEqual(await store.counts(signal), before);
    assert.deepEqual(await pathsWith(store, 'water'), ['Ebb.md']);
    await fill(store, { 'Flow.md': 'goes on' });
    assert.deepEqual(await pathsWith(store, 'goes'), ['Flow.md']);
  });

  law('an aborted call does nothing and fails with the reason', async (store) => {
    const reason = new Error('no longer wanted');
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(store.apply(filled({ 'Ebb.md': 'x' }), aborted), reason);
    await assert.rejects(store.counts(aborted), reason);
    assert.equal((await store.counts(signal)).files, 0);
  });

  law('change sets apply in order', async (store) => {
    const texts = ['one', 'two', 'three', 'four'];
    await store.apply(changes({ added: [found('Ebb.md')] }), signal);
    const applied = texts.map((text) => store.apply(changes({ indexed: [indexed('Ebb.md', text)] }), signal));
    const revisions = (await Promise.all(applied)).map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.toSorted((left, right) => left - right),
    );
    assert.deepEqual(await pathsWith(store, 'four'), ['Ebb.md']);
    assert.deepEqual(await pathsWith(store, 'three'), []);
  });

  law('the quarantine counts attempts by path and phase, and a success of the phase ends it', async (store) => {
    const row = { path: 'Ebb.md', code: 'FILE_UNREADABLE', reason: 'EIO' } as const;
    const read = { ...row, phase: 'read' } as const;
    const parse = { ...row, phase: 'parse', code: 'PROPERTIES_INVALID', line: 2, column: 3, hash: 'h' } as const;
    await store.apply(changes({ added: [found('Ebb.md')], quarantined: [read, parse] }), signal);
    await store.apply(changes({ quarantined: [read] }), signal);
    assert.deepEqual(await quarantined(store), ['Ebb.md parse 1', 'Ebb.md read 2']);
    const [first] = await store.quarantine(ALL, signal);
    assert.deepEqual([first?.code, first?.line, first?.column, first?.hash], ['PROPERTIES_INVALID', 2, 3, 'h']);
    assert.ok(first !== undefined && first.first <= first.last);
    await store.apply(changes({ indexed: [indexed('Ebb.md', 'a')], quarantined: [parse] }), signal);
    assert.deepEqual(await quarantined(store), ['Ebb.md parse 2', 'Ebb.md read 2']);
    await rewrite(store, { 'Ebb.md': 'b' });
    assert.deepEqual(await quarantined(store), ['Ebb.md read 2']);
    await store.apply(changes({ released: ['Ebb.md'] }), signal);
    assert.deepEqual(await quarantined(store), []);
    await store.apply(changes({ quarantined: [read, parse] }), signal);
    assert.equal((await store.counts(signal)).quarantined, 2);
    await remove(store, 'Ebb.md');
    assert.deepEqual(await quarantined(store), []);
  });

  law('the time of a change is that of the content that was read, and makes no revision of its own', async (store) => {
    const times = async () =>
      (await store.fileStates(signal)).map(({ path, changedMs = 'none' }) => `${path} ${changedMs}`);
    const [ebb, flow] = [indexed('Ebb.md', 'low', { changedMs: 12.5 }), indexed('Flow.md', 'high')];
    await store.apply(changes({ added: [found('Ebb.md'), found('Flow.md')], indexed: [ebb, flow] }), signal);
    assert.deepEqual(await times(), ['Ebb.md 12.5', 'Flow.md none']);
    const { revision } = await store.progress(signal);
    const sightings = [
      { path: ebb.path, hash: 'of another content', changedMs: 13 },
      { path: flow.path, hash: flow.hash, changedMs: 14 },
    ];
    await store.apply(changes({ sightings }), signal);
    assert.deepEqual(
      [await times(), (await store.progress(signal)).revision],
      [['Ebb.md 12.5', 'Flow.md 14'], revision],
    );
    await store.apply(changes({ added: [found('Ebb.md', { excluded: true, changedMs: 15 })] }), signal);
    assert.deepEqual(await times(), ['Ebb.md 12.5', 'Flow.md 14']);
    await rewrite(store, { 'Ebb.md': 'lower' });
    assert.deepEqual(await times(), ['Ebb.md none', 'Flow.md 14']);
    await store.apply(changes({ added: [found('Map.png', { changedMs: 16, createdMs: 17 })] }), signal);
    const [, , map] = await store.fileStates(signal);
    assert.deepEqual([map?.changedMs, map?.createdMs], [16, 17]);
  });

  law('the end of a scan is stored until a reset', async (store) => {
    await fill(store, { 'Ebb.md': 'low [[Flow]] #tide' });
    const at = '2026-11-20T10:00:00.000Z';
    await store.completeScan(at, signal);
    const before = await store.counts(signal);
    assert.equal(before.scannedAt, at);
    await store.reset(signal);
    const after = await store.counts(signal);
    assert.ok(after.revision > before.revision);
    assert.deepEqual([after.files, after.links, after.tags, after.scannedAt], [0, 0, 0, null]);
    assert.deepEqual(await pathsWith(store, 'low'), []);
    assert.deepEqual((await store.graph(signal)).paths, []);
    await fill(store, { 'Ebb.md': 'low [[Flow]] #tide' });
    assert.deepEqual(await pathsWith(store, 'low'), ['Ebb.md']);
  });

  law('an invalid page is refused by every method', async (store) => {
    for (const page of [
      { limit: -1, offset: 0 },
      { limit: 1e9, offset: 0 },
      { limit: 1, offset: -1 },
      { limit: 1.5, offset: 0 },
    ]) {
      await assert.rejects(store.quarantine(page, signal), { code: 'LIMIT_EXCEEDED' });
      await assert.rejects(store.searchText(word('ebb'), {}, page, signal), { code: 'LIMIT_EXCEEDED' });
      await assert.rejects(store.links(asPath('Ebb.md'), 'in', page, signal), { code: 'LIMIT_EXCEEDED' });
    }
  });
}
