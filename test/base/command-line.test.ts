// Checks that hints name the program the way the user started it, with the options that say what it works on.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, programName } from '../../src/base/command-line.ts';

const started = (script: string, cwd = '/home/e', args: readonly string[] = [], path = '') => ({
  argv: ['/usr/bin/node', script, ...args],
  cwd,
  path,
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
