// Runs `vaultgraph view` as a user: its address, its access control, its exit, and the exported graph.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRawServer } from './raw-server.ts';
import { configFile, copyOfFixture, PROGRAM, runProgram, temporaryFolder } from './session.ts';

interface Viewing {
  readonly child: ChildProcess;
  /** The first line it printed. */
  readonly line: string;
}

/** @param programs the folder that is its PATH */
async function startView(context: TestContext, args: readonly string[], programs?: string): Promise<Viewing> {
  const home = temporaryFolder(context);
  const child = spawn(process.execPath, [PROGRAM, 'view', ...args], {
    env: { PATH: programs ?? process.env.PATH ?? '', HOME: home },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, line };
}

type Reported =
  | { readonly ok: true; readonly data: { readonly notes: readonly object[] } }
  | { readonly ok: false; readonly error: { readonly code: string } };

/** The graph once indexing is complete. */
async function graphAt(url: string): Promise<{ readonly notes: readonly object[] }> {
  for (;;) {
    const reported = (await (await fetch(`${url}api/graph`)).json()) as Reported;
    if (reported.ok) return reported.data;
    assert.match(reported.error.code, /^(INDEX_BUILDING|INDEX_EMPTY|NOT_READY)$/);
  }
}

test('it prints its address, serves the built page to anyone with the address, and exits soon after a signal', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const { child, line } = await startView(context, ['--vault', vault]);
  assert.match(line, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
  const page = await fetch(line);
  assert.deepEqual([page.status, (await fetch(new URL('/', line))).status], [200, 403]);
  assert.match(await page.text(), /<script src="page\.js"><\/script>/);
  for (const name of ['page.js', 'page.css', 'layout-thread.js']) assert.equal((await fetch(line + name)).status, 200);
  assert.equal((await graphAt(line)).notes.length, 12);
  const began = performance.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 143);
  assert.ok(performance.now() - began < 20_000);
  await assert.rejects(fetch(line));
});

test('next to a leading server it follows, and shows changes made meanwhile', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const server = startRawServer(context, { vault });
  await server.begin();
  const args = ['--vault', vault, '--data-dir', server.dataFolder, '--json', '--no-open'];
  const { child, line } = await startView(context, args);
  const { url } = JSON.parse(line);
  const before = await graphAt(url);
  writeFileSync(join(vault, 'Written meanwhile.md'), 'It says [[Home]].');
  while ((await graphAt(url)).notes.length === before.notes.length);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [130, null]);
});

test('a port that is in use is reported, and nothing is served', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const { line } = await startView(context, ['--vault', vault]);
  const { port } = new URL(line);
  const { status, stderr, stdout } = runProgram(context, ['view', '--vault', vault, '--port', port]);
  assert.deepEqual([status, stdout], [78, '']);
  assert.match(stderr, new RegExp(`--port: no server can listen on port ${port} \\(EADDRINUSE\\)`));
  assert.equal(runProgram(context, ['view', '--vault', vault, '--port', '70000']).status, 64);
});

/** The first characters of each file format. */
const BEGINNINGS = {
  html: /^<!doctype html>[\s\S]*http-equiv="content-security-policy"/,
  svg: /^<svg xmlns=/,
  graphml: /^<\?xml [\s\S]*<graphml /,
  json: /^\{"nodes":\[/,
  dot: /^digraph vault \{/,
};

test('--export writes the whole graph in each format, the same as `export` prints', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const folder = temporaryFolder(context);
  const place = ['--vault', vault, '--data-dir', join(folder, 'data')];
  for (const [format, beginning] of Object.entries(BEGINNINGS)) {
    const file = join(folder, `graph of it.${format}`);
    const { status, stdout } = runProgram(context, ['view', ...place, '--export', file]);
    assert.deepEqual([format, status, stdout], [format, 0, `${file}\n`]);
    const text = readFileSync(file, 'utf8');
    assert.match(text, beginning);
    assert.equal(runProgram(context, ['export', ...place, '--format', format]).stdout, text);
  }
  assert.deepEqual(readdirSync(folder).length, Object.keys(BEGINNINGS).length + 1, 'no draft is left');
});

test('--export does not overwrite a file without --force, and reports write errors', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const folder = mkdtempSync(join(temporaryFolder(context), 'out-'));
  const file = join(folder, 'graph.svg');
  const write = (name: string, ...more: readonly string[]) =>
    runProgram(context, ['view', '--vault', vault, '--export', name, ...more]);
  writeFileSync(file, 'mine');
  const refused = write(file);
  assert.deepEqual([refused.status, readFileSync(file, 'utf8')], [64, 'mine']);
  assert.match(refused.stderr, /already exists\. Use --force to replace it\./);
  assert.equal(write(file, '--force').status, 0);
  assert.match(readFileSync(file, 'utf8'), BEGINNINGS.svg);
  assert.equal(write(join(folder, 'graph.png')).status, 64);
  assert.equal(write(join(folder, 'graph.dot'), '--with-text').status, 64);
  const nowhere = write(join(folder, 'no/such/graph.svg'));
  assert.deepEqual([nowhere.status, /FILE_WRITE_FAILED/.test(nowhere.stderr)], [78, true]);
  assert.deepEqual(readdirSync(folder), ['graph.svg']);
});

test('a command writes into a vault only where it may be written to and the absolute path is given', (context) => {
  const [one, two] = [copyOfFixture(context, 'tiny'), copyOfFixture(context, 'tiny')];
  const home = temporaryFolder(context);
  writeFileSync(join(one, 'Rose.md'), '---\npublish: true\n---\nA rose.\n');
  symlinkSync(one, join(home, 'link'));
  const of = (path: string, access: string) => `{ path: ${JSON.stringify(path)}, access: ${access} }`;
  const vaults = (access: string) => `vaults:\n  one: ${of(one, 'read-write')}\n  two: ${of(two, access)}\n`;
  const [closed, open] = [configFile(context, vaults('read-only')), configFile(context, vaults('read-write'))];
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], {
      ...{ cwd: one, encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: home } },
    });
  const inOne = ['--config', closed, '--vault', 'one'];
  const before = [one, two].map((folder) => readdirSync(folder));
  const site = ['export', '--format', 'site', '--force', '--out'];
  for (const [rule, ...args] of [
    ['absolute', 'view', ...inOne, '--export', 'graph.html'],
    ['absolute', ...site, 'site', ...inOne],
    ['absolute', ...site, '.', ...inOne],
    ['absolute', ...site, `../${basename(home)}/link`, ...inOne],
    ['read-only', 'view', ...inOne, '--export', join(two, 'graph.html')],
    ['read-only', ...site, join(two, 'site'), ...inOne],
    ['read-only', 'view', '--vault', one, '--export', join(one, 'graph.html')],
    ['read-only', 'init', '--yes', '--vault', one, '--config', join(one, 'config.yaml')],
    ['absolute', 'init', '--yes', '--vault', one, '--config', 'config.yaml', '--access', 'read-write'],
  ]) {
    const { status, stderr } = run(...args);
    const refusal = rule === 'absolute' ? /into the vault\. Give an absolute path/ : /into a vault that is read-only/;
    assert.equal(status, 64, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, refusal);
  }
  assert.deepEqual(
    [one, two].map((folder) => readdirSync(folder)),
    before,
  );
  assert.equal(run('view', ...inOne, '--export', join(one, 'graph.html')).status, 0);
  assert.equal(run(...site, join(two, 'site'), '--config', open, '--vault', 'one').status, 0);
  assert.ok(existsSync(join(one, 'graph.html')) && existsSync(join(two, 'site/index.html')));
});

test('the page contains the text of notes only if requested', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  writeFileSync(join(vault, 'Said.md'), 'A word that is nowhere else: quokka.');
  const folder = temporaryFolder(context);
  const html = (name: string, ...more: readonly string[]): string => {
    const file = join(folder, name);
    assert.equal(runProgram(context, ['view', '--vault', vault, '--export', file, ...more]).status, 0);
    return readFileSync(file, 'utf8');
  };
  assert.doesNotMatch(html('without.html'), /quokka/);
  assert.match(html('with.html', '--with-text'), /quokka/);
});

test('--open gives the browser an address that works once; the printed address keeps working', async (context) => {
  if (process.platform !== 'linux') return context.skip('the opener of this system cannot be replaced by a script');
  const vault = copyOfFixture(context, 'tiny');
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${folder}/opened'\n`, {
    mode: 0o755,
  });
  const { line } = await startView(context, ['--vault', vault, '--open'], folder);
  while (!existsSync(join(folder, 'opened')) || readFileSync(join(folder, 'opened'), 'utf8').split('\n').length < 3)
    await sleep(20);
  const [count, opened = ''] = readFileSync(join(folder, 'opened'), 'utf8').split('\n');
  assert.equal(count, '1');
  assert.ok(
    !opened.includes(new URL(line).pathname.slice(1, -1)),
    'every user of the machine sees what programs are given',
  );
  const first = await fetch(opened);
  assert.deepEqual([first.status, first.url], [200, line]);
  assert.deepEqual([(await fetch(opened)).status, (await fetch(line)).status], [403, 200]);
});

test('if no browser can be opened it says so and still serves the page', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const { child, line } = await startView(context, ['--vault', vault, '--open'], temporaryFolder(context));
  let reported = '';
  child.stderr?.on('data', (chunk) => {
    reported += chunk;
  });
  while (process.platform === 'linux' && !reported.includes('no browser was opened (xdg-open: ENOENT)'))
    await sleep(20);
  assert.equal((await fetch(line)).status, 200);
});
