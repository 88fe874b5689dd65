// Runs the first steps of a new user: the start command from the README, with a real client.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { copyOfFixture, PROGRAM, ROOT, temporaryFolder } from './session.ts';

async function npmStart(context: TestContext, extra: readonly string[]): Promise<{ client: Client; faults: Error[] }> {
  const home = temporaryFolder(context);
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: join(home, 'data') };
  const transport = new StdioClientTransport({
    command: 'npm',
    args: ['start', ...extra],
    cwd: ROOT,
    env,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  const faults: Error[] = [];
  client.onerror = (fault) => faults.push(fault);
  await client.connect(transport);
  context.after(() => client.close());
  return { client, faults };
}

test('npm start serves the fixture vault with nothing but JSON-RPC on stdout', async (context) => {
  const { client, faults } = await npmStart(context, []);
  await client.callTool({ name: 'reindex', arguments: { wait_ms: 20_000 } });
  const found = await client.callTool({ name: 'search_text', arguments: { query: 'barometer' } });
  assert.match(JSON.stringify(found), /Bram Oake\.md/);
  assert.deepEqual(faults, []);
});

test('npm start -- --vault DIR serves another vault', async (context) => {
  const vault = copyOfFixture(context, 'links');
  const { client, faults } = await npmStart(context, ['--', '--vault', vault]);
  const listed = await client.callTool({ name: 'list_notes', arguments: {} });
  assert.doesNotMatch(JSON.stringify(listed), /Bram Oake/);
  assert.deepEqual(faults, []);
});

test('a Node version that is too old is reported in one line, with the command that works, before any native module loads', () => {
  const old = ['--import', 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})'];
  const said = 'vaultgraph needs Node 22 or newer, this is 20.20.2; this checkout has one: ';
  for (const [cwd, program] of [
    [join(PROGRAM, '../..'), 'node_modules/.bin/node dist/main.js'],
    [join(ROOT, 'test'), `${join(PROGRAM, '../../node_modules/.bin/node')} ${PROGRAM}`],
  ] as const) {
    const run = spawnSync(process.execPath, [...old, PROGRAM, 'call', 'search_text', '{"query":"a $b"}', 'Note#Part'], {
      cwd,
      encoding: 'utf8',
    });
    assert.equal(run.status, 1);
    assert.equal(run.stderr, `${said}${program} call search_text '{"query":"a $b"}' Note#Part\n`);
  }
});

test('without a configured vault, serve lists where it looked and exits with 78', (context) => {
  const home = temporaryFolder(context);
  const ended = spawnSync(process.execPath, [PROGRAM, 'serve'], {
    env: { PATH: '', HOME: home },
    input: '',
    encoding: 'utf8',
  });
  assert.equal(ended.status, 78);
  assert.match(ended.stderr, /--vault/);
  assert.equal(ended.stdout, '');
});

test('serve exits when its client closes stdin', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--vault', vault, '--data-dir', temporaryFolder(context)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  child.stdin.end();
  assert.equal(await ended, 0);
});
