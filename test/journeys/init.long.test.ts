// Runs `vaultgraph init` as a new user: with Obsidian, with Ollama, with neither, and with an existing config.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { startOllama } from '../fakes/ollama-server.ts';
import { copyOfFixture, runBeside, temporaryFolder } from './session.ts';

/** Nothing listens on this port. */
const NOBODY = 'http://127.0.0.1:9';

function machine(context: TestContext, ...vaults: readonly string[]) {
  const home = temporaryFolder(context);
  const list = join(home, '.config/obsidian/obsidian.json');
  mkdirSync(dirname(list), { recursive: true });
  const known = Object.fromEntries(vaults.map((path, at) => [`v${at}`, { path, ts: at }]));
  writeFileSync(list, JSON.stringify({ vaults: known }));
  const run = (...args: string[]) => runBeside(context, args, { HOME: home });
  return { home, config: join(home, '.config/vaultgraph/config.yaml'), run };
}

suite('init', () => {
  test('uses the only vault that Obsidian knows; the config it writes works and is never overwritten', async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const { config, run } = machine(context, vault);
    const { status, stdout, stderr } = await run('init', '--yes', '--endpoint', NOBODY);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /read-only/);
    assert.match(stdout, /embedding +off \(Ollama does not answer; `.*models` lists models that need no server\)/);
    assert.match(stdout, /tools +status, search_text/);
    const answer = JSON.parse((await run('call', 'list_notes', '{"limit":1}')).stdout);
    assert.equal(answer.ok, true);
    const written = readFileSync(config, 'utf8');
    const again = await run('init', '--yes', '--vault', vault);
    assert.equal(again.status, 78);
    assert.match(again.stderr, /config\.yaml: a config already exists here; it was not changed/);
    assert.equal(readFileSync(config, 'utf8'), written);
  });

  test('names each of several vaults of Obsidian with --all, and builds the index of each', async (context) => {
    const home = temporaryFolder(context);
    const folders = ['Work Notes', 'Café', 'note'].map((name) => join(home, name));
    for (const [at, folder] of folders.entries()) {
      mkdirSync(folder);
      writeFileSync(join(folder, `Note ${at}.md`), `number ${at}\n`);
    }
    const { config, run } = machine(context, ...folders);
    const ambiguous = await run('init', '--yes', '--endpoint', NOBODY);
    assert.match(ambiguous.stderr, /found 3 vaults.*--all/s);
    const { status, stdout, stderr } = await run('init', '--yes', '--all', '--endpoint', NOBODY);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /notes +3\n/);
    assert.match(
      readFileSync(config, 'utf8'),
      /^vaults:\n {2}notevault:\n[\s\S]*^ {2}cafe:\n[\s\S]*^ {2}work-notes:\n/m,
    );
    const { data } = JSON.parse((await run('call', 'list_notes')).stdout);
    assert.deepEqual(
      data.notes.map(({ vault, path }: { vault: string; path: string }) => `${vault}: ${path}`),
      ['notevault: Note 2.md', 'cafe: Note 1.md', 'work-notes: Note 0.md'],
    );
    assert.equal((await run('init', '--all', '--vault', home, '--config', join(home, 'x.yaml'))).status, 64);
  });

  test('lists the installed models that are suitable, and the tools they enable', async (context) => {
    const ollama = await startOllama({
      models: [
        { name: 'llama3.2', capabilities: ['completion'] },
        { name: 'faraway', capabilities: ['embedding'], remoteHost: 'https://models.example.test' },
        { name: 'embeddinggemma', capabilities: ['embedding'] },
      ],
    });
    context.after(() => ollama.close());
    const { run } = machine(context);
    const vault = copyOfFixture(context, 'tiny');
    const where = ['--vault', vault, '--endpoint', ollama.origin, '--json', '--yes'];
    const reported = JSON.parse((await run('init', ...where, '--access', 'read-write')).stdout);
    assert.equal(reported.embedding.model, 'embeddinggemma:latest');
    assert.equal(reported.llm, undefined);
    for (const tool of ['search', 'find_similar', 'create_note']) assert.ok(reported.tools.includes(tool), tool);
    const other = join(temporaryFolder(context), 'own/config.yaml');
    const both = await run('init', ...where, '--config', other, '--embedding', 'none', '--llm', 'llama3.2');
    assert.deepEqual(JSON.parse(both.stdout).llm, { model: 'llama3.2', endpoint: ollama.origin });
    assert.ok(JSON.parse(both.stdout).tools.includes('summarize_notes'));
    assert.equal(ollama.requests.filter(({ path }) => /chat|generate/.test(path)).length, 0);
    assert.equal(reported.index.embedding.state, 'succeeded');
  });

  test('a model that is not installed is refused with the list of installed ones, and nothing is written', async (context) => {
    const ollama = await startOllama({ models: [{ name: 'embeddinggemma', capabilities: ['embedding'] }] });
    context.after(() => ollama.close());
    const { config, run } = machine(context);
    const vault = copyOfFixture(context, 'tiny');
    const { status, stderr } = await run(
      'init',
      '--vault',
      vault,
      '--endpoint',
      ollama.origin,
      '--embedding',
      'embedinggemma',
    );
    assert.equal(status, 78);
    assert.match(stderr, /--embedding: embedinggemma is not installed.*allowed: embeddinggemma:latest/);
    assert.throws(() => readFileSync(config), /ENOENT/);
  });

  test('with several vaults and no terminal to ask, each vault is listed', async (context) => {
    const vaults = [copyOfFixture(context, 'tiny'), copyOfFixture(context, 'tiny')];
    const { run } = machine(context, ...vaults);
    const { status, stderr } = await run('init', '--endpoint', NOBODY);
    assert.equal(status, 1);
    assert.match(stderr, /VAULT_AMBIGUOUS.*--vault/s);
    for (const vault of vaults) assert.ok(stderr.includes(vault));
  });

  test('no vault, or one that does not exist', async (context) => {
    const { run } = machine(context);
    const none = await run('init', '--yes', '--endpoint', NOBODY);
    assert.match(none.stderr, /CONFIG_MISSING/);
    const gone = await run('init', '--yes', '--vault', '/no/such/folder', '--endpoint', NOBODY);
    assert.match(gone.stderr, /VAULT_NOT_FOUND.*\/no\/such\/folder/);
    assert.equal(gone.status, 78);
  });

  test('a vault, or a place for the config, that the system does not let us look at', async (context) => {
    const { run } = machine(context);
    const circle = join(temporaryFolder(context), 'circle');
    symlinkSync(circle, circle);
    const hidden = await run('init', '--yes', '--vault', circle, '--endpoint', NOBODY);
    assert.match(hidden.stderr, /VAULT_UNAVAILABLE.*ELOOP/);
    const vault = copyOfFixture(context, 'tiny');
    const elsewhere = await run('init', '--yes', '--vault', vault, '--config', join(circle, 'c.yaml'));
    assert.match(elsewhere.stderr, /c\.yaml: it cannot be looked at \(ELOOP\)/);
  });
});
