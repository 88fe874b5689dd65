// Checks the one-click bundles: size and native parts of each, and on this system a session through the manifest's own command.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { bundle, nameOf, packer } from './bundle.ts';
import { PLATFORMS } from './bundle-manifest.ts';
import { pack, ROOT, workFolder } from './installed.ts';

const MAX_BYTES = 12_000_000;
const HERE = `${process.platform}-${process.arch}`;
const FORMATS: Readonly<Record<string, RegExp>> = { linux: /^\x7fELF/, darwin: /^\xcf\xfa\xed\xfe/, win32: /^MZ/ };

interface Manifest {
  readonly server: { readonly mcp_config: { command: string; args: string[]; env: Record<string, string> } };
  readonly prompts: readonly { readonly name: string }[];
}

suite('the one-click bundle', () => {
  const work = workFolder();
  const unpacked = (name: string): string => join(work.path, `un packed ${name}`);
  const files = new Map<string, string>();
  let home: string;
  let vault: string;

  before(() => {
    const packed = pack(work.path).file;
    for (const platform of PLATFORMS) {
      const name = nameOf(platform);
      const file = bundle(platform, packed, work.path, work.path);
      packer('unpack', file, unpacked(name));
      files.set(name, file);
    }
    home = join(work.path, 'home');
    vault = join(work.path, 'My Notes');
    mkdirSync(home);
    cpSync(join(ROOT, 'vault-fixtures/tiny'), vault, { recursive: true });
  });
  after(() => work.remove());

  for (const platform of PLATFORMS) {
    test(`${nameOf(platform)}: is small, and has only the native parts of that platform`, (context) => {
      const { size } = statSync(files.get(nameOf(platform)) ?? '');
      context.diagnostic(`${size} bytes`);
      assert.ok(size <= MAX_BYTES, `${size} bytes`);
      const folder = unpacked(nameOf(platform));
      const native = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /\.(?:node|so|dylib|dll)$/.test(path),
      );
      assert.equal(native.length, { linux: 4, darwin: 0, win32: 3 }[platform.os], native.join());
      for (const path of native)
        assert.match(readFileSync(join(folder, path), 'latin1'), FORMATS[platform.os] ?? assert.fail(path), path);
    });
  }

  /** As an application fills in the manifest of an unpacked bundle. */
  function commandOf(folder: string, settings: Readonly<Record<string, string>>) {
    const { server } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    const filled = (text: string): string =>
      text
        .replaceAll(/\$\{__dirname\}/g, () => folder)
        .replaceAll(/\$\{user_config\.(\w+)\}/g, (whole, key: string) => settings[key] ?? whole);
    const { command, args, env } = server.mcp_config;
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    return { command: filled(command), args: args.map(filled), env: variables };
  }

  async function session(
    given: { readonly command: string; readonly args: readonly string[]; readonly env: Record<string, string> },
    path: string,
  ) {
    const client = new Client({ name: 'application', version: '1.0.0' });
    const env = { ...given.env, HOME: home, PATH: path };
    const transport = new StdioClientTransport({
      command: given.command,
      args: [...given.args],
      env,
      cwd: home,
      stderr: 'ignore',
    });
    await client.connect(transport);
    return client;
  }

  /** A PATH with only this Node. */
  function pathWithNode(): string {
    const folder = join(work.path, 'bin');
    mkdirSync(folder, { recursive: true });
    rmSync(join(folder, 'node'), { force: true });
    symlinkSync(process.execPath, join(folder, 'node'));
    return folder;
  }

  const isHere = PLATFORMS.some((platform) => nameOf(platform) === HERE);
  const skip = isHere ? false : `no bundle is built for ${HERE}`;

  test('answers through the command of its manifest, writes where that is allowed, and goes without a trace', {
    skip,
  }, async () => {
    const folder = unpacked(HERE);
    const client = await session(commandOf(folder, { vault, changes: 'true' }), pathWithNode());
    try {
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'create_note'));
      const { prompts } = await client.listPrompts();
      const { prompts: listed } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
      assert.deepEqual(listed.map(({ name }) => name).sort(), prompts.map(({ name }) => name).sort());
      const found = await client.callTool({ name: 'search_text', arguments: { query: 'tide' } });
      assert.equal((found.structuredContent as { ok: boolean }).ok, true);
      const made = await client.callTool({ name: 'create_note', arguments: { path: 'From the bundle', content: 'x' } });
      assert.equal((made.structuredContent as { ok: boolean }).ok, true, JSON.stringify(made.content));
    } finally {
      await client.close();
    }
    for (const own of ['.local/share/vaultgraph', '.local/state/vaultgraph'])
      rmSync(join(home, own), { recursive: true });
    const left = readdirSync(home, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(left.sort(), ['.local', '.local/share', '.local/state']);
  });

  for (const [name, options] of [
    ['darwin-universal', []],
    [HERE, ['--no-addons']],
  ] as const)
    test(`${name} runs without native parts on the Node of the application: ${options}`, { skip }, async () => {
      const { args, env } = commandOf(unpacked(name), { vault, changes: 'true' });
      // On this system the program flock is needed to write.
      const path = [pathWithNode(), '/usr/bin', '/bin'].join(delimiter);
      const client = await session({ command: process.execPath, args: [...options, ...args], env }, path);
      const call = async (tool: string, given: Record<string, unknown>) =>
        (await client.callTool({ name: tool, arguments: given })).structuredContent as { ok: boolean; data: object };
      try {
        assert.match(
          JSON.stringify((await call('status', {})).data),
          /on node:sqlite, because better-sqlite3 does not/,
        );
        const made = await call('create_note', { path: `Without ${name}`, content: 'x' });
        assert.equal(made.ok, true, JSON.stringify(made));
        assert.equal((await call('search_text', { query: 'tide' })).ok, true);
      } finally {
        await client.close();
      }
    });

  /** Neither native parts nor node:sqlite. */
  const OLD = ['--no-addons', '--no-experimental-sqlite'];

  test('starts the Node of the user where that of the application is too old', { skip }, async () => {
    const { args, env } = commandOf(unpacked(HERE), { vault });
    const refusing = { command: process.execPath, args: [...OLD, ...args], env };
    // The search skips the application's own Node, by its path.
    const other = join(work.path, 'other');
    mkdirSync(other);
    cpSync(process.execPath, join(other, 'node'));
    const client = await session(refusing, other);
    const { structuredContent } = await client.callTool({ name: 'list_notes', arguments: { limit: 1 } });
    await client.close();
    assert.equal((structuredContent as { ok: boolean }).ok, true);
  });

  test('says in one sentence what to do where there is no such Node', { skip }, (context) => {
    const { args, env } = commandOf(unpacked(HERE), { vault });
    const usual = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node', '/opt/local/bin/node'];
    const found = usual.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
    const versions = found.map((path) => spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout);
    if (versions.some((version) => Number(/^v(\d+)/.exec(version)?.[1]) >= 22))
      return context.skip('this machine has a Node in the usual places');
    const run = spawnSync(process.execPath, [...OLD, ...args], {
      env: { ...env, HOME: home, PATH: ['/nowhere', '/none'].join(delimiter) },
      encoding: 'utf8',
      input: '',
    });
    assert.equal(run.status, 1);
    assert.equal(run.stdout, '');
    assert.match(run.stderr, /^vaultgraph cannot start: [^\n]+ install Node from nodejs\.org [^\n]+\n$/);
  });
});
