// Checks that hints name the program the way the user started it, with the options that say what it works on.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, programName, shellWord } from '../../src/base/command-line.ts';

const started = (script: string, cwd = '/home/e', args: readonly string[] = [], path = '') => ({
  argv: ['/usr/bin/node', script, ...args],
  cwd,
  path: `/usr/bin:${path}`,
  execPath: '/usr/bin/node',
});

test('the program is named as it was started', () => {
  for (const [script, cwd, named] of [
    ['/home/e/vaultgraph/dist/main.js', '/home/e/vaultgraph', 'node dist/main.js'],
    ['/home/e/vaultgraph/dist/main.js', '/home/e', 'node vaultgraph/dist/main.js'],
    ['/opt/my tools/dist/main.js', '/home/e', 'node "/opt/my tools/dist/main.js"'],
    ['/usr/local/bin/vaultgraph', '/home/e', 'vaultgraph'],
    ['/usr/lib/node_modules/vaultgraph/dist/main.js', '/home/e', 'vaultgraph'],
    ['/home/e/site/node_modules/vaultgraph/dist/main.js', '/home/e/site', 'npx vaultgraph'],
    ['/home/e/site/node_modules/.bin/vaultgraph', '/home/e/site', 'npx vaultgraph'],
    ['/home/e/.npm/_npx/17f0/node_modules/.bin/vaultgraph', '/home/e', 'npx vaultgraph'],
    ['C:\\npm-cache\\_npx\\17f0\\node_modules\\vaultgraph\\dist\\main.js', '/', 'npx vaultgraph'],
    ['C:\\Users\\e\\AppData\\Roaming\\npm\\node_modules\\vaultgraph\\dist\\main.js', '/', 'vaultgraph'],
  ] as const)
    assert.equal(programName(started(script, cwd)), named);
});

test('an installed program is `vaultgraph` if that is on the PATH, but for the folders that npx and npm add', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-path-'));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'vaultgraph'), '');
  const script = '/home/e/.pnpm-global/5/node_modules/vaultgraph/dist/main.js';
  assert.equal(programName(started(script, '/', [], `/nowhere:${folder}`)), 'vaultgraph');
  assert.equal(programName(started(script, '/', [], '/nowhere:/site/node_modules/.bin')), 'npx vaultgraph');
});

test('a server names whole paths, since its client starts it anywhere', () => {
  const server = started('/home/e/vaultgraph/dist/main.js', '/home/e/vaultgraph', ['serve', '--vault', 'my notes']);
  const vault = '"/home/e/vaultgraph/my notes"';
  assert.equal(commandLine('doctor', server), `node /home/e/vaultgraph/dist/main.js doctor --vault ${vault}`);
});

test('a command keeps the options that say what it works on, and no others', () => {
  const args = ['status', '--json', '--config=c.yaml', '--data-dir', '/data', '--quiet'];
  const command = commandLine('index', started('/usr/local/bin/vaultgraph', '/', args));
  assert.equal(command, 'vaultgraph index --config c.yaml --data-dir /data');
});

test('a program that another Node runs than that of the PATH names the one that runs, as it is typed there', (context) => {
  const checkout = mkdtempSync(join(tmpdir(), 'vaultgraph-checkout-'));
  context.after(() => rmSync(checkout, { recursive: true }));
  const own = join(checkout, 'node_modules/node/bin/node');
  for (const folder of ['node_modules/node/bin', 'node_modules/.bin', 'bin'])
    mkdirSync(join(checkout, folder), { recursive: true });
  writeFileSync(own, '');
  writeFileSync(join(checkout, 'bin/node'), '');
  symlinkSync(own, join(checkout, 'node_modules/.bin/node'));
  const script = join(checkout, 'dist/main.js');
  const named = (execPath: string, path: string, command = 'status'): string =>
    programName({ argv: [execPath, script, command], cwd: checkout, path, execPath });
  const older = join(checkout, 'bin');
  assert.equal(named(own, older), 'node_modules/.bin/node dist/main.js');
  assert.equal(named(own, `${checkout}/node_modules/.bin:${older}`), 'node_modules/.bin/node dist/main.js');
  assert.equal(named(own, ''), 'node_modules/.bin/node dist/main.js');
  assert.equal(named(own, older, 'serve'), `${checkout}/node_modules/.bin/node ${script}`);
  assert.equal(named('/opt/node24/bin/node', older), '/opt/node24/bin/node dist/main.js');
  assert.equal(named(join(older, 'node'), older), 'node dist/main.js');
});

test('a word is quoted where a POSIX shell would split or change it', { skip: process.platform === 'win32' }, () => {
  for (const [word, quoted] of [
    ['~/Notes', '~/Notes'],
    ['Note#Part', 'Note#Part'],
    ['my notes', '"my notes"'],
    ['{"query":"tide"}', `'{"query":"tide"}'`],
    ["it's $5", `'it'\\''s $5'`],
    ['', '""'],
    ["a\nb\u009b'c", "$'a\\nb\\u009b\\'c'"],
  ] as const)
    assert.equal(shellWord(word), quoted);
});
