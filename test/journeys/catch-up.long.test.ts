// Checks that the index follows changes made while no server ran, by `reindex` while one runs, and for single notes.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { copyOfFixture, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

interface Kept {
  readonly vault: string;
  readonly dataFolder: string;
}

function indexedVault(context: TestContext): Kept {
  const kept = { vault: copyOfFixture(context, 'tiny'), dataFolder: temporaryFolder(context) };
  const { status } = runProgram(context, ['index', '--vault', kept.vault, '--data-dir', kept.dataFolder]);
  assert.equal(status, 0);
  return kept;
}

async function pathsFor(session: Session, query: string): Promise<string[]> {
  const { structured } = await session.call('search_text', { query, limit: 100 });
  return structured.data.hits.map(({ path }: { path: string }) => path).sort();
}

/** Checks that the index gives the same answers as a fresh index of the same vault. */
function assertAsFresh(context: TestContext, { vault, dataFolder }: Kept): void {
  const exported = (folder: string): string =>
    runProgram(context, ['export', '--vault', vault, '--data-dir', folder]).stdout;
  assert.equal(exported(dataFolder), exported(temporaryFolder(context)));
}

/** Replaces the text by one of the same length and restores the time stamp, so that a directory listing shows no change. */
function editUnseen(file: string, from: string, to: string): void {
  assert.equal(from.length, to.length);
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  utimesSync(file, atime, mtime);
}

const OFFLINE: readonly {
  readonly name: string;
  change(vault: string): void;
  check(session: Session): Promise<void>;
}[] = [
  {
    name: 'an edit',
    change: (vault) => writeFileSync(join(vault, 'Ideas/Unsorted.md'), 'now about zeppelins, see [[Harbour]]\n'),
    check: async (session) => {
      assert.deepEqual(await pathsFor(session, 'zeppelins'), ['Ideas/Unsorted.md']);
      assert.deepEqual(await pathsFor(session, 'pencil'), []);
      const orphans = await session.call('find_gaps', { kind: 'orphans' });
      assert.equal(orphans.structured.data.total, 0);
    },
  },
  {
    name: 'a new note that is the target of an unresolved link',
    change: (vault) => writeFileSync(join(vault, 'Log/2019-02-10.md'), 'the storm of that year\n'),
    check: async (session) => {
      assert.equal((await session.call('find_gaps', { kind: 'unresolved' })).structured.data.total, 0);
      assert.deepEqual(await pathsFor(session, '"that year"'), ['Log/2019-02-10.md']);
    },
  },
  {
    name: 'a deletion',
    change: (vault) => rmSync(join(vault, 'People/Ada Finch.md')),
    check: async (session) => {
      const { structured } = await session.call('resolve_names', { names: ['Ada Finch'] });
      assert.equal(structured.error.code, 'BATCH_FAILED');
      const gaps = (await session.call('find_gaps', { kind: 'unresolved' })).structured.data.gaps;
      assert.ok(gaps.some(({ name }: { name: string }) => name === 'Ada Finch'));
      const orphaned = await session.call('read_notes', { notes: ['People/Ada Finch.md'] });
      assert.equal(orphaned.isError, true);
    },
  },
  {
    name: 'a move into another folder',
    change: (vault) => {
      mkdirSync(join(vault, 'New/Deep'), { recursive: true });
      renameSync(join(vault, 'Places/Harbour.md'), join(vault, 'New/Deep/Harbour.md'));
    },
    check: async (session) => {
      const { structured } = await session.call('get_neighbors', { note: 'Harbour', direction: 'in' });
      assert.equal(structured.data.path, 'New/Deep/Harbour.md');
      assert.ok(structured.data.total >= 6);
    },
  },
  {
    name: 'a case-only rename',
    change: (vault) => renameSync(join(vault, 'Places/Lighthouse.md'), join(vault, 'Places/LightHouse.md')),
    check: async (session) => {
      const { structured } = await session.call('resolve_names', { names: ['lighthouse'] });
      assert.equal(structured.data.succeeded[0].result.path, 'Places/LightHouse.md');
    },
  },
  {
    name: 'a note that became a folder, and one that became an attachment',
    change: (vault) => {
      rmSync(join(vault, 'Ideas/Unsorted.md'));
      mkdirSync(join(vault, 'Ideas/Unsorted.md'));
      writeFileSync(join(vault, 'Ideas/Unsorted.md/Within.md'), 'inside of it\n');
      renameSync(join(vault, 'Ideas/Signal code.md'), join(vault, 'Ideas/Signal code.pdf'));
    },
    check: async (session) => {
      assert.deepEqual(await pathsFor(session, '"inside of it"'), ['Ideas/Unsorted.md/Within.md']);
      assert.deepEqual(await pathsFor(session, 'flashes'), []);
    },
  },
  {
    name: 'an edit of the same length with a newer time stamp only',
    change: (vault) => {
      const file = join(vault, 'Ideas/Unsorted.md');
      editUnseen(file, 'float', 'glass');
      utimesSync(file, new Date(), new Date(Date.now() + 1_000));
    },
    check: async (session) => assert.deepEqual(await pathsFor(session, 'glass'), ['Ideas/Unsorted.md']),
  },
  {
    name: 'an edit with an older time stamp, as in a restored backup',
    change: (vault) => {
      const file = join(vault, 'Ideas/Unsorted.md');
      writeFileSync(file, 'restored words\n');
      utimesSync(file, 1_000_000_000, 1_000_000_000);
    },
    check: async (session) => assert.deepEqual(await pathsFor(session, 'restored'), ['Ideas/Unsorted.md']),
  },
];

for (const { name, change, check } of OFFLINE) {
  test(`catch-up: ${name} while the server was down is in the index after the next start`, async (context) => {
    const kept = indexedVault(context);
    change(kept.vault);
    const session = await openSession(context, kept);
    const job = await session.indexed();
    assert.equal(job.state, 'succeeded');
    await check(session);
    await session.close();
    assertAsFresh(context, kept);
  });

  test(`catch-up: ${name} while the server runs is in the index after reindex`, async (context) => {
    const kept = indexedVault(context);
    const session = await openSession(context, kept);
    await session.indexed();
    change(kept.vault);
    await session.indexed();
    await check(session);
  });
}

test('catch-up: an edit that changes neither size nor time stamp is found by the first scan, and named notes are read again', async (context) => {
  const { vault, dataFolder } = indexedVault(context);
  // Whole seconds, so that the time stamp can be restored exactly.
  utimesSync(join(vault, 'Ideas/Unsorted.md'), 1_700_000_000, 1_700_000_000);
  const before = await openSession(context, { vault, dataFolder });
  await before.indexed();
  await before.close();
  // Made while no server watches the vault: a running server would be notified of it.
  editUnseen(join(vault, 'Ideas/Unsorted.md'), 'float', 'glass');
  const session = await openSession(context, { vault, dataFolder });
  assert.equal((await session.indexed()).counts.changed, 1);
  assert.deepEqual(await pathsFor(session, 'glass'), ['Ideas/Unsorted.md']);
  const { structured } = await session.call('reindex', { notes: ['Unsorted'], wait_ms: 45_000 });
  assert.deepEqual([structured.data.kind, structured.data.state], ['notes', 'succeeded']);
  assert.deepEqual(await pathsFor(session, 'glass'), ['Ideas/Unsorted.md']);
});

test('catch-up: reindex of named notes adds a new note and removes a deleted one', async (context) => {
  const { vault, dataFolder } = indexedVault(context);
  const session = await openSession(context, { vault, dataFolder });
  await session.indexed();
  writeFileSync(join(vault, 'Brand new.md'), 'a newcomer links to [[Harbour]]\n');
  rmSync(join(vault, 'Ideas/Unsorted.md'));
  const { structured } = await session.call('reindex', {
    notes: ['Brand new.md', 'Ideas/Unsorted.md'],
    wait_ms: 45_000,
  });
  assert.equal(structured.data.state, 'succeeded');
  assert.deepEqual(await pathsFor(session, 'newcomer'), ['Brand new.md']);
  assert.deepEqual(await pathsFor(session, 'pencil'), []);
});

test('catch-up: a note is read from disk in its current version, even before it is indexed', async (context) => {
  const { vault, dataFolder } = indexedVault(context);
  const session = await openSession(context, { vault, dataFolder });
  await session.indexed();
  writeFileSync(join(vault, 'Ideas/Unsorted.md'), 'just now\n');
  writeFileSync(join(vault, 'Unknown.md'), 'not met yet\n');
  const { structured } = await session.call('read_notes', { notes: ['Unsorted', 'Unknown.md', 'Unknown'] });
  const contents = structured.data.succeeded.map(({ result }: { result: { content: string } }) => result.content);
  assert.deepEqual(contents, ['just now\n', 'not met yet\n', 'not met yet\n']);
});

test('catch-up: a rebuild requires confirm and gives the same index', async (context) => {
  const kept = indexedVault(context);
  const session = await openSession(context, kept);
  await session.indexed();
  const listed = (await session.call('list_notes', { limit: 100, detail: 'full' })).structured.data;
  const { structured } = await session.call('reindex', { rebuild: true, confirm: true, wait_ms: 45_000 });
  assert.deepEqual([structured.data.kind, structured.data.state], ['rebuild', 'succeeded']);
  assert.deepEqual((await session.call('list_notes', { limit: 100, detail: 'full' })).structured.data, listed);
  await session.close();
  assertAsFresh(context, kept);
});

test('catch-up: folders are removed from the index when the config excludes them, and added again when it does not', async (context) => {
  const { vault, dataFolder } = indexedVault(context);
  const place = ['--vault', vault, '--data-dir', dataFolder];
  const config = join(temporaryFolder(context), 'config.yaml');
  writeFileSync(config, 'vault: { exclude: ["Log/**"] }\n');
  const listed = (...more: string[]): string =>
    runProgram(context, ['call', 'list_notes', '{"folder":"Log"}', ...place, ...more]).stdout;
  assert.equal(JSON.parse(listed()).data.total, 2);
  assert.equal(JSON.parse(listed('--config', config)).data.total, 0);
  assert.equal(JSON.parse(listed()).data.total, 2);
});
