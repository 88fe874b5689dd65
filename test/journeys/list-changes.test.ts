// Tests what `list_changes` says of changes by tools and by other programs, while a server runs and while none does.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { assertEach } from '../assert-each.ts';
import { until } from '../until.ts';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

const DAY_S = 24 * 60 * 60;

interface Place {
  readonly vault: string;
  readonly config: string;
  readonly dataFolder: string;
}

function vaultOf(context: TestContext, notes: Readonly<Record<string, string>>): Place {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(join(vault, path, '..'), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  return { vault, config, dataFolder: temporaryFolder(context) };
}

async function open(context: TestContext, { config, dataFolder }: Place): Promise<Session> {
  const session = await openSession(context, { config, dataFolder });
  await session.indexed();
  return session;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
async function changes(session: Session, args: object = {}): Promise<any> {
  const { structured, text } = await session.call('list_changes', { require_fresh: true, limit: 100, ...args });
  assert.equal(structured.ok, true, text);
  return structured.data;
}

const body = (name: string): string =>
  `# ${name}\n\nThe first line of ${name}.\n\n## Part\n\nA part of ${name}.\nAnother line of ${name}.\n`;

const NOTES = {
  'Hub.md': 'See [[Sea]], [[Land]] and [[Sky]].\n',
  'Sea.md': body('Sea'),
  'Land.md': `---\ntags: [earth/soil]\n---\n${body('Land')}`,
  'Sky.md': body('Sky'),
  'Deep/Cave.md': body('Cave'),
};

test('a new vault has no changes, and says since when they are known', async (context) => {
  const session = await open(context, vaultOf(context, NOTES));
  const { changes: found, total, known_since, position } = await changes(session, { since: '1 year ago' });
  assert.deepEqual([found, total], [[], 0]);
  assert.ok(Math.abs(Date.now() - Date.parse(known_since)) < 60_000);
  assert.match(position, /^[0-9a-f]{10}-0$/);
  const { structured } = await session.call('list_changes', { folder: 'Dep', tags: ['#erth'] });
  const warned = structured.warnings.map(({ message }: { message: string }) => message);
  assert.match(
    warned.join(),
    /no indexed note has the folder "Dep"; similar: "Deep".*no indexed note has the tag #erth/,
  );
});

test('changes by tools are told with their change ids, and those by other programs as such', async (context) => {
  const place = vaultOf(context, NOTES);
  const session = await open(context, place);
  const { position } = await changes(session);
  // Before the change log has anything, and after its first change, it is as certain that no tool wrote it.
  writeFileSync(join(place.vault, 'Early.md'), body('Early'));
  assert.deepEqual((await changes(session, { since: position })).changes[0].by, ['another program']);
  const ids: string[] = [];
  const act = async (tool: string, args: Record<string, unknown>): Promise<void> => {
    const { structured, text } = await session.call(tool, args);
    assert.equal(structured.ok, true, text);
    ids.push(structured.data.change_id);
  };
  await act('create_note', { path: 'New', content: body('New') });
  await act('edit_note', { note: 'Sea', edits: [{ op: 'append', text: 'One more.', target: '#Part' }] });
  await act('move_note', { note: 'Sky', to: 'Above/Sky', confirm: true });
  await act('delete_note', { note: 'Land', confirm: true });
  writeFileSync(join(place.vault, 'Deep/Cave.md'), body('Cave').replace('A part', 'Some part'));
  const { changes: found } = await changes(session, { since: position });
  const by = (at: number, tool: string) => [{ tool, change_id: ids[at] }];
  const byPath = new Map(found.map((change: { path: string }) => [change.path, change]));
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const of = (path: string): any => byPath.get(path);
  assert.deepEqual(
    [...byPath.keys()].sort(),
    ['Above/Sky.md', 'Deep/Cave.md', 'Early.md', 'Hub.md', 'Land.md', 'New.md', 'Sea.md'].filter((path) => of(path)),
  );
  assert.deepEqual([of('Early.md').change, of('Early.md').by], ['created', ['another program']]);
  assert.deepEqual([of('New.md').change, of('New.md').by], ['created', by(0, 'create_note')]);
  assert.deepEqual([of('Sea.md').change, of('Sea.md').by], ['edited', by(1, 'edit_note')]);
  assertEach(of('Sea.md').sections, ({ heading }: { heading: string }) => heading, ['Sea > Part']);
  assert.equal(of('Sea.md').removed, 0);
  assert.deepEqual([of('Above/Sky.md').change, of('Above/Sky.md').from], ['moved', 'Sky.md']);
  assert.deepEqual(of('Above/Sky.md').by, by(2, 'move_note'));
  const land = of('Land.md');
  assert.deepEqual([land.change, land.title, land.by], ['deleted', 'Land', by(3, 'delete_note')]);
  assert.deepEqual([land.linked_from, land.links_from_notes], [['Hub.md'], 1]);
  assert.deepEqual([of('Deep/Cave.md').change, of('Deep/Cave.md').by], ['edited', ['another program']]);
  assert.deepEqual([of('Deep/Cave.md').added, of('Deep/Cave.md').removed], [1, 1]);
  const tagged = await changes(session, { since: position, tags: ['earth'] });
  assertEach(tagged.changes, ({ path }: { path: string }) => path, ['Land.md']);
  const inFolder = await changes(session, { since: position, folder: 'Deep' });
  assertEach(inFolder.changes, ({ path }: { path: string }) => path, ['Deep/Cave.md']);
});

test('changes made while no server ran are noticed by the next one, whatever the times of the files say', async (context) => {
  const place = vaultOf(context, NOTES);
  const first = await open(context, place);
  const { position } = await changes(first);
  await first.close();
  const at = (path: string): string => join(place.vault, path);
  writeFileSync(at('Sea.md'), body('Sea').replace('first', 'very first'));
  utimesSync(at('Sea.md'), 0, 0);
  renameSync(at('Deep/Cave.md'), at('Cavern.md'));
  writeFileSync(at('Late.md'), body('Late'));
  utimesSync(at('Late.md'), Date.now() / 1000 - 3 * DAY_S, Date.now() / 1000 - 3 * DAY_S);
  rmSync(at('Sky.md'));
  const next = await openSession(context, { config: place.config, dataFolder: place.dataFolder });
  // The folder is empty now.
  const left = await changes(next, { since: position, folder: 'deep/' });
  assertEach(left.changes, ({ from }: { from: string }) => from, ['Deep/Cave.md']);
  const { structured } = await next.call('list_changes', { since: position });
  const found = structured.data.changes.map((one: { change: string; path: string }) => `${one.change} ${one.path}`);
  assert.deepEqual(found.sort(), ['created Late.md', 'deleted Sky.md', 'edited Sea.md', 'moved Cavern.md']);
  const named = (path: string) => structured.data.changes.find((one: { path: string }) => one.path === path);
  assert.equal(named('Sea.md').file_modified, 'implausible');
  assert.equal(named('Cavern.md').from, 'Deep/Cave.md');
  assert.ok(Date.now() - Date.parse(named('Late.md').file_modified) > 2 * DAY_S * 1000);
  assert.deepEqual(named('Sky.md').linked_from, ['Hub.md']);
});

test('a remembered position, a cursor and the feed itself outlive the index', async (context) => {
  const place = vaultOf(context, NOTES);
  const first = await open(context, place);
  await changes(first, { remember: 'weekly' });
  writeFileSync(join(place.vault, 'Sea.md'), `${body('Sea')}More.\n`);
  const { position, total } = await changes(first, { since: 'weekly' });
  assert.equal(total, 1);
  await first.close();
  for (const folder of readdirSync(place.dataFolder)) {
    if (folder === 'state') continue;
    for (const file of readdirSync(join(place.dataFolder, folder)))
      if (file.startsWith('index.db')) rmSync(join(place.dataFolder, folder, file));
  }
  writeFileSync(join(place.vault, 'Sky.md'), `${body('Sky')}More.\n`);
  rmSync(join(place.vault, 'Land.md'));
  const next = await open(context, place);
  const later = await changes(next, { since: position });
  assert.deepEqual(later.changes.map((one: { change: string; path: string }) => `${one.change} ${one.path}`).sort(), [
    'deleted Land.md',
    'edited Sky.md',
  ]);
  assert.equal((await changes(next, { since: 'weekly' })).total, 3);
});

test('an attachment with another time and the same content is not edited, and one that moves is known by its content', async (context) => {
  const place = vaultOf(context, { ...NOTES, 'Pics/big.bin': 'x'.repeat(3_000_000), 'Pics/small.png': 'a picture' });
  const at = (path: string): string => join(place.vault, path);
  writeFileSync(at('Pics/other.png'), 'another picture');
  writeFileSync(at('Pics/moved.jpg'), 'a third picture');
  writeFileSync(at('Pics/kept.jpg'), 'a fourth picture');
  const session = await open(context, place);
  const { position } = await changes(session);
  const later = Date.now() / 1000 + 5;
  for (const path of ['Pics/big.bin', 'Pics/small.png', 'Sea.md']) utimesSync(at(path), later, later);
  writeFileSync(at('Pics/other.png'), 'another drawing');
  // As a sync client does it: the file of before is removed, and the one elsewhere has a time of its own.
  rmSync(at('Pics/moved.jpg'));
  writeFileSync(at('new place.jpg'), 'a third picture');
  const shown = async (since: string) =>
    (await changes(session, { since })).changes
      .map((one: { change: string; path: string; from?: string; content?: string }) =>
        [one.change, one.path, one.from, one.content].filter(Boolean).join(' '),
      )
      .sort();
  const found = await shown(position);
  assert.deepEqual(found, ['edited Pics/other.png', 'moved new place.jpg Pics/moved.jpg']);
  const next = (await changes(session)).position;
  const text = `${'x'.repeat(2_999_999)}y`;
  writeFileSync(at('Pics/big.bin'), text);
  const moved = await session.call('move_note', { note: 'Pics/kept.jpg', to: 'Pics/tool.jpg', confirm: true });
  const { changes: second } = await changes(session, { since: next });
  const big = second.find(({ path }: { path: string }) => path === 'Pics/big.bin');
  assert.equal(big.change, 'edited');
  assert.equal(moved.structured.ok, true, moved.text);
  const own = second.find(({ path }: { path: string }) => path === 'Pics/tool.jpg');
  assert.deepEqual([own.change, own.by[0].tool], ['moved', 'move_note']);
  writeFileSync(at('Sky.md'), 'For a moment.\n');
  writeFileSync(at('Wide.md'), Buffer.from('\ufeffnot decoded\n', 'utf16le'));
  const { position: wide } = await changes(session);
  writeFileSync(at('Wide.md'), Buffer.from('\ufeffnot decoded either\n', 'utf16le'));
  const [notDecoded] = (await changes(session, { since: wide })).changes;
  assert.deepEqual([notDecoded.path, notDecoded.lines, notDecoded.added], ['Wide.md', 'unknown', undefined]);
  writeFileSync(at('Sky.md'), body('Sky'));
  assert.ok((await shown(next)).includes('restored Sky.md'));
});

test('a feed from before contents of attachments were known learns them in the background', async (context) => {
  const place = vaultOf(context, { ...NOTES, 'a.png': 'a picture', 'b.png': 'a drawing' });
  const first = await open(context, place);
  const { position } = await changes(first);
  await first.close();
  const [file = ''] = globSync(join(place.dataFolder, '**/changes*.db'));
  const forget = new Database(file);
  forget.exec(`UPDATE files SET hash = NULL WHERE kind = 'attachment'`);
  forget.close();
  const session = await open(context, place);
  const known = (): boolean => {
    const feed = new Database(file, { readonly: true });
    const [{ count }] = feed.prepare('SELECT count(*) AS count FROM files WHERE hash IS NULL').all() as [
      { count: number },
    ];
    feed.close();
    return count === 0;
  };
  await until(known, 'the contents are known');
  utimesSync(join(place.vault, 'a.png'), 1_000_000, 1_000_000);
  const { changes: found } = await changes(session, { since: position });
  assert.deepEqual(found, []);
});

const FILTERS = { userIgnoreFilters: ['Private/'] };

test('a client that follows the positions knows which files are excluded: they are deleted for it, and the others created', async (context) => {
  const place = vaultOf(context, { ...NOTES, 'Private/Diary.md': body('Diary'), 'Private/Plan.md': body('Plan') });
  const at = (path: string): string => join(place.vault, path);
  const settings = (value: object): void => {
    mkdirSync(at('.obsidian'), { recursive: true });
    writeFileSync(at('.obsidian/app.json'), JSON.stringify(value));
  };
  settings(FILTERS);
  const servers = [await open(context, place), await open(context, place)];
  let { position } = await changes(servers[0] as Session);
  let turn = 0;
  const holds = async (what: string, ...expected: string[]): Promise<void> => {
    turn += 1;
    const session = servers[turn % servers.length] as Session;
    await session.indexed();
    const answer = await changes(session, { since: position });
    position = answer.position;
    const found = answer.changes.map((one: { change: string; path: string }) => `${one.change} ${one.path}`);
    assert.deepEqual(found.sort(), expected, what);
  };
  const move = async (note: string, to: string): Promise<void> => {
    const { structured, text } = await (servers[0] as Session).call('move_note', { note, to, confirm: true });
    assert.equal(structured.ok, true, text);
  };
  await holds('nothing');
  await move('Deep/Cave', 'Private/Cave');
  await holds('renamed into it', 'deleted Deep/Cave.md');
  await move('Private/Cave', 'Private/Hole');
  writeFileSync(at('Private/Plan.md'), body('Plans'));
  rmSync(at('Private/Diary.md'));
  await holds('renamed, edited and deleted in it');
  await move('Private/Plan', 'Plan');
  await holds('renamed out of it', 'created Plan.md');
  renameSync(at('Plan.md'), at('Private/Plan.md'));
  writeFileSync(at('Private/Plan.md'), body('Plan'));
  await holds('renamed into it by another program, and edited', 'deleted Plan.md');
  settings({});
  await holds('no longer excluded', 'created Private/Hole.md', 'created Private/Plan.md');
  settings(FILTERS);
  await holds('excluded again', 'deleted Private/Hole.md', 'deleted Private/Plan.md');
  for (const session of servers.splice(0)) await session.close();
  settings({});
  servers.push(await open(context, place));
  await holds('no longer excluded, without a server', 'created Private/Hole.md', 'created Private/Plan.md');
  for (const session of servers.splice(0)) await session.close();
  settings(FILTERS);
  servers.push(await open(context, place));
  await holds('excluded, without a server', 'deleted Private/Hole.md', 'deleted Private/Plan.md');
  await servers.pop()?.close();
  const shows = configFile(
    context,
    `vault: { path: ${JSON.stringify(place.vault)}, access: read-write, excluded_files: show }\n`,
  );
  servers.push(await open(context, { ...place, config: shows }));
  await holds('with a setting of the server', 'created Private/Hole.md', 'created Private/Plan.md');
});
