// Checks what each command prints, to which stream, and with which exit code.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { startRawServer } from './raw-server.ts';
import { configFile, copyOfFixture, type Ended, indexFile, PROGRAM, runProgram, temporaryFolder } from './session.ts';

const COMMANDS = ['serve', 'index', 'status', 'doctor', 'config', 'call', 'export'];

interface Place {
  readonly vault: string;
  readonly dataFolder: string;
  run(...args: string[]): Ended;
}

function placeOf(context: TestContext, fixture = 'tiny'): Place {
  const vault = copyOfFixture(context, fixture);
  const dataFolder = temporaryFolder(context);
  return {
    vault,
    dataFolder,
    run: (...args) => runProgram(context, [...args, '--vault', vault, '--data-dir', dataFolder]),
  };
}

test('exit 0: every command on a valid vault, with its result on stdout', (context) => {
  const { run } = placeOf(context);
  for (const [args, shown] of [
    [['index'], /12 indexed/],
    [['status'], /^index +12 notes/m],
    [['doctor'], /vault: 12 notes \(1 of them canvases and bases\)/],
    [['config'], /vault\.path/],
    [['call', 'search_text', '{"query":"barometer"}'], /Bram Oake/],
    [['call', 'list_tags'], /#log/],
    [['export'], /"path":"Places\/Harbour\.md"/],
    [['export', '--format', 'jsonl'], /"path":"Places\/Harbour\.md"/],
    [['serve'], /^$/],
  ] as const) {
    const ended = run(...args);
    assert.equal(ended.status, 0, `${args.join(' ')}: ${ended.stderr}`);
    assert.match(ended.stdout, shown, args.join(' '));
  }
});

test('--json: every command but serve prints JSON and nothing else on stdout', (context) => {
  const { run } = placeOf(context);
  for (const args of [['index'], ['status'], ['doctor'], ['config'], ['call', 'list_tags', '{}'], ['export']]) {
    const { stdout, status } = run(...args, '--json');
    assert.equal(status, 0, args.join(' '));
    const lines = stdout.trimEnd().split('\n');
    assert.equal(args[0] === 'export' || lines.length === 1, true, args.join(' '));
    for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
  }
});

test('--json: a failure is printed as JSON with its code, in addition to the message on stderr', (context) => {
  const { run } = placeOf(context);
  for (const command of ['index', 'status', 'config', 'export', 'doctor']) {
    const failed = runProgram(context, [command, '--vault', '/nowhere/at/all', '--json']);
    assert.ok(failed.status === 78 || failed.status === 2, command);
    assert.match(failed.stdout, /CONFIG_INVALID/, command);
    JSON.parse(failed.stdout);
  }
  const refused = run('call', 'get_neighbors', '{"note":"Nobody"}', '--json');
  assert.equal(refused.status, 1);
  assert.equal(JSON.parse(refused.stdout).error.code, 'NOTE_NOT_FOUND');
});

test('exit 64: unknown commands, options and formats, missing and malformed arguments', (context) => {
  const { run } = placeOf(context);
  for (const args of [
    ['frobnicate'],
    ['index', '--frobnicate'],
    ['status', '--jsn'],
    ['export', '--format', 'poem'],
    ['call'],
    ['call', 'list_tags', 'no json'],
    ['call', 'no_such_tool', '{}'],
    ['index', 'surplus'],
  ]) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 64, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
    assert.ok(stderr.length > 0);
  }
  const unlisted = run('call', 'no_such_tool', '{}');
  assert.match(unlisted.stderr, /search_text/, 'it says what there is');
  for (const command of COMMANDS) assert.equal(runProgram(context, [command, '--vault']).status, 64, command);
  assert.equal(runProgram(context, []).status, 64);
});

test('exit 0: --help and --version, which name every command', (context) => {
  const help = runProgram(context, ['--help']);
  assert.equal(help.status, 0);
  for (const command of COMMANDS) assert.match(help.stdout, new RegExp(`^ +${command}\\b`, 'm'));
  assert.match(runProgram(context, ['--version']).stdout, /^\d+\.\d+\.\d+(?:-[\w.]+)?\n$/);
  for (const command of COMMANDS) {
    const { status, stdout } = runProgram(context, [command, '--help']);
    assert.equal(status, 0);
    for (const option of ['--config', '--vault', '--data-dir', '--state-dir', '--json'])
      assert.ok(stdout.includes(option), command);
  }
});

test('exit 78: no vault configured, a vault path that does not exist or is a file, an invalid config', (context) => {
  const file = join(temporaryFolder(context), 'file');
  writeFileSync(file, '');
  for (const command of ['serve', 'index', 'status', 'config', 'export', 'call']) {
    const more = command === 'call' ? ['list_tags'] : [];
    for (const place of [[], ['--vault', '/nowhere/at/all'], ['--vault', file], ['--config', '/nowhere/config.yaml']]) {
      const { status, stdout, stderr } = runProgram(context, [command, ...more, ...place]);
      assert.equal(status, 78, `${command} ${place.join(' ')}: ${stderr}`);
      assert.equal(stdout, '');
      assert.match(stderr, /Hint: .+/);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  }
});

test('exit 1: a tool that fails; exit 2: a batch or an index that is only partly complete', (context) => {
  const { run, vault } = placeOf(context);
  assert.equal(run('call', 'search_text', '{"query":""}').status, 1);
  assert.equal(run('call', 'read_notes', '{"notes":["Nobody"]}').status, 1);
  const part = run('call', 'read_notes', '{"notes":["Nobody","Harbour"]}');
  assert.equal(part.status, 2);
  assert.equal(JSON.parse(part.stdout).partial, true);
  assert.equal(run('call', 'read_notes', '{"notes":["Harbour"]}').status, 0);
  writeFileSync(join(vault, 'Torn.canvas'), '{"nodes":[');
  const indexed = run('index', '--json');
  assert.equal(indexed.status, 2);
  const [failed] = JSON.parse(indexed.stdout).failed;
  assert.deepEqual([failed.id, failed.error.code], ['Torn.canvas', 'CANVAS_INVALID']);
  const again = run('index', '--json');
  assert.equal(JSON.parse(again.stdout).failed.length, JSON.parse(again.stdout).counts.failed);
});

test('call prints on stdout what the same call returns over MCP', async (context) => {
  const { vault, dataFolder, run } = placeOf(context);
  run('index');
  const server = startRawServer(context, { vault, dataFolder });
  await server.begin();
  server.send({ id: 1, method: 'tools/call', params: { name: 'reindex', arguments: { wait_ms: 45_000 } } });
  await server.reply(1);
  for (const [at, [tool, given]] of [
    ['list_notes', { limit: 3 }],
    ['get_hubs', { metric: 'pagerank' }],
    ['find_path', { from: 'Ada Finch', to: 'Tide pool' }],
    ['read_notes', { notes: ['Harbour', 'Nobody'] }],
  ].entries()) {
    server.send({ id: 10 + at, method: 'tools/call', params: { name: tool, arguments: given } });
    const { data } = (await server.reply(10 + at)).result.structuredContent;
    assert.deepEqual(JSON.parse(run('call', String(tool), JSON.stringify(given)).stdout).data, data);
  }
});

test('call answers from the existing index when it cannot be updated, as over MCP, and can confirm the loss of notes', (context) => {
  const { run, vault } = placeOf(context);
  run('index');
  rmSync(vault, { recursive: true });
  mkdirSync(vault);
  const listed = run('call', 'list_notes', '{}');
  assert.equal(listed.status, 0, listed.stderr);
  const { data, warnings } = JSON.parse(listed.stdout);
  assert.equal(data.total, 12);
  assert.equal(warnings[0].code, 'STALE_UNKNOWN');
  const blocked = run('index');
  assert.equal(blocked.status, 1);
  assert.match(blocked.stderr, /MASS_DELETE_BLOCKED/);
  const confirmed = JSON.parse(run('call', 'reindex', '{"confirm":true,"wait_ms":45000}').stdout);
  assert.equal(confirmed.data.state, 'succeeded');
  assert.equal(JSON.parse(run('call', 'list_notes').stdout).data.total, 0);
});

test('doctor: exit 0 if everything is fine, 1 with a warning, 2 with a failing check; every finding has a hint', (context) => {
  const { run, vault, dataFolder } = placeOf(context);
  const before = run('doctor', '--json');
  assert.equal(before.status, 1, 'there is no index yet');
  run('index');
  assert.equal(run('doctor').status, 0);
  writeFileSync(join(vault, 'Torn.canvas'), '{"nodes":[');
  run('index');
  const warned = run('doctor', '--json');
  assert.equal(warned.status, 1);
  assert.match(warned.stdout, /Torn\.canvas/);
  writeFileSync(indexFile(dataFolder), 'no database');
  const failing = run('doctor', '--json');
  assert.equal(failing.status, 2);
  for (const { stdout } of [before, warned, failing]) {
    for (const { check, status, detail, hint } of JSON.parse(stdout).checks) {
      assert.match(status, /^(ok|warning|failing)$/);
      assert.ok(detail.trim() !== '' && hint.trim() !== '', check);
    }
  }
});

test('config: flags override the environment, which overrides the file, which overrides the default; each value names its source', (context) => {
  const [one, two, three] = [0, 1, 2].map(() => copyOfFixture(context, 'tiny')) as [string, string, string];
  const file = configFile(context, `vault: { path: ${three} }\nlimits: { batch: 7 }\n`);
  const settings = (args: string[], env: Record<string, string>): Map<string, { value: unknown; origin: string }> => {
    const { status, stdout, stderr } = runProgram(context, ['config', '--json', ...args], env);
    assert.equal(status, 0, stderr);
    return new Map(JSON.parse(stdout).settings.map((row: { key: string }) => [row.key, row]));
  };
  const env = { OBSIDIAN_VAULT_PATH: two, VAULTGRAPH_CONFIG: file };
  const all = settings(['--vault', one], env);
  assert.equal(all.get('vault.path')?.value, one);
  assert.match(all.get('vault.path')?.origin ?? '', /--vault/);
  assert.equal(settings([], env).get('vault.path')?.value, two);
  const fromFile = settings([], { VAULTGRAPH_CONFIG: file });
  assert.equal(fromFile.get('vault.path')?.value, three);
  assert.match(fromFile.get('limits.batch')?.origin ?? '', /config\.yaml:2/);
  assert.equal(fromFile.get('limits.batch')?.value, 7);
  assert.equal(fromFile.get('limits.call')?.origin, 'default');
  const home = temporaryFolder(context);
  mkdirSync(join(home, 'vaultgraph'));
  writeFileSync(join(home, 'vaultgraph/config.yaml'), `vault: { path: ${two} }\n`);
  assert.equal(settings([], { XDG_CONFIG_HOME: home }).get('vault.path')?.value, two);
});

test('a config file inside the vault is not read unless it is named', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  for (const name of ['config.yaml', 'vaultgraph.yaml', '.vaultgraph.yaml']) {
    writeFileSync(join(vault, name), 'limits: { batch: 3 }\n');
  }
  const { stdout } = runProgram(context, ['config', '--json', '--vault', vault]);
  const batch = JSON.parse(stdout).settings.find(({ key }: { key: string }) => key === 'limits.batch');
  assert.equal(batch.origin, 'default');
});

test('the index is stored in $XDG_DATA_HOME under a hash of the vault’s real path; a data folder in the vault is refused', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const data = temporaryFolder(context);
  assert.equal(runProgram(context, ['index', '--vault', vault], { XDG_DATA_HOME: data }).status, 0);
  assert.match(indexFile(join(data, 'vaultgraph')), /vaultgraph\/[0-9a-f]{16}\/index\.db$/);
  const inside = runProgram(context, ['index', '--vault', vault, '--data-dir', join(vault, 'index')]);
  assert.equal(inside.status, 78);
  assert.match(inside.stderr, /inside the vault/);
});

test('a reader such as head that closes the pipe early ends export without an error', async (context) => {
  const { vault, dataFolder, run } = placeOf(context);
  run('index');
  const args = [PROGRAM, 'export', '--vault', vault, '--data-dir', dataFolder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, stderr);
});

test('index fails with a message while another process writes, and succeeds afterwards', (context) => {
  const { run, dataFolder, vault } = placeOf(context);
  run('index');
  rmSync(join(vault, 'Ideas/Unsorted.md'));
  const holder = new Database(indexFile(dataFolder));
  holder.exec('BEGIN IMMEDIATE');
  const busy = run('index');
  assert.notEqual(busy.status, 0);
  assert.match(busy.stderr, /STORE_BUSY/);
  holder.exec('ROLLBACK');
  holder.close();
  assert.equal(run('index').status, 0);
});
