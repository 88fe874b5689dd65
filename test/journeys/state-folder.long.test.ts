// The folder of the change log: apart from the index, shared by servers, listed without a writer, and named when it cannot be written.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { configFile, copyOfFixture, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

interface Ground {
  readonly vault: string;
  readonly config: string;
  readonly dataFolder: string;
  readonly stateFolder: string;
  text(path: string): string;
  /** A command with the ground's folders. */
  run(...args: string[]): ReturnType<typeof runProgram>;
}

function groundOf(context: TestContext): Ground {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const [dataFolder, stateFolder] = [temporaryFolder(context), temporaryFolder(context)];
  const places = ['--data-dir', dataFolder, '--state-dir', stateFolder];
  return {
    ...{ vault, config, dataFolder, stateFolder },
    text: (path) => readFileSync(join(vault, path), 'utf8'),
    run: (...args) =>
      runProgram(context, [...args, ...places, ...(args.includes('--vault') ? [] : ['--config', config])]),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
async function done(session: Session, tool: string, given: Record<string, unknown> = {}): Promise<any> {
  const { structured, isError, text } = await session.call(tool, given);
  assert.equal(isError, false, text);
  return structured.data;
}

/** Each file below the folder with its size and its time of change. */
function contentsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return new Map(
    names.map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return [name, `${size} ${mtimeMs}`];
    }),
  );
}

test('with the whole data folder deleted, the next server undoes what was written before', async (context) => {
  const ground = groundOf(context);
  const before = ground.text('Places/Harbour.md');
  const writer = await openSession(context, ground);
  await writer.indexed();
  const appended = { note: 'Harbour', edits: [{ op: 'append', text: 'tide' }] };
  const { change_id: change } = await done(writer, 'edit_note', appended);
  assert.notEqual(ground.text('Places/Harbour.md'), before);
  await writer.close();
  rmSync(ground.dataFolder, { recursive: true });
  const next = await openSession(context, ground);
  await next.indexed();
  assert.equal((await done(next, 'undo_change', { change_id: change })).undoes.tool, 'edit_note');
  assert.equal(ground.text('Places/Harbour.md'), before);
});

test('two servers with data folders of their own and one state folder undo what the other wrote', async (context) => {
  const ground = groundOf(context);
  const [one, other] = await Promise.all([
    openSession(context, ground),
    openSession(context, { ...ground, dataFolder: temporaryFolder(context) }),
  ]);
  await Promise.all([one.indexed(), other.indexed()]);
  const before = ground.text('Places/Harbour.md');
  const { change_id: first } = await done(one, 'create_note', { path: 'Mine', content: 'x' });
  const appended = { note: 'Harbour', edits: [{ op: 'append', text: 'tide' }] };
  const { change_id: second } = await done(other, 'edit_note', appended);
  assert.ok(second > first, 'later changes have greater ids, whichever server made them');
  assert.equal((await done(one, 'undo_change', { change_id: second })).undoes.change_id, second);
  assert.equal((await done(other, 'undo_change', { change_id: first })).undoes.change_id, first);
  assert.deepEqual([ground.text('Places/Harbour.md'), existsSync(join(ground.vault, 'Mine.md'))], [before, false]);
  const again = await one.call('undo_change', { change_id: first });
  assert.equal(again.structured.error.code, 'CHANGE_NOT_FOUND');
});

test('a state folder that cannot be created: reads continue, writes name it and the errno, status and doctor show it', async (context) => {
  const ground = groundOf(context);
  writeFileSync(join(ground.stateFolder, 'file'), '');
  const stateFolder = join(ground.stateFolder, 'file', 'state');
  const session = await openSession(context, { ...ground, stateFolder });
  await session.indexed();
  assert.ok((await done(session, 'search_text', { query: 'harbour' })).total > 0);
  const refused = await session.call('create_note', { path: 'New', content: 'x' });
  const { code, message, hint, details } = refused.structured.error;
  assert.deepEqual([code, details.errno], ['FILE_WRITE_FAILED', 'ENOTDIR']);
  assert.ok(message.startsWith(`the change log in ${stateFolder}`) && message.includes('(ENOTDIR'), message);
  assert.match(hint, /--state-dir/);
  assert.equal(existsSync(join(ground.vault, 'New.md')), false);
  const { state_folder: shown, recovery } = await done(session, 'status');
  assert.ok(shown.path.startsWith(stateFolder), shown.path);
  assert.deepEqual([shown.errno, recovery.error.code], ['ENOTDIR', 'FILE_WRITE_FAILED']);
  assert.ok(recovery.error.message.includes(stateFolder), recovery.error.message);
  await session.close();
  const places = ['--config', ground.config, '--data-dir', ground.dataFolder, '--state-dir', stateFolder];
  const doctor = runProgram(context, ['doctor', ...places]);
  assert.equal(doctor.status, 2);
  assert.match(
    doctor.stdout,
    new RegExp(`✗ state folder: ${stateFolder}/[0-9a-f]{16} cannot be written \\(ENOTDIR\\)`),
  );
});

test('status shows a state folder in the home folder without the name of the user', async (context) => {
  const ground = groundOf(context);
  const { dataFolder: HOME } = ground;
  const session = await openSession(context, { ...ground, stateFolder: join(HOME, 'kept'), env: { HOME } });
  assert.match((await done(session, 'status')).state_folder.path, /^~[/\\]kept[/\\][0-9a-f]{16}$/);
});

test('changes lists and shows the changes of a read-only vault, and touches nothing, not even an unfinished change', (context) => {
  const ground = groundOf(context);
  const { run, vault, stateFolder, dataFolder } = ground;
  assert.equal(
    run('call', 'edit_note', JSON.stringify({ note: 'Harbour', edits: [{ op: 'append', text: 'tide' }] })).status,
    0,
  );
  assert.equal(run('call', 'create_note', JSON.stringify({ path: 'New', content: 'x\n' })).status, 0);
  const [hash = ''] = readdirSync(stateFolder);
  const log = join(stateFolder, hash, 'change-log');
  const newest = readdirSync(log).toSorted().at(-1) ?? '';
  renameSync(join(log, newest), join(log, newest.replace('.done', '.committed')));
  const contents = [contentsOf(stateFolder), contentsOf(dataFolder), contentsOf(vault)];
  const listed = run('changes', '--diff', '--vault', vault);
  assert.deepEqual([listed.status, listed.stderr], [0, '']);
  const [first = '', second = '', ...others] = listed.stdout.split('\n\n');
  assert.match(
    first,
    /create_note {2}by command line {2}not finished\n {2}create New\.md .*\n--- \/dev\/null\n\+\+\+ New\.md\n@@ .*\n\+x$/,
  );
  assert.match(
    second,
    /edit_note {2}by command line\n {2}replace Places\/Harbour\.md .*\n--- Places\/Harbour\.md\n\+\+\+ .*\n@@ .*\n(?:.*\n)+\+tide$/,
  );
  assert.deepEqual(others, ['']);
  const { changes } = JSON.parse(run('changes', '--json', '--diff', '--vault', vault).stdout);
  assert.deepEqual(
    changes.map(({ state, diff }: { state: string; diff: string }) => [state, diff.includes('@@')]),
    [
      ['unfinished', true],
      ['done', true],
    ],
  );
  assert.deepEqual([contentsOf(stateFolder), contentsOf(dataFolder), contentsOf(vault)], contents);
});

test('changes of a vault without writes says so and creates no folder', (context) => {
  const [vault, home] = [copyOfFixture(context, 'tiny'), temporaryFolder(context)];
  const { status, stdout } = runProgram(context, ['changes', '--vault', vault], { HOME: home });
  assert.deepEqual([status, stdout, readdirSync(home)], [0, 'No changes yet.\n', []]);
});
