// Tests over stdio a server whose data folder cannot be written: it reads an existing index and never leads.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NEXT_VERSION } from '../crash/crashing.ts';
import { type RawServer, startRawServer, toolCall } from './raw-server.ts';
import { configFile, copyOfFixture, indexFile, openSession, PROGRAM, temporaryFolder } from './session.ts';

const NOBODY = 65_534;
/** Root may write everything, so as root the server runs as an unprivileged user. */
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const cannotRun = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', PROGRAM], identity).status !== 0;
const skip = cannotRun && 'no other user may read this checkout';

interface Folders {
  readonly config: string;
  readonly vault: string;
  readonly dataFolder: string;
  /** For temporary files of the server. */
  readonly temporary: string;
}

/** A vault and the folder of its index, which no server has opened yet. */
function foldersFor(context: TestContext): Folders {
  const vault = copyOfFixture(context, 'tiny');
  const temporary = temporaryFolder(context);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  for (const path of [vault, temporary, dirname(config)]) chmodSync(path, 0o777);
  chmodSync(config, 0o644);
  return { config, vault, temporary, dataFolder: dataFolderFor(context) };
}

/** Takes away every right to write below the data folder. */
function makeReadOnly({ dataFolder }: Folders): void {
  for (const path of pathsIn(dataFolder)) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
}

/** A temporary folder that can be deleted although it was made read-only. */
function dataFolderFor(context: TestContext): string {
  let folder = '';
  context.after(() => {
    for (const path of pathsIn(folder)) chmodSync(path, 0o755);
  });
  folder = temporaryFolder(context);
  return folder;
}

/** The folder first, then what is in it. */
function pathsIn(folder: string): readonly string[] {
  return [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))];
}

function stateOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }).map(String).toSorted();
  return names.map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`);
}

async function startReader(context: TestContext, folders: Folders): Promise<RawServer> {
  makeReadOnly(folders);
  const { config, dataFolder, temporary } = folders;
  const server = startRawServer(context, { config, dataFolder, identity, env: { TMPDIR: temporary } });
  await server.begin();
  return server;
}

let lastId = 100;
// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
async function call(server: RawServer, tool: string, given: object = {}): Promise<any> {
  lastId += 1;
  server.send(toolCall(lastId, tool, given));
  return (await server.reply(lastId)).result.structuredContent;
}

async function storeDetail(server: RawServer): Promise<string> {
  const { capabilities } = (await call(server, 'status')).data;
  return capabilities.present.find(({ capability }: { capability: string }) => capability === 'store').detail;
}

const codesOf = ({ warnings = [] }: { readonly warnings?: readonly { readonly code: string }[] }): readonly string[] =>
  warnings.map(({ code }) => code);

/** Checks that the server refuses to write, and leaves the folder as it is. */
async function assertNeverWrites(server: RawServer, { vault, dataFolder, temporary }: Folders): Promise<void> {
  const before = stateOf(dataFolder);
  const notes = stateOf(vault);
  const fresh = await call(server, 'search_text', { query: 'quay', require_fresh: true });
  assert.equal(fresh.error.code, 'STORE_READONLY');
  const refused = await call(server, 'create_note', { path: 'New.md', content: 'new' });
  assert.equal(refused.error.code, 'FILE_WRITE_FAILED', JSON.stringify(refused));
  assert.deepEqual(stateOf(vault), notes);
  assert.deepEqual(stateOf(dataFolder), before);
  assert.deepEqual(readdirSync(temporary), [], 'a killed server would leave no copy');
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
  assert.doesNotMatch(server.stderr(), /INTERNAL|UNHANDLED/);
}

/** Checks that it answers from the copy, says so, and never leads. */
async function assertReadsCopy(server: RawServer, folders: Folders): Promise<void> {
  const found = await call(server, 'search_text', { query: 'quay' });
  assert.equal(found.ok, true, JSON.stringify(found));
  assert.ok(found.data.hits.some(({ path }: { path: string }) => path === 'Places/Harbour.md'));
  assert.ok(codesOf(found).includes('STALE_UNKNOWN'), JSON.stringify(found));
  assert.equal((await call(server, 'get_neighbors', { note: 'Harbour' })).ok, true);
  assert.match(await storeDetail(server), /private copy/);
  const { index } = (await call(server, 'status')).data;
  assert.deepEqual([index.role, index.holder, index.watching.mode], ['follower', undefined, 'off']);
  assert.match(JSON.stringify(await call(server, 'reindex')), /STORE_READONLY/);
  const later = await call(server, 'search_text', { query: 'quay' });
  assert.doesNotMatch(JSON.stringify(later.warnings), /require_fresh/, 'the index cannot be brought up to date');
  await assertNeverWrites(server, folders);
}

/** Checks that one-shot commands read the index, and say that it is not brought up to date. */
function assertCommandsRead({ config, dataFolder, temporary }: Folders): void {
  const env = { PATH: process.env.PATH ?? '', HOME: temporary, TMPDIR: temporary };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args, '--config', config, '--data-dir', dataFolder], {
      ...identity,
      env,
      encoding: 'utf8',
    });
  const exported = run('export');
  assert.equal(exported.status, 0, exported.stderr);
  assert.match(exported.stdout, /"path":"Places\/Harbour\.md"/);
  assert.match(exported.stderr, /^The index cannot be updated here; this export is as of \d{4}-/m);
  const { checks } = JSON.parse(run('doctor', '--json').stdout);
  const store = checks.find(({ check }: { readonly check: string }) => check === 'store');
  assert.deepEqual([store.status, store.detail], ['ok', 'the index file is sound']);
  assert.match(run('status').stdout, /^index .*\n.*\n +read (in place|from a private copy)/m);
}

/** Indexes the vault with a server that ends as usual. */
async function indexed(context: TestContext): Promise<Folders> {
  const folders = foldersFor(context);
  const session = await openSession(context, folders);
  assert.equal((await session.indexed()).state, 'succeeded');
  await session.close();
  return folders;
}

test('S5 an index in a read-only folder is read from a private copy', { skip }, async (context) => {
  const folders = await indexed(context);
  await assertReadsCopy(await startReader(context, folders), folders);
});

test('S5 export and doctor read an index in a read-only folder as serve does', { skip }, async (context) => {
  const folders = await indexed(context);
  makeReadOnly(folders);
  assertCommandsRead(folders);
});

test('S5 an older index in a read-only folder is left to a server that can write it', { skip }, async (context) => {
  const folders = await indexed(context);
  makeReadOnly(folders);
  const { config, dataFolder, temporary } = folders;
  const env = { PATH: process.env.PATH ?? '', HOME: temporary, TMPDIR: temporary };
  const args = ['--import', NEXT_VERSION, PROGRAM, 'export', '--config', config, '--data-dir', dataFolder];
  const { status, stderr } = spawnSync(process.execPath, args, { ...identity, env, encoding: 'utf8' });
  assert.equal(status, 78);
  assert.match(stderr, /\[STORE_READONLY\][\s\S]* --data-dir\. Its index is of an older version/);
});

test('S5 the index of a server that was killed is copied with its log', { skip }, async (context) => {
  const folders = foldersFor(context);
  const session = await openSession(context, folders);
  await session.indexed();
  const closed = new Promise<void>((resolve) => {
    session.client.onclose = resolve;
  });
  process.kill(session.processId, 'SIGKILL');
  await closed;
  assert.ok(existsSync(`${indexFile(folders.dataFolder)}-wal`));
  await assertReadsCopy(await startReader(context, folders), folders);
});

test('S5 while another user keeps the index up to date, it is read in place', {
  skip: skip || (process.getuid?.() !== 0 && 'needs two users'),
}, async (context) => {
  const folders = foldersFor(context);
  const session = await openSession(context, folders);
  await session.indexed();
  const server = await startReader(context, folders);
  assert.match(await storeDetail(server), /in place/);
  assertCommandsRead(folders);
  const searched = () => call(server, 'search_text', { query: 'latecomer' });
  writeFileSync(join(folders.vault, 'Late.md'), 'a latecomer\n');
  await session.indexed();
  // Until it has read that the other one keeps the index fresh, it warns.
  for (
    let found = await searched();
    found.data.hits.length === 0 || codesOf(found).length > 0;
    found = await searched()
  )
    await sleep(50);
  const { index } = (await call(server, 'status')).data;
  assert.deepEqual([index.role, index.holder.pid], ['follower', session.processId]);
  assert.equal((await call(server, 'reindex')).error.code, 'INDEX_CONFLICT');
  await session.close();
  assert.equal((await searched()).ok, true);
  await assertNeverWrites(server, folders);
});

test('S5 without an index in a read-only folder the start says where to put one', { skip }, async (context) => {
  const folders = foldersFor(context);
  mkdirSync(join(folders.dataFolder, 'other'));
  makeReadOnly(folders);
  const { config, dataFolder } = folders;
  const server = startRawServer(context, { config, dataFolder, identity });
  assert.equal(await server.ended, 78);
  assert.match(server.stderr(), /STORE_READONLY.*--data-dir.*no index/s);
});
