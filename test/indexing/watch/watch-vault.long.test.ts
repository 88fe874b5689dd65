// Tests that the index follows changes by editors, sync clients and git, and reports when it cannot.
import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VaultEvent } from '../../../src/contracts/vault.ts';
import { assertEach } from '../../assert-each.ts';
import { eventually } from '../../contracts/vault.ts';
import { coldRebuild, contentOf, found, signal } from '../index-under-test.ts';
import { type WatchUnderTest, withWatch } from './watch-under-test.ts';

async function followsWhole(under: WatchUnderTest): Promise<void> {
  await under.caughtUp();
  assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
}

async function finds(under: WatchUnderTest, word: string, paths: readonly string[]): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const now = await found(under.store, word);
    if (JSON.stringify(now) === JSON.stringify(paths)) return;
    if (performance.now() > deadline) assert.deepEqual(now, paths);
    await sleep(10);
  }
}

function fill({ folder }: WatchUnderTest, notes: number): void {
  for (let n = 0; n < notes; n += 1)
    folder.put(`area ${n % 7}/Note ${n}.md`, `[[Note ${n + 1}]] word${n} #t${n % 3}\n`);
}

test('an external save is indexed within a second after the settle time, by one job for one path', () =>
  withWatch(async (under) => {
    fill(under, 50);
    await under.begun();
    const before = under.looks.length;
    under.folder.put('area 3/Note 3.md', 'harbour\n');
    await finds(under, 'harbour', ['area 3/Note 3.md']);
    await under.quiet();
    assert.deepEqual(
      under.looks.slice(before).filter((look) => 'scan' in look),
      [],
    );
    assert.ok(under.looks.slice(before).every((look) => 'paths' in look && look.paths.join() === 'area 3/Note 3.md'));
    assert.equal(under.watch.state.mode, 'events');
  }));

const SAVES: Readonly<Record<string, (path: string, text: string) => void>> = {
  'truncate and write': (path, text) => writeFileSync(path, text),
  append: (path, text) => appendFileSync(path, text),
  'a temporary file renamed over it': (path, text) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  'a temporary file in a hidden name': (path, text) => {
    const hidden = path.replace(/[^/]+$/, (name) => `.${name}.swp`);
    writeFileSync(hidden, text);
    renameSync(hidden, path);
  },
  'a backup renamed away and a new file': (path, text) => {
    renameSync(path, `${path}~`);
    writeFileSync(path, text);
    rmSync(`${path}~`);
  },
  'remove and create': (path, text) => {
    rmSync(path);
    writeFileSync(path, text);
  },
};

for (const [title, save] of Object.entries(SAVES)) {
  test(`V11 follows a save by ${title}`, () =>
    withWatch(async (under) => {
      fill(under, 30);
      await under.begun();
      for (const turn of ['eins', 'zwei', 'drei']) {
        save(join(under.folder.root, 'area 2/Note 2.md'), `${turn}\n`);
        await finds(under, turn, ['area 2/Note 2.md']);
      }
      await followsWhole(under);
    }));
}

test('V11 follows folders that move, nest, disappear and swap places with files', () =>
  withWatch(async (under) => {
    const { folder } = under;
    const at = (path: string): string => join(folder.root, path);
    fill(under, 40);
    await under.begun();
    folder.put('deep/er/est/Note.md', 'abyss');
    await finds(under, 'abyss', ['deep/er/est/Note.md']);
    folder.put('deep/er/est/Other.md', 'trench');
    await finds(under, 'trench', ['deep/er/est/Other.md']);
    folder.move('deep', 'sea/deep');
    await finds(under, 'abyss', ['sea/deep/er/est/Note.md']);
    folder.put('sea/deep/er/est/Note.md', 'kelp');
    await finds(under, 'kelp', ['sea/deep/er/est/Note.md']);
    await finds(under, 'abyss', []);
    folder.remove('area 1/Note 1.md');
    folder.put('area 1/Note 1.md/Inside.md', 'burrow');
    await finds(under, 'burrow', ['area 1/Note 1.md/Inside.md']);
    folder.remove('area 1/Note 1.md');
    folder.put('area 1/Note 1.md', 'surface');
    await finds(under, 'surface', ['area 1/Note 1.md']);
    renameSync(at('area 2/Note 2.md'), at('area 2/NOTE 2.md'));
    rmSync(at('area 3'), { recursive: true });
    renameSync(at('sea'), join(folder.outside, 'sea'));
    mkdirSync(at('empty'));
    await followsWhole(under);
    folder.put('empty/Late.md', 'late');
    await finds(under, 'late', ['empty/Late.md']);
    renameSync(join(folder.outside, 'sea'), at('back'));
    await finds(under, 'kelp', ['back/deep/er/est/Note.md']);
    folder.put('back/deep/er/est/Third.md', 'third');
    await finds(under, 'third', ['back/deep/er/est/Third.md']);
    await followsWhole(under);
  }));

test('V11 after 2,000 events, many during a job, and renames across batches the index equals a cold rebuild', () =>
  withWatch(async (under) => {
    const { folder, looks } = under;
    fill(under, 2_000);
    await under.begun();
    const before = looks.length;
    for (let n = 0; n < 2_000; n += 1) {
      folder.put(`area ${n % 7}/Note ${n}.md`, `changed${n} [[Note ${n + 3}]]\n`);
      if (n % 100 === 0) folder.move(`area ${n % 7}/Note ${n}.md`, `moved/Note ${n}.md`);
      if (n % 250 === 0) await sleep(40);
    }
    for (let n = 0; n < 2_000; n += 100) folder.move(`moved/Note ${n}.md`, `again/Note ${n} b.md`);
    await followsWhole(under);
    assert.ok(looks.length - before < 60, `${looks.length - before} looks`);
  }));

test('a burst of thousands of events becomes few jobs', () =>
  withWatch(async (under) => {
    fill(under, 3_000);
    await under.begun();
    const before = under.looks.length;
    for (let n = 0; n < 3_000; n += 1) under.folder.put(`area ${n % 7}/Note ${n}.md`, `other${n}\n`);
    await under.quiet();
    assert.ok(under.looks.length - before < 20, `${under.looks.length - before} looks`);
    assert.deepEqual(await found(under.store, 'other2999'), ['area 3/Note 2999.md']);
  }));

test('excluded files cause no job, and symbolic links are not followed', () =>
  withWatch(
    async (under) => {
      const { folder, looks } = under;
      const at = (path: string): string => join(folder.root, path);
      fill(under, 10);
      folder.put('.git/objects/aa', 'x');
      mkdirSync(join(folder.outside, 'elsewhere'));
      symlinkSync(join(folder.outside, 'elsewhere'), at('link'));
      await under.begun();
      const before = looks.length;
      folder.put('.git/objects/bb', 'x');
      folder.put('Archive/Old.md', 'x');
      folder.put('.vaultgraph.tmp', 'x');
      folder.put('area 1/.Note 1.md.abc.tmp', 'x');
      folder.put('node_modules/p/Read me.md', 'x');
      writeFileSync(join(folder.outside, 'elsewhere', 'Beyond.md'), 'x');
      await under.quiet();
      assert.deepEqual(
        looks.slice(before).flatMap((look) => ('paths' in look ? look.paths : ['scan'])),
        [],
      );
    },
    { exclude: ['Archive/**'] },
  ));

test('V2 a cloud stub and a conflict copy are noticed by the watcher, and reported', () =>
  withWatch(async (under) => {
    const { folder, store } = under;
    fill(under, 10);
    await under.begun();
    folder.remove('area 1/Note 1.md');
    folder.put('area 1/.Note 1.md.icloud', 'stub');
    folder.put("area 2/Note 2 (Ann's conflicted copy 2026-11-21).md", 'both sides');
    await finds(under, 'both', ["area 2/Note 2 (Ann's conflicted copy 2026-11-21).md"]);
    await under.quiet();
    const [copy] = await store.notes(["area 2/Note 2 (Ann's conflicted copy 2026-11-21).md"] as never, signal);
    assert.equal(copy?.conflictCopy, true);
    const rows = await store.quarantine({ limit: 10, offset: 0 }, signal);
    assertEach(rows, ({ path, phase, code }) => [path, phase, code], [['area 1/Note 1.md', 'list', 'FILE_UNREADABLE']]);
    assert.deepEqual(await found(store, 'word1'), ['area 1/Note 1.md']);
    await followsWholeButKept(under);
  }));

/** The index keeps what it knew of a note that is in the cloud; a cold one never knew it. */
async function followsWholeButKept({ store }: WatchUnderTest): Promise<void> {
  assert.equal((await store.counts(signal)).quarantined, 1);
}

test(
  'V2 an unreadable folder does not stop the watch, and its notes are kept',
  { skip: process.getuid?.() === 0 },
  () =>
    withWatch(async (under) => {
      const { folder } = under;
      fill(under, 20);
      await under.begun();
      chmodSync(join(folder.root, 'area 1'), 0);
      try {
        folder.put('area 2/Note 2.md', 'seen');
        await finds(under, 'seen', ['area 2/Note 2.md']);
        await under.quiet();
        assert.deepEqual(await found(under.store, 'word1'), ['area 1/Note 1.md']);
        assert.equal(under.watch.state.mode, 'events');
      } finally {
        chmodSync(join(folder.root, 'area 1'), 0o755);
      }
      await followsWhole(under);
    }),
);

test('V1 when the root disappears the index keeps its rows, polling reports why, and watching resumes when it is back', () =>
  withWatch(async (under) => {
    const { folder, watch, store, indexer } = under;
    fill(under, 30);
    await under.begun();
    const rows = await contentOf(store);
    folder.vanish();
    await eventually(
      () => watch.state.mode === 'polling',
      () => JSON.stringify(watch.state),
    );
    assert.match(watch.state.reason ?? '', /^(?:ENOENT|ESTALE)$/);
    await eventually(
      () => indexer.state().lastError?.code === 'VAULT_UNAVAILABLE',
      () => String(indexer.state().lastError),
    );
    assert.equal(indexer.state().freshness, 'unknown');
    assert.deepEqual(await contentOf(store), rows);
    folder.comeBack();
    await eventually(
      () => watch.state.mode === 'events',
      () => JSON.stringify(watch.state),
    );
    folder.put('area 1/Note 1.md', 'returned');
    await finds(under, 'returned', ['area 1/Note 1.md']);
    await followsWhole(under);
  }));

test('V1 an empty folder in place of the vault blocks the index without changes until the vault is back', () =>
  withWatch(async (under) => {
    const { folder, watch, store, indexer } = under;
    fill(under, 30);
    await under.begun();
    const rows = await contentOf(store);
    folder.vanish();
    mkdirSync(folder.root);
    await eventually(
      () => indexer.state().lastError?.code === 'MASS_DELETE_BLOCKED',
      () => String(indexer.state().lastError),
    );
    assert.deepEqual(await contentOf(store), rows);
    rmSync(folder.root, { recursive: true });
    folder.comeBack();
    await eventually(
      () => indexer.state().freshness === 'fresh' && watch.state.mode === 'events',
      () => JSON.stringify(watch.state),
    );
    await followsWhole(under);
  }));

test('V1 hints that 60 % of the notes are deleted are blocked like a scan', () =>
  // Deletions seen in two heaps may each be few enough.
  withWatch(
    async (under) => {
      const { folder, store, indexer } = under;
      fill(under, 50);
      await under.begun();
      for (let n = 0; n < 30; n += 1) rmSync(join(folder.root, `area ${n % 7}/Note ${n}.md`));
      await eventually(
        () => indexer.state().lastError?.code === 'MASS_DELETE_BLOCKED',
        () => String(indexer.state().lastError),
      );
      assert.equal((await store.counts(signal)).notes, 50);
      assert.ok(under.watch.state.pending > 0);
      await under.run({ kind: 'catch_up', confirmed: true });
      assert.equal((await store.counts(signal)).notes, 20);
      await followsWhole(under);
    },
    { times: { settle: 1_000, maxSettle: 10_000 } },
  ));

test('V12 without a watcher the vault is polled, and the watcher is tried again', () => {
  let reason: string | undefined = 'ENOSPC';
  return withWatch(
    async (under) => {
      const { folder, watch } = under;
      fill(under, 20);
      await under.begun();
      assert.deepEqual([watch.state.mode, watch.state.reason], ['polling', 'ENOSPC']);
      folder.put('area 1/Note 1.md', 'polled');
      await finds(under, 'polled', ['area 1/Note 1.md']);
      reason = undefined;
      await eventually(
        () => watch.state.mode === 'events',
        () => JSON.stringify(watch.state),
      );
      assert.equal(watch.state.reason, undefined);
      folder.put('area 1/Note 1.md', 'watched');
      await finds(under, 'watched', ['area 1/Note 1.md']);
      assert.ok(under.logged.some((line) => line.startsWith('watch_ended') && line.includes('ENOSPC')));
    },
    {
      between: (vault) => ({
        watch: async (onEvent, given) => {
          if (reason === undefined) return vault.watch(onEvent, given);
          onEvent({ kind: 'ended', reason });
          return { close: async () => undefined };
        },
      }),
    },
  );
});

test('a periodic scan finds changes without events', () =>
  withWatch(
    async (under) => {
      fill(under, 20);
      await under.begun();
      under.folder.put('area 1/Note 1.md', 'untold');
      await finds(under, 'untold', ['area 1/Note 1.md']);
    },
    {
      times: { sweep: 300 },
      between: () => ({ watch: async () => ({ close: async () => undefined }) }),
    },
  ));

test('a scan after hints finds a change that the watcher missed', () => {
  const withoutOne = (sign: VaultEvent): VaultEvent =>
    sign.kind === 'hints' ? { ...sign, paths: sign.paths.filter((path) => !path.endsWith('Note 1.md')) } : sign;
  return withWatch(
    async (under) => {
      fill(under, 20);
      await under.begun();
      under.folder.put('area 1/Note 1.md', 'untold');
      under.folder.put('area 2/Note 2.md', 'told');
      await finds(under, 'untold', ['area 1/Note 1.md']);
    },
    {
      times: { rescan: 300 },
      between: (vault) => ({ watch: (onEvent, given) => vault.watch((sign) => onEvent(withoutOne(sign)), given) }),
    },
  );
});

test('hints during a job are processed after it, and count as pending until then', () =>
  withWatch(async (under) => {
    const { folder, watch } = under;
    fill(under, 600);
    await under.begun();
    for (let n = 0; n < 300; n += 1) folder.put(`area ${n % 7}/Note ${n}.md`, `first${n}\n`);
    await eventually(
      () => watch.state.pending > 0,
      () => 'nothing was ever pending',
    );
    assert.ok(watch.state.oldestAt !== undefined);
    for (let n = 0; n < 300; n += 1) folder.put(`area ${n % 7}/Note ${n}.md`, `second${n}\n`);
    await followsWhole(under);
    assert.deepEqual(await found(under.store, 'first7'), []);
    assert.equal(watch.state.oldestAt, undefined);
  }));

test('a copied tree with hundreds of folders is followed to its leaves, also later', () =>
  withWatch(async (under) => {
    const { folder } = under;
    for (let n = 0; n < 200; n += 1) folder.put(`tree/${n % 10}/${n % 40}/${n}/Leaf ${n}.md`, `leaf${n}\n`);
    await under.begun();
    cpSync(join(folder.root, 'tree'), join(folder.root, 'copy'), { recursive: true });
    await followsWhole(under);
    folder.put('copy/7/7/47/Leaf 47.md', 'blossom');
    await finds(under, 'blossom', ['copy/7/7/47/Leaf 47.md']);
  }));

test('before start and after stop the watch is off, and no job runs', () =>
  withWatch(async (under) => {
    const { folder, watch, looks } = under;
    assert.deepEqual(watch.state, { mode: 'off', pending: 0 });
    await under.begun();
    await watch.stop();
    const before = looks.length;
    folder.put('After.md', 'x');
    await sleep(400);
    assert.deepEqual([watch.state, looks.length], [{ mode: 'off', pending: 0 }, before]);
    watch.start();
    await finds(under, 'x', ['After.md']);
  }));
