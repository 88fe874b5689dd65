// Installs the built program into the settings of every client, starts it from there, and uninstalls it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { CLIENTS, type Client } from '../../src/cli/install/clients.ts';
import { assertEach } from '../assert-each.ts';
import { copyOfFixture, PROGRAM, temporaryFolder } from './session.ts';

/** What docs/clients.md names under "Removing everything". */
const OWN_FOLDERS = ['.config/vaultgraph', '.local/share/vaultgraph', '.local/state/vaultgraph'];
/** Shared by all programs of a user. */
const EMPTY_ABOVE = ['.local', '.local/share', '.local/state'];

const OF_USER = {
  json: '{\n   "mine": [1,  2],\r\n "z": null}',
  jsonc: '// mine\n{ "mine": [1,  2], /* kept */ "z": null,}\n',
  toml: '# mine\nmine = [1,  2]\n\n[other] # kept\na = "b"',
  yaml: '# mine\nmine: [1,  2]\nother:\n    a: b # kept',
};

interface Place {
  readonly home: string;
  readonly vault: string;
  /** In the home folder's project. */
  run(...args: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  settings(client: string): string;
}

function place(context: TestContext): Place {
  const home = join(temporaryFolder(context), 'home of é');
  const cwd = join(home, 'a project');
  mkdirSync(cwd, { recursive: true });
  const vault = copyOfFixture(context, 'tiny');
  const settingsOf = (name: string) =>
    CLIENTS.find((client) => client.name === name)?.settingsFile({ platform: process.platform, env: {}, home, cwd }) ??
    '';
  const run: Place['run'] = (...args) => {
    const env = { PATH: process.env.PATH ?? '', HOME: home };
    return spawnSync(process.execPath, [PROGRAM, ...args], { env, cwd, input: '', encoding: 'utf8' });
  };
  return { home, vault, run, settings: settingsOf };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Parses the settings as the client does. */
function serversOf(file: string, key: string): Record<string, { command: string; args: string[] }> {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.yaml')) return parseYaml(text)[key];
  return (file.endsWith('.toml') ? parse(text) : JSON.parse(text))[key];
}

/** The command in the entry, as the client reads it. */
function commandOf({ name, servers, isList, entry }: Client, file: string): readonly string[] {
  const found: unknown = serversOf(file, servers.at(-1)?.[0] ?? '');
  const own = isList ? (found as { name: string }[]).find((one) => one.name === 'vaultgraph') : undefined;
  return entry.read(own ?? (found as Record<string, unknown>).vaultgraph) ?? assert.fail(`no server for ${name}`);
}

const treeOf = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

suite('install', () => {
  for (const client of CLIENTS) {
    const { name } = client;
    test(`${name}: from a fresh home to a first answer and back, and nothing is left`, async (context) => {
      const { home, vault, run, settings } = place(context);
      const fresh = treeOf(home);
      const dry = run('install', '--client', name, '--vault', vault, '--dry-run');
      assert.match(dry.stdout, /would be added to/);
      assert.deepEqual(treeOf(home), fresh);
      const { status, stdout } = run('install', '--client', name, '--vault', vault);
      assert.equal(status, 0, stdout);
      const [command = '', ...args] = commandOf(client, settings(name));
      const connected = new McpClient({ name: 'test', version: '1' });
      // A client may start it from any folder and without the user's shell environment.
      const env = { HOME: home };
      await connected.connect(new StdioClientTransport({ command, args, cwd: '/', env, stderr: 'ignore' }));
      // A busy machine may take longer for the first index than a call waits for it.
      await connected.callTool({ name: 'reindex', arguments: { wait_ms: 45_000 } });
      const { structuredContent } = await connected.callTool({ name: 'list_notes', arguments: { limit: 1 } });
      await connected.close();
      assert.equal((structuredContent as { ok: boolean }).ok, true, JSON.stringify(structuredContent));
      assert.equal(run('uninstall', '--client', name).status, 0);
      for (const own of OWN_FOLDERS) rmSync(join(home, own), { recursive: true, force: true });
      const left = treeOf(home).filter((path) => !EMPTY_ABOVE.includes(path));
      assert.deepEqual(left, fresh);
    });

    test(`${name}: settings of the user come back byte for byte, and no copy is left`, (context) => {
      const { vault, run, settings } = place(context);
      const file = settings(name);
      const before = OF_USER[client.format];
      write(file, before);
      assert.equal(run('install', '--client', name, '--vault', vault).status, 0);
      assert.equal(run('install', '--client', name, '--vault', copyOfFixture(context, 'tiny')).status, 0);
      assert.equal(run('uninstall', '--client', name).status, 0);
      assert.equal(readFileSync(file, 'utf8'), before);
      assert.deepEqual(
        readdirSync(dirname(file)).filter((one) => one !== 'a project'),
        [basename(file)],
      );
    });
  }

  for (const client of ['vscode', 'cursor', 'claude-desktop'])
    test(`${client}: empty folders that were there before stay, whatever else is removed`, (context) => {
      const { vault, run, settings } = place(context);
      const file = settings(client);
      mkdirSync(dirname(dirname(file)), { recursive: true });
      for (const isOwn of [false, true]) {
        if (isOwn) mkdirSync(dirname(file), { recursive: true });
        assert.equal(run('install', '--client', client, '--vault', vault).status, 0);
        assert.equal(run('uninstall', '--client', client).status, 0);
        assert.deepEqual([existsSync(dirname(dirname(file))), existsSync(dirname(file))], [true, isOwn]);
      }
      assert.deepEqual(readdirSync(dirname(file)), []);
    });

  test('the three newest backups are kept', (context) => {
    const { vault, run, settings } = place(context);
    const file = settings('cursor');
    write(file, '{}');
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) run('install', '--client', 'cursor', '--vault', vault, '--name', name);
    const backups = readdirSync(dirname(file)).filter((name) => name.endsWith('.bak'));
    const kept = backups
      .sort()
      .map((name) => Object.keys(JSON.parse(readFileSync(join(dirname(file), name), 'utf8')).mcpServers));
    assertEach(kept, ({ length }) => length, [2, 3, 4]);
  });

  test('keeps existing settings and makes a backup; a second run changes nothing; uninstall restores every byte', (context) => {
    const { vault, run, settings } = place(context);
    const file = settings('vscode');
    const before =
      '// mine\n{\n    "servers": {\n        "other": {"command": "x"}, // kept\n    },\n    "inputs": []\n}';
    write(file, before);
    const dry = run('install', '--client', 'vscode', '--vault', vault, '--dry-run');
    assert.match(dry.stdout, /\n\+ {8}"vaultgraph": \{/);
    assert.equal(readFileSync(file, 'utf8'), before);
    const added = JSON.parse(run('install', '--client', 'vscode', '--vault', vault, '--json').stdout);
    assert.equal(added.action, 'added');
    assert.equal(readFileSync(added.backup, 'utf8'), before);
    const after = readFileSync(file, 'utf8');
    for (const kept of ['// mine', '"other": {"command": "x"}, // kept', '"inputs": []'])
      assert.ok(after.includes(kept), after);
    const again = JSON.parse(run('install', '--client', 'vscode', '--vault', vault, '--json').stdout);
    assert.deepEqual([again.action, again.backup], ['unchanged', undefined]);
    assert.equal(run('uninstall', '--client', 'vscode').status, 0);
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.equal(JSON.parse(run('uninstall', '--client', 'vscode', '--json').stdout).action, 'absent');
  });

  test('a backup that is damaged, or that something else has replaced, is not written back and holds up nothing', (context) => {
    const { vault, run, settings } = place(context);
    const file = settings('cursor');
    const damages: readonly ((backup: string) => void)[] = [
      (backup) => writeFileSync(backup, readFileSync(backup).fill(0xff, 4, 5)),
      (backup) => writeFileSync(backup, readFileSync(backup).fill(0x41, 4, 5)),
      (backup) => mkdirSync(backup),
      (backup) => spawnSync('mkfifo', [backup]),
    ];
    for (const damage of damages) {
      write(file, '{"mcpServers": {"other": {"command": "x"}}}');
      const { backup } = JSON.parse(run('install', '--client', 'cursor', '--vault', vault, '--json').stdout);
      if (damages.indexOf(damage) >= 2) rmSync(backup);
      damage(backup);
      const removed = run('uninstall', '--client', 'cursor');
      assert.equal(removed.status, 0, removed.stderr);
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { mcpServers: { other: { command: 'x' } } });
    }
  });

  test('uninstall creates no settings file, and leaves empty settings empty', (context) => {
    const { vault, run, settings } = place(context);
    for (const client of ['codex', 'zed']) {
      assert.equal(JSON.parse(run('uninstall', '--client', client, '--json').stdout).action, 'absent');
      assert.throws(() => readFileSync(settings(client)), /ENOENT/);
      write(settings(client), '');
      run('install', '--client', client, '--vault', vault);
      run('uninstall', '--client', client);
      assert.equal(readFileSync(settings(client), 'utf8'), '');
    }
  });

  test('uninstall keeps what the user wrote after the installation', (context) => {
    const { vault, run, settings } = place(context);
    const file = settings('cursor');
    run('install', '--client', 'cursor', '--vault', vault);
    const own = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...own, later: true }));
    assert.doesNotMatch(run('uninstall', '--client', 'cursor').stdout, /Next:|starts:|warning:/);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { mcpServers: {}, later: true });
  });

  test('two names give two servers, and another vault replaces the server of the same name', (context) => {
    const { home, vault, run, settings } = place(context);
    const other = copyOfFixture(context, 'tiny');
    run('install', '--client', 'zed', '--vault', vault);
    run('install', '--client', 'zed', '--vault', other, '--name', 'work');
    const replaced = JSON.parse(run('install', '--client', 'zed', '--vault', other, '--json').stdout);
    assert.equal(replaced.action, 'replaced');
    const servers = serversOf(settings('zed'), 'context_servers');
    assert.deepEqual(Object.keys(servers).sort(), ['vaultgraph', 'work']);
    assert.deepEqual(servers.vaultgraph?.args, servers.work?.args);
    assert.ok(home);
  });

  test('a config file is written with its absolute path, and a config that would not start is not installed', (context) => {
    const { home, vault, run, settings } = place(context);
    const config = join(home, '.config/vaultgraph/config.yaml');
    write(config, `vault: { path: ${JSON.stringify(vault)} }\n`);
    run('install', '--client', 'codex');
    assert.deepEqual(serversOf(settings('codex'), 'mcp_servers').vaultgraph?.args.slice(1), [
      'serve',
      '--config',
      config,
    ]);
    writeFileSync(config, 'vualt: {}\n');
    const { status, stderr } = run('install', '--client', 'cursor');
    assert.equal(status, 78);
    assert.match(stderr, /config\.yaml:1:1: unknown key `vualt`/);
    assert.throws(() => readFileSync(settings('cursor')), /ENOENT/);
  });

  test('settings that do not parse are reported with their position and not changed', (context) => {
    const { vault, run, settings } = place(context);
    for (const text of [
      '{ "mcpServers": {,} }',
      '{} // a comment that this client does not take',
      '[]',
      '{"mcpServers": 1}',
    ]) {
      const file = settings('claude-desktop');
      write(file, text);
      for (const command of ['install', 'uninstall']) {
        const { status, stderr } = run(command, '--client', 'claude-desktop', '--vault', vault);
        assert.equal(status, 78, stderr);
        assert.match(stderr, /claude_desktop_config\.json/);
      }
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.deepEqual(readdirSync(dirname(file)), ['claude_desktop_config.json']);
    }
  });

  test('a folder in place of the settings file is reported, and a symbolic link to the file stays a link', (context) => {
    const { home, vault, run, settings } = place(context);
    mkdirSync(settings('windsurf'), { recursive: true });
    assert.match(run('install', '--client', 'windsurf', '--vault', vault).stderr, /FILE_UNREADABLE.*EISDIR/);
    write(join(home, 'dotfiles/mcp.json'), '{}');
    mkdirSync(dirname(settings('cursor')), { recursive: true });
    symlinkSync(join(home, 'dotfiles/mcp.json'), settings('cursor'));
    assert.equal(run('install', '--client', 'cursor', '--vault', vault).status, 0);
    assert.ok(lstatSync(settings('cursor')).isSymbolicLink());
    assert.ok(JSON.parse(readFileSync(join(home, 'dotfiles/mcp.json'), 'utf8')).mcpServers.vaultgraph);
  });

  test('an unknown client or an invalid name is a usage error that lists the valid values', (context) => {
    const { vault, run } = place(context);
    const unknown = run('install', '--client', 'emacs', '--vault', vault);
    assert.equal(unknown.status, 64);
    for (const { name } of CLIENTS) assert.ok(unknown.stderr.includes(name));
    const unnamed = run('install', '--vault', vault);
    assert.equal(unnamed.status, 64);
    assert.match(
      unnamed.stderr,
      /which client\? .* install --client NAME --vault .*accepts `--client claude-desktop`, /s,
    );
    assert.doesNotMatch(unnamed.stderr, /found here/);
    run('install', '--client', 'zed', '--vault', vault);
    assert.match(run('uninstall').stderr, /\(found here: zed\)$/m);
    assert.equal(run('install', '--client', 'zed', '--name', 'a b', '--vault', vault).status, 64);
  });
});

test('doctor reports a client whose server file is missing, two clients that differ, and settings that do not parse', (context) => {
  const { vault, run, settings } = place(context);
  const clients = () => {
    const { checks } = JSON.parse(run('doctor', '--vault', vault, '--json').stdout);
    return checks.find(({ check }: { check: string }) => check === 'clients');
  };
  assert.equal(clients().status, 'ok');
  run('install', '--client', 'cursor', '--vault', vault);
  run('install', '--client', 'codex', '--vault', vault);
  assert.match(clients().detail, /Cursor, Codex/);
  run('install', '--client', 'codex', '--vault', copyOfFixture(context, 'tiny'));
  assert.equal(clients().status, 'warning');
  const moved = readFileSync(settings('cursor'), 'utf8').replace('main.js', 'gone/main.js');
  writeFileSync(settings('cursor'), moved);
  assert.equal(clients().status, 'failing');
  assert.match(clients().detail, /Cursor, vaultgraph: .*gone\/main\.js does not exist/);
  writeFileSync(settings('cursor'), '{');
  assert.match(clients().detail, /Cursor: .*mcp\.json:1:2/);
});

test('doctor reports a client that starts a Node version that is too old', {
  skip: process.platform === 'win32',
}, (context) => {
  const { home, vault, run, settings } = place(context);
  run('install', '--client', 'cursor', '--vault', vault);
  const node = join(home, 'node');
  writeFileSync(node, '#!/bin/sh\necho v20.11.0\n', { mode: 0o755 });
  const own = readFileSync(settings('cursor'), 'utf8').replace(JSON.stringify(process.execPath), JSON.stringify(node));
  writeFileSync(settings('cursor'), own);
  const { checks } = JSON.parse(run('doctor', '--vault', vault, '--json').stdout);
  const clients = checks.find(({ check }: { check: string }) => check === 'clients');
  assert.equal(clients.status, 'failing');
  assert.match(clients.detail, /Cursor, vaultgraph: starts Node v20\.11\.0, 22 or newer is needed/);
});

test('doctor checks the index folder from the config, and write permission if the config has access read-write', (context) => {
  const { home, vault, run } = place(context);
  const config = join(home, 'config.yaml');
  const index = join(home, 'Dropbox/index.db');
  mkdirSync(dirname(index));
  const text = { vault: { path: vault, access: 'read-write' }, providers: { store: { type: 'sqlite', path: index } } };
  writeFileSync(config, JSON.stringify(text));
  const found = (name: string) =>
    JSON.parse(run('doctor', '--config', config, '--json').stdout).checks.find(
      ({ check }: { check: string }) => check === name,
    );
  assert.equal(found('data folder').status, 'warning');
  assert.match(found('data folder').detail, /sync client/);
  assert.match(found('vault').detail, /read-write$/);
  // Root may read and write everything.
  if (process.getuid?.() === 0) return;
  chmodSync(vault, 0o555);
  assert.equal(found('vault').status, 'failing');
  assert.match(found('vault').hint, /read-only/);
  chmodSync(vault, 0o755);
});
