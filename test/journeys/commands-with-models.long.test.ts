// Runs one-shot commands with a model server on loopback: Ctrl-C, a model that was exchanged, the first index of `init`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hang } from '../fakes/http/faults.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { configFile, copyOfFixture, PROGRAM, runBeside, temporaryFolder } from './session.ts';

async function placeFor(context: TestContext) {
  const models = ['first', 'second'].map((name) => ({ name, weights: name, capabilities: ['embedding'] }));
  const ollama = await startOllama({ models });
  context.after(() => ollama.close());
  const vault = JSON.stringify(copyOfFixture(context, 'tiny'));
  const dataFolder = temporaryFolder(context);
  const argsFor = (model: string): readonly string[] => {
    const section = `{ type: ollama, model: ${model}, endpoint: ${ollama.origin} }`;
    const config = configFile(context, `vault: { path: ${vault} }\nproviders:\n  embedding: ${section}\n`);
    return ['--config', config, '--data-dir', dataFolder];
  };
  return { ollama, argsFor };
}

async function untilAsked({ requestsTo }: OllamaServer, path: string): Promise<void> {
  while (requestsTo(path).length === 0) await sleep(20);
}

test('Ctrl-C while notes are embedded says how much is kept and how to continue, and exits with 130', async (context) => {
  const { ollama, argsFor } = await placeFor(context);
  ollama.fail(hang(), { on: '/api/embed' });
  const args = [PROGRAM, 'index', ...argsFor('first')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stderr = text(child.stderr);
  const closed = once(child, 'close');
  await untilAsked(ollama, '/api/embed');
  child.kill('SIGINT');
  assert.equal((await closed)[0], 130, await stderr);
  const said =
    /^Interrupted\. All notes are indexed, 0 of \d+ are embedded; run `\S*node \S+ index --config .*` to continue\.$/m;
  assert.match(await stderr, said);
});

test('a one-shot command says nothing about the work that ends with its process', async (context) => {
  const { ollama, argsFor } = await placeFor(context);
  ollama.fail(hang(), { on: '/api/embed' });
  const ended = { query: { folder: 'Boats' }, words: { query: 'quay' } };
  const calls = [
    ['call', 'list_notes', JSON.stringify(ended.query)],
    ['call', 'search_text', JSON.stringify(ended.words), '--json'],
    ['call', 'list_tags'],
    ['status'],
    ['status', '--json'],
    ['export'],
  ];
  for (const call of calls) {
    const { stderr } = await runBeside(context, [...call, ...argsFor('first')]);
    assert.doesNotMatch(stderr, /SHUTTING_DOWN|interrupted|"level"/, call.join(' '));
  }
  assert.notEqual(ollama.requestsTo('/api/embed').length, 0, 'nothing was being embedded');
});

suite('after another model was configured', () => {
  test('a one-shot call names the command that makes new vectors, and no job that ends with it; status is not `active`', async (context) => {
    const { argsFor } = await placeFor(context);
    assert.equal((await runBeside(context, ['index', ...argsFor('first')])).status, 0);
    const other = argsFor('second');
    const status = await runBeside(context, ['status', '--json', ...other]);
    assert.equal(JSON.parse(status.stdout).data.embedding[0].state, 'mismatched');
    assert.match((await runBeside(context, ['status', ...other])).stdout, /embedded with first by another model/);
    const { stdout } = await runBeside(context, ['call', 'search', '{"query":"quay"}', ...other]);
    const { error } = JSON.parse(stdout);
    assert.equal(error.code, 'EMBEDDER_MISMATCH', stdout);
    assert.match(error.hint, /^Run `\S*node \S+ index --config .*` to make vectors with the model in the config/);
    assert.doesNotMatch(JSON.stringify(error), /job_|reindex|being made/);
    assert.equal((await runBeside(context, ['index', ...other])).status, 0);
    const { embedding } = JSON.parse((await runBeside(context, ['status', '--json', ...other])).stdout).data;
    assert.equal(embedding[0].state, 'active');
  });
});

suite('init', () => {
  test('builds the first index and its vectors, so that the doctor finds nothing to do', async (context) => {
    const chat = ['llama3.2', 'qwen3'].map((name) => ({ name, capabilities: ['completion'] }));
    const ollama = await startOllama({ models: [{ name: 'embeddinggemma', capabilities: ['embedding'] }, ...chat] });
    context.after(() => ollama.close());
    const home = { HOME: temporaryFolder(context) };
    const vault = copyOfFixture(context, 'tiny');
    const args = ['init', '--yes', '--vault', vault, '--endpoint', ollama.origin];
    const { status, stdout, stderr } = await runBeside(context, args, home);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^succeeded: \d+ files, 12 indexed/m);
    assert.match(stdout, /^embedding succeeded: 12 notes/m);
    assert.match(
      stdout,
      /llm +off \(installed: llama3\.2:latest, qwen3:latest; to use one, uncomment providers\.llm in /,
    );
    const config = readFileSync(join(home.HOME, '.config/vaultgraph/config.yaml'), 'utf8');
    assert.match(config, /# summaries, .*; installed: llama3\.2:latest, qwen3:latest\n {2}# llm:/);
    assert.match(config, /# {3}model: "llama3\.2:latest"/);
    const doctor = await runBeside(context, ['doctor'], home);
    assert.equal(doctor.status, 0, doctor.stdout);
  });
});
