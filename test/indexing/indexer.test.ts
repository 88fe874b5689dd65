// The indexer over real files, a real store and real threads: what changes, what must not, and what it says of the rest.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import type { IndexJob } from '../../src/contracts/indexer.ts';
import type { Store } from '../../src/contracts/store.ts';
import { assertEach } from '../assert-each.ts';
import { until } from '../until.ts';
import { coldRebuild, contentOf, fill, found, type IndexUnderTest, signal, withIndex } from './index-under-test.ts';

const FIXTURES = join(import.meta.dirname, '../../vault-fixtures');
const everything = { limit: 1000, offset: 0 };
const onLinux = { skip: process.platform === 'linux' ? (false as const) : 'only Linux holds such names' };

const indexed = (
  title: string,
  check: (under: IndexUnderTest) => Promise<void>,
  skip: string | false = false,
): void => {
  it(title, { skip }, () => withIndex(check));
};

const pathsOf = async (store: Store): Promise<string[]> => (await store.fileStates(signal)).map(({ path }) => path);

async function ledger(store: Store): Promise<Record<string, string>> {
  const entries = await store.quarantine(everything, signal);
  return Object.fromEntries(entries.map(({ path, phase, code }) => [path, `${phase} ${code}`]));
}

const ok = (job: IndexJob): void => assert.equal(job.state, 'succeeded', String(job.error));

describe('a scan', () => {
  indexed('indexes all files, and reads none again if nothing changed', async (under) => {
    const { folder, store, run, indexer } = under;
    fill(folder, 150);
    folder.put('img/lamp.png', 'png');
    const first = await run();
    ok(first);
    assert.deepEqual(first.counts, { listed: 151, changed: 150, done: 150, indexed: 150, failed: 0, removed: 0 });
    assert.deepEqual(await found(store, 'word42'), ['area 0/Note 42.md']);
    const { revision } = await store.counts(signal);
    const second = await run();
    assert.deepEqual(second.counts, { listed: 151, changed: 0, done: 0, indexed: 0, failed: 0, removed: 0 });
    assert.equal((await store.counts(signal)).revision, revision, 'an unchanged vault costs no write');
    const { freshness, complete, total, pending, asOf } = indexer.state();
    assert.deepEqual([freshness, complete, total, pending], ['fresh', true, 150, 0]);
    assert.ok(Date.parse(asOf ?? '') <= Date.now());
  });

  indexed('after every kind of change the index equals a cold rebuild', async (under) => {
    const { folder, run } = under;
    fill(folder, 60);
    await run();
    folder.put('New.md', '[[Note 1]] and [[Later]]');
    folder.put('area 1/Note 1.md', 'other text, [[New]]');
    folder.remove('area 2/Note 2.md');
    folder.move('area 3/Note 3.md', 'moved/Note 3.md');
    folder.move('area 4', 'area four');
    folder.remove('area 5/Note 5.md');
    folder.put('area 5/Note 5.md/Inside.md', 'in a folder named like a note');
    folder.put('Board.canvas', '{"nodes":[{"id":"1","type":"file","file":"New.md"}],"edges":[]}');
    ok(await run());
    assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
    folder.remove('area 5/Note 5.md');
    folder.put('area 5/Note 5.md', 'a note again');
    folder.put('Later.md', 'there now');
    folder.remove('Board.canvas');
    ok(await run());
    assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
  });

  indexed('links resolve to new files before their content is read', async ({ folder, store, run, indexer }) => {
    fill(folder, 300);
    const seen: { total: number; indexed: number }[] = [];
    await run({ kind: 'catch_up', onProgress: () => seen.push(indexer.state()) });
    assert.ok(seen.length > 0);
    const { unresolved } = await store.counts(signal);
    assert.equal(unresolved, 0);
  });

  indexed('reads a file again if its size changed, and keeps it if only its time changed', async (under) => {
    const { folder, store, run } = under;
    const stamp = (seconds: number): void => utimesSync(join(folder.root, 'Note.md'), seconds, seconds);
    folder.put('Note.md', 'first');
    stamp(1_700_000_000);
    await run();
    folder.put('Note.md', 'second');
    stamp(1_700_000_000);
    assert.equal((await run()).counts.changed, 1);
    assert.deepEqual(await found(store, 'second'), ['Note.md']);
    const before = await store.notes(['Note.md' as NotePath], signal);
    stamp(1_700_000_001);
    const job = await run();
    assert.deepEqual([job.counts.changed, job.counts.done, job.failures], [1, 1, []]);
    assert.deepEqual(
      await store.notes(['Note.md' as NotePath], signal),
      before.map((note) => ({ ...note, modifiedMs: 1_700_000_001_000, date: '2023-11-14T22:13:21.000Z' })),
    );
    assert.equal((await run()).counts.changed, 0);
  });

  indexed(
    'knows when a file was created that took the place of another with the same text and times',
    async (under) => {
      const { folder, run } = under;
      const put = (name: string): void => {
        folder.put(name, 'alpha');
        utimesSync(join(folder.root, name), 1_700_000_000, 1_700_000_000);
      };
      put('Note.md');
      put('Map.png');
      await run();
      for (const name of ['Note.md', 'Map.png']) {
        put(`${name}.new`);
        folder.move(`${name}.new`, name);
      }
      ok(await run());
      assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
    },
  );

  indexed('finds a change that keeps size and time, as of a restored backup', async (under) => {
    const { folder, store, run } = under;
    const hide = (): void => utimesSync(join(folder.root, 'Note.md'), 1_700_000_000, 1_700_000_000);
    folder.put('Note.md', 'alpha');
    folder.put('Other.md', 'unasked');
    hide();
    await run();
    folder.put('Note.md', 'gamma');
    hide();
    const job = await run();
    assert.deepEqual([job.state, job.counts.indexed], ['succeeded', 1]);
    assert.deepEqual([await found(store, 'gamma'), await found(store, 'alpha')], [['Note.md'], []]);
    assert.equal((await run()).counts.changed, 0, 'it is read once');
  });

  indexed(
    'finds such a change also after the clock was set back, and writes nothing new of an unchanged file',
    async (under) => {
      const { folder, store, run } = under;
      const path = join(folder.root, 'Note.md');
      const hide = (): void => utimesSync(path, 1_700_000_000, 1_700_000_000);
      folder.put('Note.md', 'alpha');
      folder.put('Other.md', 'unasked');
      hide();
      await run();
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      await store.completeScan(tomorrow, signal);
      folder.put('Note.md', 'gamma');
      hide();
      assert.deepEqual([(await run()).counts.indexed, await found(store, 'gamma')], [1, ['Note.md']]);
      const { revision } = await store.progress(signal);
      await store.completeScan(tomorrow, signal);
      chmodSync(path, 0o600);
      assert.equal((await run()).counts.changed, 1);
      assert.equal((await run()).counts.changed, 0, 'it is read once');
      assert.equal((await store.progress(signal)).revision, revision);
    },
  );

  indexed('finds such a change also if it came while a scan ran that had read the file', async (under) => {
    const { folder, indexer, store, run } = under;
    const hide = (): void => utimesSync(join(folder.root, 'A.md'), 1_700_000_000, 1_700_000_000);
    ok(await run());
    for (let at = 0; at < 400; at++) folder.put(`notes/${at}.md`, `words of note ${at}`);
    folder.put('A.md', 'alpha');
    hide();
    const { id } = await indexer.start({ kind: 'catch_up' });
    await until(async () => (await found(store, 'alpha')).includes('A.md'), 'the file was read');
    folder.put('A.md', 'gamma');
    hide();
    ok(await indexer.ended(id, signal));
    ok(await run());
    assert.deepEqual([await found(store, 'gamma'), await found(store, 'alpha')], [['A.md'], []]);
  });

  indexed('finds such a change also if it came during a first index that did not end', async (under) => {
    const { folder, indexer, store, run } = under;
    const hide = (): void => utimesSync(join(folder.root, 'A.md'), 1_700_000_000, 1_700_000_000);
    for (let at = 0; at < 400; at++) folder.put(`notes/${at}.md`, `words of note ${at}`);
    folder.put('A.md', 'alpha');
    hide();
    const { id } = await indexer.start({ kind: 'catch_up' });
    await until(async () => (await found(store, 'alpha')).includes('A.md'), 'the file was read');
    await indexer.cancel(id, signal);
    folder.put('A.md', 'gamma');
    hide();
    assert.equal((await indexer.ended(id, signal)).state, 'cancelled');
    ok(await run());
    assert.deepEqual([await found(store, 'gamma'), await found(store, 'alpha')], [['A.md'], []]);
  });

  indexed(
    'V10 renames a note by case alone, keeps case twins apart, and opens a decomposed name',
    async (under) => {
      const { folder, store, run } = under;
      folder.put('tide.md', 'lower');
      folder.put('Cafe\u0301.md', 'decomposed [[tide]]');
      await run();
      assert.deepEqual(await pathsOf(store), ['Café.md'.normalize('NFC'), 'tide.md']);
      folder.move('tide.md', 'Tide.md');
      await run();
      assert.deepEqual(await pathsOf(store), ['Café.md'.normalize('NFC'), 'Tide.md']);
      folder.put('tide.md', 'lower again');
      folder.put('Café.md'.normalize('NFC'), 'composed');
      ok(await run());
      assert.deepEqual(await found(store, 'lower'), ['Tide.md', 'tide.md']);
      assert.deepEqual(await found(store, 'composed'), ['Café.md'.normalize('NFC')]);
      assert.deepEqual(await found(store, 'decomposed'), ['Cafe\u0301.md']);
      assert.deepEqual(await contentOf(store), await coldRebuild(under));
    },
    onLinux.skip,
  );

  indexed('V13 indexes conflict copies and notes of the same name, and flags them', async ({ folder, store, run }) => {
    const copy = 'Plan.sync-conflict-20261120-081500-ABCDEFG.md';
    for (const path of ['a/Plan.md', 'b/Plan.md', copy]) folder.put(path, `text of ${path}`);
    ok(await run());
    const notes = await store.notes((await pathsOf(store)) as NotePath[], signal);
    assert.deepEqual(
      notes.map(({ path, conflictCopy }) => [path, conflictCopy]),
      [
        [copy, true],
        ['a/Plan.md', false],
        ['b/Plan.md', false],
      ],
    );
    assert.equal((await store.candidates('Plan', signal)).length, 2);
  });
});

describe('an unavailable vault', () => {
  indexed('V1 keeps the index when the root is gone, and continues when it is back', async (under) => {
    const { folder, store, run, indexer } = under;
    fill(folder, 30);
    await run();
    const before = await contentOf(store);
    folder.vanish();
    for (const kind of ['catch_up', 'rebuild'] as const) {
      const job = await run({ kind, confirmed: true });
      assert.deepEqual([job.state, job.error?.code], ['interrupted', 'VAULT_UNAVAILABLE']);
      const { freshness, complete, lastError } = indexer.state();
      assert.deepEqual([freshness, complete, lastError?.code], ['unknown', true, 'VAULT_UNAVAILABLE']);
    }
    assert.deepEqual(await contentOf(store), before);
    folder.comeBack();
    ok(await run());
    assert.equal(indexer.state().lastError, undefined);
    assert.deepEqual(await contentOf(store), before);
  });

  indexed('V1 a scan that failed stays the last error after a job that reads one note', async (under) => {
    const { folder, run, indexer } = under;
    fill(folder, 30);
    await run();
    for (let n = 0; n < 20; n += 1) folder.remove(`area ${n % 7}/Note ${n}.md`);
    const states = [];
    for (const request of [{ kind: 'catch_up' }, { kind: 'notes', paths: ['area 1/Note 29.md'] }] as const) {
      const { state } = await run(request);
      states.push([state, indexer.state().lastError?.code]);
    }
    assert.deepEqual(states, [
      ['failed', 'MASS_DELETE_BLOCKED'],
      ['succeeded', 'MASS_DELETE_BLOCKED'],
    ]);
    ok(await run({ kind: 'catch_up', confirmed: true }));
    assert.equal(indexer.state().lastError, undefined);
  });

  indexed('V1 keeps the index when the root is renamed away while a job runs', async (under) => {
    const { folder, store, run } = under;
    fill(folder, 1200);
    let isAway = false;
    const job = await run({
      kind: 'catch_up',
      onProgress: ({ phase }) => {
        if (phase !== 'indexing' || isAway) return;
        isAway = true;
        folder.vanish();
      },
    });
    assert.deepEqual([job.state, job.error?.code], ['interrupted', 'VAULT_UNAVAILABLE']);
    assert.equal((await pathsOf(store)).length, 1200, 'what was found stays known');
    assert.deepEqual(await ledger(store), {}, 'no note is blamed for it');
    folder.comeBack();
    ok(await run());
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  });

  for (const [title, notes, gone] of [
    ['V1 an empty folder where notes were, as after a lost mount, is no deletion', 3, 3],
    ['V1 more than half of the notes gone at once is no deletion', 30, 16],
  ] as const)
    indexed(`${title}, until it is confirmed`, async (under) => {
      const { folder, store, run } = under;
      fill(folder, notes);
      await run();
      const before = await contentOf(store);
      for (let n = 0; n < gone; n += 1) folder.remove(`area ${n % 7}/Note ${n}.md`);
      for (const kind of ['catch_up', 'rebuild'] as const) {
        const job = await run({ kind });
        assert.deepEqual([job.state, job.error?.code], ['failed', 'MASS_DELETE_BLOCKED']);
        assert.deepEqual(job.error?.details, { known: notes, missing: gone, ratio: gone / notes });
      }
      assert.deepEqual(await contentOf(store), before);
      const confirmed = await run({ kind: 'catch_up', confirmed: true });
      ok(confirmed);
      assert.equal(confirmed.counts.removed, gone);
      assert.deepEqual(await contentOf(store), await coldRebuild(under));
    });

  indexed('allows deleting half of the notes, all but one of a small vault, and moving all notes', async (under) => {
    const { folder, run } = under;
    fill(folder, 30);
    await run();
    for (let n = 0; n < 15; n += 1) folder.remove(`area ${n % 7}/Note ${n}.md`);
    ok(await run());
    for (let n = 15; n < 29; n += 1) folder.remove(`area ${n % 7}/Note ${n}.md`);
    ok(await run());
    fill(folder, 30);
    await run();
    for (let area = 0; area < 7; area += 1) folder.move(`area ${area}`, `archive/area ${area}`);
    const job = await run();
    ok(job);
    assert.equal(job.counts.removed, 30);
    assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
  });
});

describe('unreadable files', () => {
  indexed('V2 keeps a note that disappeared between listing and reading until the next scan', async (under) => {
    const { folder, store, run } = under;
    fill(folder, 30);
    await run();
    folder.put('area 1/Note 1.md', 'changed, and then gone');
    const job = await run({
      kind: 'catch_up',
      onProgress: ({ phase }) => {
        if (phase === 'indexing' && existsSync(join(folder.root, 'area 1/Note 1.md')))
          folder.remove('area 1/Note 1.md');
      },
    });
    ok(job);
    assert.deepEqual(job.counts, { listed: 30, changed: 1, done: 1, indexed: 0, failed: 1, removed: 0 });
    assertEach(job.failures, ({ id, error }) => [id, error.code], [['area 1/Note 1.md', 'FILE_UNREADABLE']]);
    assert.deepEqual(await ledger(store), { 'area 1/Note 1.md': 'read FILE_UNREADABLE' });
    assert.deepEqual(await found(store, 'word1'), ['area 1/Note 1.md']);
    ok(await run());
    assert.deepEqual([await ledger(store), await found(store, 'word1')], [{}, []]);
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  });

  indexed(
    'V2 keeps and marks a note that a cloud stub replaced, and clears the mark when it is back',
    async (under) => {
      const { folder, store, run } = under;
      folder.put('far/Note.md', 'kept text');
      folder.put('Near.md', '');
      await run();
      folder.move('far/Note.md', 'far/.Note.md.icloud');
      ok(await run());
      assert.deepEqual(await ledger(store), { 'far/Note.md': 'list FILE_UNREADABLE' });
      assert.deepEqual(await found(store, 'kept'), ['far/Note.md']);
      folder.move('far/.Note.md.icloud', 'far/Note.md');
      ok(await run());
      assert.deepEqual(await ledger(store), {});
    },
  );

  indexed('V9 reports symbolic links, does not index them, and removes a note that became one', async (under) => {
    const { folder, store, run } = under;
    folder.put('Note.md', 'text');
    folder.put('Swapped.md', 'text');
    await run();
    folder.remove('Swapped.md');
    symlinkSync(join(folder.root, 'Note.md'), join(folder.root, 'Swapped.md'));
    symlinkSync(folder.outside, join(folder.root, 'out'));
    ok(await run());
    assert.deepEqual(await pathsOf(store), ['Note.md']);
    assert.deepEqual(await ledger(store), { 'Swapped.md': 'list PATH_NOT_ALLOWED', out: 'list PATH_NOT_ALLOWED' });
    const { revision } = await store.counts(signal);
    await run();
    assert.equal((await store.counts(signal)).revision, revision, 'the same ledger is not written again');
  });

  indexed('V3 indexes the text of a note with invalid properties, and reports their position', async (under) => {
    const { folder, store, run } = under;
    folder.put('Broken.md', '---\ntitle: a: b\n---\nfindable [[Other]]\n');
    folder.put('Torn.canvas', '{"nodes":[');
    folder.put('Huge.md', new Uint8Array(32 * 1024 * 1024 + 1).fill(97));
    folder.put('Fine.md', 'fine');
    const job = await run();
    ok(job);
    assert.deepEqual(await ledger(store), {
      'Broken.md': 'parse PROPERTIES_INVALID',
      'Torn.canvas': 'parse CANVAS_INVALID',
      'Huge.md': 'read LIMIT_EXCEEDED',
    });
    const [broken] = (await store.quarantine(everything, signal)).filter(({ path }) => path === 'Broken.md');
    assert.equal(broken?.line, 2);
    assert.deepEqual(await found(store, 'findable'), ['Broken.md']);
    assert.deepEqual([job.counts.done, job.counts.indexed, job.counts.failed], [4, 2, 2]);
    folder.put('Broken.md', '---\ntitle: ab\n---\nfindable\n');
    folder.put('Torn.canvas', '{}');
    folder.put('Huge.md', 'small now');
    ok(await run());
    assert.deepEqual(await ledger(store), {});
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  });
});

describe('the fixture vaults', () => {
  for (const name of ['broken', 'unicode', 'tiny'])
    indexed(`V4 ${name}: indexed completely, without a change of any byte or timestamp`, async (under) => {
      cpSync(join(FIXTURES, name), under.folder.root, { recursive: true, preserveTimestamps: true });
      const before = fingerprint(under.folder.root);
      const job = await under.run();
      ok(job);
      await under.run({ kind: 'rebuild' });
      assert.equal(fingerprint(under.folder.root), before);
      const { indexed: done, pending } = await under.store.counts(signal);
      assert.deepEqual([done, pending], [job.counts.listed - (name === 'tiny' ? 1 : 0), 0]);
    });

  indexed('reports exactly the damaged notes of the broken vault', async ({ folder, store, run }) => {
    cpSync(join(FIXTURES, 'broken'), folder.root, { recursive: true });
    await run();
    const properties = ['Broken YAML', 'Name twice', 'Tab indent', 'Deep', 'Deep too', 'Laughs'];
    assert.deepEqual(await ledger(store), {
      ...Object.fromEntries(properties.map((name) => [`${name}.md`, 'parse PROPERTIES_INVALID'])),
      'List.canvas': 'parse CANVAS_INVALID',
      'Torn.canvas': 'parse CANVAS_INVALID',
    });
    const { unresolved } = await store.counts(signal);
    assert.equal(unresolved, 0, 'every link of the vault finds its note');
  });

  indexed('resolves the links of the unicode vault', async ({ folder, store, run }) => {
    cpSync(join(FIXTURES, 'unicode'), folder.root, { recursive: true });
    await run();
    assert.deepEqual(await ledger(store), {});
    const { groups } = await store.unresolved({}, 10, everything, signal);
    assertEach(groups, ({ name }) => name, ['GROSSE STRASSE', 'v1.2']);
  });
});

function fingerprint(root: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(root, { recursive: true }).map(String).toSorted()) {
    const { mtimeMs, size, mode, ino } = statSync(join(root, name));
    hash.update(`${name} ${mtimeMs} ${size} ${mode} ${ino}`);
    if (statSync(join(root, name)).isFile()) hash.update(readFileSync(join(root, name)));
  }
  return hash.digest('hex');
}

describe('jobs', () => {
  indexed('runs one at a time: the same kind joins, another kind conflicts', async ({ folder, indexer, run }) => {
    fill(folder, 300);
    const reported: string[] = [];
    const starting = indexer.start({ kind: 'catch_up' });
    const joining = indexer.start({ kind: 'catch_up', onProgress: ({ id }) => reported.push(id) });
    await assert.rejects(indexer.start({ kind: 'rebuild' }), { code: 'INDEX_CONFLICT' });
    await assert.rejects(indexer.start({ kind: 'notes', paths: ['x.md'] }), { code: 'INDEX_CONFLICT' });
    const [first, joined] = await Promise.all([starting, joining]);
    assert.equal(joined.id, first.id);
    assert.equal(indexer.state().running?.id, first.id);
    ok(await indexer.ended(first.id, signal));
    assert.equal(indexer.state().running, undefined);
    assert.ok(reported.length > 0 && reported.every((id) => id === first.id));
    const [notes, again, other] = await Promise.allSettled([
      indexer.start({ kind: 'notes', paths: ['area 1/Note 1.md', 'area 2/Note 2.md'] }),
      indexer.start({ kind: 'notes', paths: ['area 2/Note 2.md'] }),
      indexer.start({ kind: 'notes', paths: ['area 3/Note 3.md'] }),
    ]);
    assert.ok(notes.status === 'fulfilled' && again.status === 'fulfilled' && other.status === 'rejected');
    assert.equal(again.value.id, notes.value.id);
    assert.equal(other.reason.code, 'INDEX_CONFLICT');
    await indexer.ended(notes.value.id, signal);
    assert.notEqual((await run()).id, first.id);
  });

  indexed('a cancelled job keeps what it wrote, and the next run equals a cold one', async (under) => {
    const { folder, store, indexer, run } = under;
    fill(folder, 1200);
    const job = await run({
      kind: 'catch_up',
      onProgress: ({ id, counts }) => {
        if (counts.done > 100) void indexer.cancel(id, signal);
      },
    });
    assert.deepEqual([job.state, job.error?.code], ['cancelled', 'CANCELLED']);
    const { indexed: done, pending, scannedAt } = await store.counts(signal);
    assert.ok(done > 0 && pending > 0, `${done} done, ${pending} pending`);
    assert.equal(scannedAt, null);
    assert.equal(indexer.state().complete, false);
    ok(await run());
    assert.deepEqual(await contentOf(store), await coldRebuild(under));
  });

  it('a request after a cancelled job that cannot end yet gets a job of its own', () => {
    const held = Promise.withResolvers<readonly string[]>();
    const startAfterCancelled = async ({ indexer }: IndexUnderTest): Promise<readonly string[]> => {
      const cancelled = await indexer.start({ kind: 'catch_up' });
      while (indexer.state().role !== 'leader') await sleep(1);
      await indexer.cancel(cancelled.id, signal);
      const waiting = await indexer.start({ kind: 'rebuild' });
      const joined = await indexer.start({ kind: 'rebuild' });
      assert.deepEqual([waiting.state, joined.id], ['queued', waiting.id]);
      await indexer.cancel(waiting.id, signal);
      const next = await indexer.start({ kind: 'catch_up' });
      return [cancelled.id, waiting.id, next.id];
    };
    return withIndex(
      async (under) => {
        const ids = await startAfterCancelled(under).finally(() => held.resolve([]));
        assert.equal(new Set(ids).size, 3);
        const states = ids.map(async (id) => (await under.indexer.ended(id, signal)).state);
        assert.deepEqual(await Promise.all(states), ['cancelled', 'cancelled', 'succeeded']);
      },
      { begin: () => held.promise },
    );
  });

  indexed(
    'an abort ends the wait, not the job; unknown ids are refused; the last twenty jobs are kept',
    async (under) => {
      const { folder, indexer, run } = under;
      fill(folder, 100);
      const { id } = await indexer.start({ kind: 'catch_up' });
      await assert.rejects(indexer.ended(id, AbortSignal.abort(new Error('enough'))), /enough/);
      ok(await indexer.ended(id, signal));
      await assert.rejects(indexer.ended('job_none', signal), { code: 'JOB_NOT_FOUND' });
      await assert.rejects(indexer.cancel('job_none', signal), { code: 'JOB_NOT_FOUND' });
      assert.equal((await indexer.cancel(id, signal)).state, 'succeeded', 'a job that ended stays as it ended');
      const ids = [];
      for (let n = 0; n < 21; n += 1) ids.unshift((await run()).id);
      assertEach(indexer.jobs().slice(0, 20), (job) => job.id, ids.slice(0, 20));
    },
  );

  indexed('reports a note that does not exist as missing', async ({ folder, run }) => {
    folder.put('Note.md', '');
    await run();
    const job = await run({ kind: 'notes', paths: ['Nowhere.md', 'Note.md'] });
    assertEach(job.failures, ({ id, error }) => [id, error.code], [['Nowhere.md', 'FILE_UNREADABLE']]);
  });

  indexed('reads only the named notes, and removes only those', async ({ folder, store, run }) => {
    fill(folder, 10);
    await run();
    folder.remove('area 1/Note 1.md');
    folder.remove('area 2/Note 2.md');
    folder.put('New.md', 'new');
    folder.put('Newer.md', 'newer');
    const job = await run({ kind: 'notes', paths: ['area 1/Note 1.md', 'New.md'] });
    ok(job);
    const paths = await pathsOf(store);
    assert.deepEqual(
      ['area 1/Note 1.md', 'area 2/Note 2.md', 'New.md', 'Newer.md'].map((path) => paths.includes(path)),
      [false, true, true, false],
    );
  });

  indexed('a rebuild equals a cold index', async (under) => {
    fill(under.folder, 100);
    await under.run();
    under.folder.remove('area 1/Note 1.md');
    const job = await under.run({ kind: 'rebuild' });
    assert.deepEqual([job.state, job.counts.changed], ['succeeded', 99]);
    assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
  });

  indexed('refuses to start once it is closed', async ({ indexer, close }) => {
    await close();
    await assert.rejects(indexer.start({ kind: 'catch_up' }), { code: 'SHUTTING_DOWN' });
  });
});

describe('a server that takes the lead', () => {
  indexed('begins at the next poll if the store fails at first', async ({ folder, store, indexer }) => {
    fill(folder, 3);
    const { keptJobs } = store;
    let failures = 0;
    const failing: Store['keptJobs'] = async (...given) => {
      if (indexer.state().role !== 'leader' || failures === 2) return keptJobs(...given);
      failures += 1;
      throw new VaultgraphError('STORE_BUSY', { op: 'read', waited_ms: 5_000 });
    };
    Object.assign(store, { keptJobs: failing });
    indexer.attend();
    await until(() => indexer.state().watching.mode !== 'off', 'the vault is watched');
    assert.equal(failures, 2);
    folder.put('Late.md', 'lateword');
    await until(async () => (await found(store, 'lateword')).length === 1, 'a change is indexed');
  });
});
