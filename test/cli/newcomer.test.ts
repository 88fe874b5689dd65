// Checks that the next steps shown to a new user work: the installed clients, a stable Node path.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nextStepsText, writtenText } from '../../src/cli/init/init-command.ts';
import { clientsHere } from '../../src/cli/install/clients.ts';
import { lastingNode } from '../../src/cli/install/install-command.ts';
import { assertEach } from '../assert-each.ts';

function home(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-newcomer-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('clients are detected by their own files; the home folder alone detects none', (context) => {
  const machine = { platform: 'linux', env: {}, home: home(context), cwd: '/nowhere' } as const;
  assert.deepEqual(clientsHere(machine), []);
  mkdirSync(join(machine.home, '.cursor'));
  writeFileSync(join(machine.home, '.claude.json'), '{}');
  assertEach(clientsHere(machine), ({ name }) => name, ['claude-code', 'cursor']);
});

test('init ends with the next commands for the installed clients', (context) => {
  const machine = { platform: 'linux', env: {}, home: home(context), cwd: '/nowhere' } as const;
  const chosen = { vault: '/notes', access: 'read-only' } as const;
  const written = { file: '/a b/c.yaml', chosen, tools: ['status'], notes: 0, installed: undefined, isNamed: true };
  const none = writtenText(written) + nextStepsText(written, machine);
  assert.match(none, /off \(Ollama does not answer; `.*models` lists models that need no server\)/);
  assert.match(none, /The folder has no notes/);
  assert.match(none, /install --client NAME --config "\/a b\/c\.yaml"$/m);
  mkdirSync(join(machine.home, '.codex'));
  const found = { ...written, notes: 1, installed: { embedding: [], llm: ['llama3.2'] }, isNamed: false };
  const some = writtenText(found) + nextStepsText(found, machine);
  assert.match(some, /embedding {2}off \(`ollama pull embeddinggemma` gets a model for it\)/);
  assert.match(some, /llm {8}off \(installed: llama3\.2; to use one, uncomment providers\.llm in \/a b\/c\.yaml\)$/m);
  assert.match(some, /, 1 note$/m);
  assert.match(some, /install --client codex$/m);
  assert.doesNotMatch(some, /--config|no notes/);
});

test('a Homebrew Node is named by its version-independent link, any other by its own path', (context) => {
  const prefix = home(context);
  const cellar = join(prefix, 'Cellar/node@24/24.3.0/bin');
  mkdirSync(cellar, { recursive: true });
  const running = join(cellar, 'node');
  writeFileSync(running, '');
  assert.equal(lastingNode(running), running);
  mkdirSync(join(prefix, 'opt'));
  symlinkSync(join(prefix, 'Cellar/node@24/24.3.0'), join(prefix, 'opt/node@24'));
  assert.equal(lastingNode(running), join(prefix, 'opt/node@24/bin/node'));
  rmSync(join(prefix, 'opt/node@24'));
  mkdirSync(join(prefix, 'opt/node@24/bin'), { recursive: true });
  writeFileSync(join(prefix, 'opt/node@24/bin/node'), 'another');
  assert.equal(lastingNode(running), running);
  assert.equal(lastingNode(process.execPath), process.execPath);
});
