// Tests `history: keep` as a client sees it: earlier texts after edits, moves and deletions by other programs, with and without a running server.
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitVault } from '../git-vault.ts';
import { until } from '../until.ts';
import { configFile, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

interface Place {
  readonly vault: string;
  readonly config: string;
  readonly dataFolder: string;
}

const body = (name: string): string =>
  `# ${name}\n\nThe first line of ${name}.\n\nAnother line of ${name}.\n\nAnd a third of ${name}.\n`;

function vaultOf(context: TestContext, notes: Readonly<Record<string, string>>, more = ''): Place {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(join(vault, path, '..'), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const about = `vault: { path: ${JSON.stringify(vault)}, access: read-write${more} }\nhistory: keep\n`;
  return { vault, config: configFile(context, about), dataFolder: temporaryFolder(context) };
}

const historyIn = ({ dataFolder }: Place): string | undefined => globSync(join(dataFolder, '**/history*.db'))[0];

async function open(context: TestContext, { config, dataFolder }: Place): Promise<Session> {
  const session = await openSession(context, { config, dataFolder });
  await session.indexed();
  return session;
}

/** After the index has all changes, a moment that no change is at. */
async function moment(session: Session): Promise<string> {
  await session.call('search_text', { query: 'line', require_fresh: true });
  await sleep(20);
  const now = new Date().toISOString();
  await sleep(20);
  return now;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
async function textAt(session: Session, note: string, at: string): Promise<any> {
  const { structured } = await session.call('read_notes', { notes: [note], at });
  return structured.data?.succeeded[0].result ?? structured.error.details.failed[0].error;
}

test('texts before edits, a rename and a deletion by other programs are read at their times, and a deleted note is restored', async (context) => {
  const place = vaultOf(context, { 'Sea.md': body('Sea'), 'Land.md': body('Land'), 'Sky.md': body('Sky') });
  const at = (path: string): string => join(place.vault, path);
  const session = await open(context, place);
  const { structured } = await session.call('list_changes', { require_fresh: true });
  const { position } = structured.data;
  const first = await moment(session);
  writeFileSync(at('Sea.md'), `${body('Sea')}Second.\n`);
  const second = await moment(session);
  writeFileSync(at('Sea.md'), `${body('Sea')}Third.\n`);
  rmSync(at('Land.md'));
  mkdirSync(at('Above'));
  renameSync(at('Sky.md'), at('Above/Heaven.md'));
  const third = await moment(session);

  const read = async (note: string, when: string): Promise<string> => (await textAt(session, note, when)).content;
  assert.equal(await read('Sea', first), body('Sea'));
  assert.equal(await read('Sea', second), `${body('Sea')}Second.\n`);
  assert.equal(await read('Sea', third), `${body('Sea')}Third.\n`);
  const { path, path_now, kept_by, revision } = await textAt(session, 'Above/Heaven', first);
  assert.deepEqual([path, path_now, kept_by], ['Sky.md', 'Above/Heaven.md', 'history']);
  assert.match(revision, /^[0-9a-f]{12}$/);
  assert.equal(await read('Sky.md', second), body('Sky'));
  const gone = await textAt(session, 'Land.md', third);
  assert.equal(gone.code, 'EARLIER_TEXT_MISSING');
  assert.match(gone.hint, /create_note/);
  const land = await textAt(session, 'Land.md', second);
  assert.equal(land.content, body('Land'));
  assert.equal((await textAt(session, 'Sea', '2001-01-01')).code, 'EARLIER_TEXT_MISSING');

  const full = (await session.call('list_changes', { since: position, detail: 'full', require_fresh: true }))
    .structured;
  const changes = new Map(full.data.changes.map((change: { path: string }) => [change.path, change]));
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const sea = changes.get('Sea.md') as any;
  assert.match(sea.diff, /\+Third\./);
  assert.equal(await read('Sea', sea.before), body('Sea'));
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  assert.match((changes.get('Land.md') as any).diff, /-The first line of Land\./);

  const restored = await session.call('create_note', { path: 'Land', content: land.content });
  assert.equal(restored.structured.ok, true, restored.text);
  const edited = await session.call('edit_note', { note: 'Land', edits: [{ op: 'append', text: 'New.' }] });
  writeFileSync(at('Land.md'), 'Overwritten.\n');
  await moment(session);
  const byTool = await textAt(session, 'Land', edited.structured.data.change_id);
  assert.deepEqual([byTool.content, byTool.kept_by], [`${body('Land')}\nNew.\n`, 'changes']);
});

test('the text of a deleted note is read by its path though another note has its name today', async (context) => {
  const place = vaultOf(context, { 'Sea.md': body('Sea'), 'Far/Sea.md': body('Far sea') });
  const session = await open(context, place);
  const first = await moment(session);
  rmSync(join(place.vault, 'Sea.md'));
  const second = await moment(session);
  for (const note of ['Sea.md', 'Sea']) {
    const { path, content, path_now } = await textAt(session, note, first);
    assert.deepEqual([path, content, path_now], ['Sea.md', body('Sea'), undefined]);
    assert.equal((await textAt(session, note, second)).path, 'Far/Sea.md');
  }
  assert.equal((await textAt(session, 'Far/Sea', first)).content, body('Far sea'));
});

test('what changed while no server ran has its time between, and a killed server loses no text', async (context) => {
  const place = vaultOf(context, { 'Sea.md': body('Sea'), 'Land.md': body('Land') });
  const session = await open(context, place);
  const first = await moment(session);
  writeFileSync(join(place.vault, 'Sea.md'), 'Killed.\n');
  const second = await moment(session);
  process.kill(session.processId, 'SIGKILL');
  await session.close();
  writeFileSync(join(place.vault, 'Sea.md'), 'Offline.\n');
  await sleep(30);
  const offline = new Date().toISOString();
  const next = await open(context, place);
  await moment(next);
  assert.equal((await textAt(next, 'Sea', first)).content, body('Sea'));
  assert.equal((await textAt(next, 'Sea', second)).content, 'Killed.\n');
  assert.equal((await textAt(next, 'Sea', offline)).content, 'Offline.\n');
});

test('notes that the config or Obsidian excludes are not kept, and a text from there is not shown by a later name', async (context) => {
  const place = vaultOf(
    context,
    { 'Open.md': body('Open'), 'Private/Diary.md': body('Diary'), 'Old/Log.md': body('Log') },
    ', exclude: [Private/**]',
  );
  mkdirSync(join(place.vault, '.obsidian'));
  writeFileSync(join(place.vault, '.obsidian/app.json'), JSON.stringify({ userIgnoreFilters: ['Old/'] }));
  const session = await open(context, place);
  const first = await moment(session);
  renameSync(join(place.vault, 'Private/Diary.md'), join(place.vault, 'Diary.md'));
  renameSync(join(place.vault, 'Old/Log.md'), join(place.vault, 'Log.md'));
  writeFileSync(join(place.vault, 'Open.md'), 'Opened.\n');
  const second = await moment(session);
  assert.equal((await textAt(session, 'Open', first)).content, body('Open'));
  for (const name of ['Diary', 'Log']) {
    assert.equal((await textAt(session, name, first)).code, 'EARLIER_TEXT_MISSING');
    assert.equal((await textAt(session, name, second)).content, body(name));
  }
  await session.close();
  assert.match(historyIn(place) ?? '', /history-[0-9a-f]{16}\.db$/);
});

test('history that is switched on for a complete index is filled in the background, once', async (context) => {
  const place = vaultOf(
    context,
    Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`N${at}.md`, body(`N${at}`)])),
  );
  const kept = readFileSync(place.config, 'utf8');
  writeFileSync(place.config, kept.replace('history: keep', 'history: off'));
  await (await open(context, place)).close();
  assert.equal(historyIn(place), undefined);
  rmSync(join(place.vault, 'N0.md'));
  writeFileSync(place.config, kept);
  const session = await open(context, place);
  await until(async () => (await textAt(session, 'N199', 'now')).content === body('N199'), 'the fill');
  writeFileSync(join(place.vault, 'N7.md'), 'Changed.\n');
  const later = await moment(session);
  assert.equal((await textAt(session, 'N7', later)).content, 'Changed.\n');
  assert.ok(existsSync(historyIn(place) ?? ''));
  const gone = await textAt(session, 'N0', later);
  assert.equal(gone.code, 'EARLIER_TEXT_MISSING', JSON.stringify(gone));
  assert.match(gone.message, /no such note today.*texts are kept since 2/);
  assert.match(gone.hint, /list_changes has the paths of deleted notes/);
});

test('differences of edits by other programs come from git, too', async (context) => {
  const place = vaultOf(context, {});
  writeFileSync(place.config, readFileSync(place.config, 'utf8').replace('history: keep', 'history: off'));
  const git = gitVault(place.vault);
  git.put('Sea.md', 'First.\n');
  git.put('Land.md', 'Never changed.\n');
  git.commit('2026-03-01');
  const session = await open(context, place);
  const { position } = (await session.call('list_changes', { require_fresh: true })).structured.data;
  git.put('Sea.md', 'Second.\n');
  await moment(session);
  git.put('Sea.md', 'Third.\n');
  git.put('New.md', 'Not committed.\n');
  await moment(session);
  git.put('New.md', 'Changed.\n');
  const later = await session.call('list_changes', { since: position, detail: 'full', require_fresh: true });
  const { changes } = later.structured.data;
  const [made, sea] = ['New.md', 'Sea.md'].map((path) => changes.find((one: { path: string }) => one.path === path));
  assert.match(sea.diff, /-First\.\n\+Third\./);
  assert.equal((await textAt(session, 'Sea', sea.before)).content, 'First.\n');
  assert.match(made.diff, /\+Changed\./);
});

test('a setting that is none is refused with what it can be', (context) => {
  const place = vaultOf(context, {});
  writeFileSync(
    place.config,
    readFileSync(place.config, 'utf8').replace('history: keep', 'history: { keep: true, mib: 1 }'),
  );
  const { status, stderr, stdout } = runProgram(context, ['config', '--config', place.config]);
  assert.notEqual(status, 0);
  assert.match(stdout + stderr, /history\.mib/);
});
