// Edits a vault over stdio: dry runs, undo, refused writes, and the index after each write.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { isLong } from '../runner/effort.ts';
import { holdWriteLock } from './provoking-vault.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { bytesOf, type Call, copyVault, roundTrip } from './round-trip.ts';
import {
  configFile,
  copyOfFixture,
  openSession,
  REAL_VAULTS,
  runProgram,
  type Session,
  temporaryFolder,
} from './session.ts';

interface Writing extends Session {
  readonly vault: string;
  readonly config: string;
  text(path: string): string;
  /** The `data` of a call that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
  done(tool: string, given: Record<string, unknown>): Promise<any>;
  /** The error of a call that fails with this code. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  refused(tool: string, given: Record<string, unknown>, code: string): Promise<any>;
}

async function writing(
  context: TestContext,
  vault = copyOfFixture(context, 'tiny'),
  dataFolder = temporaryFolder(context),
): Promise<Writing> {
  const config = configFile(
    context,
    `vault: { path: ${JSON.stringify(vault)}, access: read-write, dialect: obsidian }\n`,
  );
  const session = await openSession(context, { config, dataFolder });
  await session.indexed();
  const text = (path: string): string => readFileSync(join(vault, path), 'utf8');
  const done: Writing['done'] = async (tool, given) => {
    const { structured, isError, text: said } = await session.call(tool, given);
    assert.equal(isError, false, `${tool} ${JSON.stringify(given)}: ${said}`);
    return structured.data;
  };
  const refused: Writing['refused'] = async (tool, given, code) => {
    const { structured, isError, text: said } = await session.call(tool, given);
    assert.equal(isError, true, `${tool} ${JSON.stringify(given)} was not refused: ${said}`);
    assert.equal(structured.error.code, code, said);
    return structured.error;
  };
  return { ...session, vault, config, text, done, refused };
}

const EVERY_WRITE = [
  ['create_note', { path: 'New/Note', content: 'see [[Harbour]]\n', properties: { tags: ['sea'] } }],
  ['edit_note', { note: 'Harbour', edits: [{ op: 'append', target: '#Weather', text: 'and the sky' }] }],
  ['set_properties', { note: 'Harbour', set: { berths: 15 }, add_tags: ['sea'], remove: ['aliases'], confirm: true }],
  ['move_note', { note: 'Harbour', to: 'Coast/Old port', confirm: true }],
  ['move_note', { note: 'Places', to: 'Coast', confirm: true }],
  ['delete_note', { note: 'Lighthouse', confirm: true }],
] as const;

test('each write is previewed by a dry run, applied by its plan, found at once, logged, and undone exactly', async (context) => {
  const { vault, done, refused, config, dataFolder, close } = await writing(context);
  const before = bytesOf(vault);
  const ids: string[] = [];
  for (const [tool, given] of EVERY_WRITE) {
    const shown = await done(tool, { ...given, dry_run: true });
    assert.deepEqual(bytesOf(vault), before, `${tool}: a dry run writes nothing`);
    assert.match(shown.diff ?? shown.from, /^(?:--- |Harbour\.md$|Places\/$)/);
    const written = await done(tool, { plan_id: shown.plan_id });
    assert.deepEqual([written.path, written.etag], [shown.path, shown.etag]);
    assert.equal(written.diff, undefined, 'the dry run has shown it');
    if (written.etag !== undefined) {
      const read = await done('read_notes', { notes: [written.path] });
      assert.equal(read.succeeded[0].result.etag, written.etag);
    }
    const listed = await done('list_notes', { limit: 100 });
    const notes = Object.keys(bytesOf(vault)).filter((path) => /\.(?:md|canvas)$/.test(path));
    assert.deepEqual(
      listed.notes.map(({ path }: { path: string }) => path).toSorted(),
      notes,
      `${tool}: the index knows`,
    );
    await done('undo_change', { change_id: written.change_id });
    assert.deepEqual(bytesOf(vault), before, `${tool}: every byte is back`);
    await refused('undo_change', { change_id: written.change_id }, 'CHANGE_NOT_FOUND');
    ids.push(written.change_id);
  }
  await close();
  const { stdout } = runProgram(context, [
    'changes',
    '--config',
    config,
    '--data-dir',
    dataFolder,
    '--json',
    '--limit',
    '100',
  ]);
  const { changes } = JSON.parse(stdout);
  assert.equal(changes.length, 2 * EVERY_WRITE.length);
  assert.deepEqual([...new Set(changes.map((change: { client: string }) => change.client))], ['vaultgraph-test']);
  const undos = changes.filter((change: { undoes?: string }) => change.undoes !== undefined);
  assert.deepEqual(undos.map((change: { undoes: string }) => change.undoes).toSorted(), ids.toSorted());
  for (const change of changes.filter(({ id }: { id: string }) => ids.includes(id))) {
    assert.equal(undos.find(({ id }: { id: string }) => id === change.undone_by)?.undoes, change.id);
    for (const { before: was, after: is } of change.files)
      assert.ok(was === null || is === null || was.length === is.length);
  }
});

test("V5 a stale etag: text and structured content show the diff since the read, and the other program's text stays in the vault", async (context) => {
  const session = await writing(context);
  const { vault, done, text } = session;
  const { etag } = (await done('read_notes', { notes: ['Harbour'] })).succeeded[0].result;
  const theirs = `${text('Places/Harbour.md')}A line of theirs.\n`;
  writeFileSync(join(vault, 'Places/Harbour.md'), theirs);
  const given = { note: 'Harbour', if_match: etag, edits: [{ op: 'append', text: 'A line of mine.' }] };
  const { structured, text: said } = await session.call('edit_note', given);
  assert.equal(structured.error.code, 'WRITE_CONFLICT');
  assert.match(structured.error.details.diff, /^\+A line of theirs\.$/m);
  assert.match(said, /^Diff:\n--- Places\/Harbour\.md\n(?:.*\n)*\+A line of theirs\.\nError-Id: /m);
  assert.equal(text('Places/Harbour.md'), theirs);
  const again = await done('edit_note', { ...given, if_match: structured.error.details.current_etag });
  assert.match(text('Places/Harbour.md'), /theirs\.\n\nA line of mine\.\n$/);
  await session.refused('edit_note', { ...given, if_match: etag }, 'WRITE_CONFLICT');
  assert.doesNotMatch(session.stderr(), /line of/, 'no text of a note is logged');
  assert.ok(again.change_id);
});

test('V6 V16 writes check the disk and not the index; destructive writes require confirmation', async (context) => {
  const { vault, refused } = await writing(context);
  writeFileSync(join(vault, 'Late.md'), 'late');
  const before = bytesOf(vault);
  const { details } = await refused('create_note', { path: 'Late', content: 'x' }, 'NOTE_EXISTS');
  assert.equal(details.path, 'Late.md');
  assert.match(details.etag, /^[0-9a-f]{12}$/);
  await refused('move_note', { note: 'Unsorted', to: 'Late' }, 'NOTE_EXISTS');
  const { hint, details: touched } = await refused(
    'move_note',
    { note: 'Harbour', to: 'Port' },
    'CONFIRMATION_REQUIRED',
  );
  assert.match(hint, /dry_run: true/);
  assert.ok(touched.affected.includes('Places/Lighthouse.md (1 link)'), JSON.stringify(touched));
  await refused('delete_note', { note: 'Harbour' }, 'CONFIRMATION_REQUIRED');
  await refused('set_properties', { note: 'Harbour', remove: ['berths'] }, 'CONFIRMATION_REQUIRED');
  await refused(
    'edit_note',
    { note: 'Harbour', edits: [{ op: 'replace_text', target: 'quay floods', text: '' }] },
    'CONFIRMATION_REQUIRED',
  );
  assert.deepEqual(bytesOf(vault), before);
});

test('V15 if a linking note cannot be written, nothing moves, also with allow_broken', async (context) => {
  const { vault, refused } = await writing(context);
  const locked = 'Places/Lighthouse.md';
  chmodSync(join(vault, locked), 0o444);
  const before = bytesOf(vault);
  for (const allowed of [{}, { allow_broken: true }]) {
    const move = { note: 'Harbour', to: 'Port', confirm: true, ...allowed };
    const { details } = await refused('move_note', move, 'FILE_WRITE_FAILED');
    assert.deepEqual([details.path, details.errno], [locked, 'EACCES']);
    assert.deepEqual(bytesOf(vault), before);
  }
});

test('V8 a write is kept if the index cannot be updated, reports it, and is found later', async (context) => {
  const session = await writing(context);
  const release = holdWriteLock(context, session.dataFolder);
  const { structured, text: said } = await session.call('create_note', { path: 'Pending', content: 'barnacle' });
  assert.equal(structured.ok, true, said);
  assert.equal(session.text('Pending.md'), 'barnacle');
  assert.match(said, /^Warning \[INDEX_PENDING\]: the change is written, but not in the index yet/m);
  release();
  await session.indexed();
  assert.equal((await session.done('search_text', { query: 'barnacle' })).total, 1);
});

/** The target of every resolved link, by its note and its position among that note's links. */
function linkTargets(
  context: TestContext,
  config: string,
  dataFolder: string,
): Map<string, readonly (string | null)[]> {
  const { stdout, status, stderr } = runProgram(context, ['export', '--config', config, '--data-dir', dataFolder]);
  assert.ok(status === 0 || status === 2, stderr);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; links: { path: string | null }[] });
  return new Map(rows.map(({ path, links }) => [path, links.map((link) => link.path)]));
}

async function linksFollow(
  context: TestContext,
  vault: string,
  moves: readonly (readonly [note: string, to: string])[],
): Promise<void> {
  const session = await writing(context, vault);
  const { done, config, dataFolder, indexed } = session;
  let before = linkTargets(context, config, dataFolder);
  const start = bytesOf(vault);
  for (const [note, to] of moves) {
    const moved = await done('move_note', { note, to, confirm: true });
    const renamed = (path: string): string => {
      if (!moved.from.endsWith('/')) return path === moved.from ? moved.path : path;
      return path.startsWith(moved.from) ? `${moved.path}${path.slice(moved.from.length)}` : path;
    };
    await indexed();
    const after = linkTargets(context, config, dataFolder);
    for (const [path, targets] of before) {
      const wanted = targets.map((target) => (target === null ? null : renamed(target)));
      const found = after.get(renamed(path)) ?? [];
      // An unresolved link may resolve to the new name.
      for (const [at, target] of wanted.entries())
        if (target !== null) assert.equal(found[at], target, `${note} → ${to}: link ${at} of ${path}`);
      assert.equal(found.length, wanted.length, path);
    }
    before = after;
  }
  for (const _move of moves) await done('undo_change', {});
  assert.deepEqual(bytesOf(vault), start, 'all moves undone, every byte is back');
}

test('after each move every link resolves to the same file, in a fixture', (context) =>
  linksFollow(context, copyOfFixture(context, 'tiny'), [
    ['Harbour', 'Ideas/The harbour (old)'],
    ['Places', 'Log/Places'],
    ['Ada Finch', 'People/ada finch'],
    ['2026-11-20', 'Archive/2026/'],
    ['Log/', 'Diary'],
    ['Board.canvas', 'Boards/Board'],
  ]));

const REAL = REAL_VAULTS.find((path) => basename(path) === 'black-sun-lodge');

test('after each move every link resolves to the same file, in a vault with many equal names', {
  skip: REAL === undefined && 'the vaults are not there',
}, (context) => {
  const vault = join(temporaryFolder(context), 'vault');
  copyVault(REAL ?? '', vault);
  return linksFollow(context, vault, [
    ['Releases/', 'Songs/Releases'],
    ['Roadmap', 'Index'],
    ['Songs/', 'All songs'],
    ['Others/Books', 'Books/'],
  ]);
});

const SMALL: Readonly<Record<string, number>> = {
  kepano: 5,
  'foam-docs': 6,
  'tasks-demo': 6,
  'logseq-docs': 4,
  'black-sun-lodge': 6,
};

for (const [name, most] of Object.entries(SMALL)) {
  const given = REAL_VAULTS.find((path) => basename(path) === name);
  test(`V4 ${name}: setting and removing a property, appending and undoing, moving and moving back restore every byte`, {
    skip: given === undefined && 'the vaults are not there',
  }, async (context) => {
    const vault = join(temporaryFolder(context), 'vault');
    copyVault(given ?? '', vault);
    const session = await writing(context, vault);
    const call: Call = async (tool, args) => {
      const { structured, text } = await session.call(tool, { ...args });
      return structured.ok ? { data: structured.data, text } : { code: structured.error.code, text };
    };
    const notes = Object.keys(bytesOf(vault)).filter((path) => path.endsWith('.md'));
    const step = Math.max(1, Math.floor(notes.length / most));
    const done = await roundTrip(call, vault, notes.filter((_, at) => at % step === 0).slice(0, most));
    assert.deepEqual(done.refused, {});
  });
}

const ROUNDS = 6;

/** Some milliseconds after the target folder of the move was created. */
async function killWithin(child: ChildProcess, folder: string, milliseconds: number): Promise<void> {
  for (const until = performance.now() + 60_000; !existsSync(folder) && performance.now() < until; )
    await setImmediate();
  await sleep(milliseconds);
  child.kill('SIGKILL');
}

test('V8 V15 kill -9 during moves: after the next start each move is complete or undone, is reported, and leaves no temporary files', {
  skip: !isLong && 'npm run test:long runs it',
}, async (context) => {
  const vault = temporaryFolder(context);
  const dataFolder = temporaryFolder(context);
  for (let n = 0; n < 60; n += 1) {
    mkdirSync(join(vault, 'in'), { recursive: true });
    writeFileSync(
      join(vault, `in/Note ${n}.md`),
      `[[in/Note ${(n + 1) % 60}]] [[/in/Note ${(n + 7) % 60}]]\n`.repeat(20),
    );
  }
  const config = configFile(
    context,
    `vault: { path: ${JSON.stringify(vault)}, access: read-write, dialect: obsidian }\n`,
  );
  let recovered = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [from, to] = ['in', 'out'];
    const before = bytesOf(vault);
    const server = startRawServer(context, { config, dataFolder });
    await server.begin();
    server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
    await server.reply(1);
    recovered += (server.stderr().match(/"change_recovered"/g) ?? []).length;
    server.send(toolCall(2, 'move_note', { note: `${from}/`, to, confirm: true }));
    await killWithin(server.child, join(vault, to), 12 * round);
    await server.ended;
    const session = await openSession(context, { config, dataFolder });
    await session.indexed();
    recovered += (session.stderr().match(/"change_recovered"/g) ?? []).length;
    const after = bytesOf(vault);
    const moved = existsSync(join(vault, to)) && !existsSync(join(vault, from));
    if (!moved) assert.deepEqual(after, before, `round ${round}: nothing has moved`);
    else assert.equal(Object.keys(after).length, Object.keys(before).length);
    const { structured } = await session.call('find_gaps', { kind: 'unresolved' });
    assert.deepEqual(structured.data.gaps, [], `round ${round}: no link dangles`);
    assert.deepEqual(
      readdirSync(vault, { recursive: true }).filter((path) => String(path).includes('.tmp')),
      [],
    );
    const status = (await session.call('status')).structured.data;
    if (status.recovery !== undefined)
      assert.match(status.recovery.recovered[0].outcome, /^(?:finished|taken_back|forgotten)$/);
    if (moved) {
      const back = await session.call('move_note', { note: `${to}/`, to: from, confirm: true });
      assert.equal(back.isError, false, back.text);
    }
    assert.deepEqual(bytesOf(vault), before, `round ${round}: there and back`);
    await session.close();
  }
  context.diagnostic(`${recovered} of ${ROUNDS} changes were cut off and ended by the next start`);
  assert.ok(recovered > 0, 'at least one kill came in the middle');
});
