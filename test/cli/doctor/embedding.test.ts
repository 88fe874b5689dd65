// Checks what `vaultgraph doctor` reports about an embedding provider on loopback and its vectors, each finding with a hint.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { doctorChecks } from '../../../src/cli/doctor/checks.ts';
import { runIndex } from '../../../src/cli/index-command.ts';
import { empty, hang } from '../../fakes/http/faults.ts';
import { DIGEST_2 } from '../../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';

const TINY = join(import.meta.dirname, '../../../vault-fixtures/tiny');

async function place(
  context: TestContext,
  start: Parameters<typeof startOllama>[0] = {},
  lines: readonly string[] = [],
) {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-doctor-'));
  const server = await startOllama(start);
  context.after(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });
  cpSync(TINY, join(home, 'Notes'), { recursive: true });
  const own = ['type: ollama', 'model: embeddinggemma', `endpoint: ${server.origin}`, ...lines];
  const config = join(home, 'config.yaml');
  writeFileSync(
    config,
    `vault: { path: Notes }\nproviders:\n  embedding:\n${own.map((line) => `    ${line}\n`).join('')}`,
  );
  const options = { config, dataDir: join(home, 'data') };
  const check = async (name: string) => {
    const found = doctorChecks(options).find((each) => each.name === name);
    assert.ok(found);
    return found.run();
  };
  return { server, options, check };
}

test('each level of a healthy provider is reported, and a model that is not loaded is loaded first', async (context) => {
  const { server, check } = await place(context, { models: [{ loadMs: 100 }] });
  const cold = await check('embedding');
  assert.equal(cold.status, 'ok');
  assert.match(cold.detail, /^providers\.embedding ollama embeddinggemma: reachable, Ollama 0\.33\.0 answers/);
  assert.match(
    cold.detail,
    /; model present and able to embed, .*64 dimensions\); embeds correctly, once the model was loaded$/,
  );
  assert.ok(server.model('embeddinggemma').isLoaded());
  assert.match((await check('embedding')).detail, /; embeds correctly, embeds into 64 dimensions$/);
});

const FAILING: readonly {
  readonly name: string;
  readonly spoil: (server: OllamaServer) => unknown;
  readonly detail: RegExp;
  readonly hint: RegExp;
}[] = [
  {
    name: 'a closed port',
    spoil: (server) => server.refuse(),
    detail: /: not reachable: \[PROVIDER_UNAVAILABLE\] .*: is it running\?/,
    hint: /^start ollama there, or correct providers\.embedding\.endpoint$/,
  },
  {
    name: 'a missing model',
    spoil: (server) => server.remove('embeddinggemma'),
    detail: /: reachable, .*; no such model, or one that cannot embed: \[PROVIDER_MODEL_MISSING\]/,
    hint: /^run `ollama pull embeddinggemma`, or name another model/,
  },
  {
    name: 'a model that cannot embed',
    spoil: (server) => server.change('embeddinggemma', { capabilities: ['completion'] }),
    detail: /no such model, or one that cannot embed: \[PROVIDER_MODEL_UNSUITABLE\]/,
    hint: /another model in providers\.embedding\.model/,
  },
  {
    name: 'a server that rejects the API key',
    spoil: (server) => server.fail(empty(401), { on: '/api/tags' }),
    detail: /\[PROVIDER_AUTH_FAILED\]/,
    hint: /check the key in providers\.embedding\.api_key/,
  },
  {
    name: 'an embedding request that hangs after the model was loaded',
    spoil: (server) => server.fail(hang(), { on: '/api/embed', when: ({ body }) => body.input.length > 0 }),
    detail: /model present and able to embed, .*; does not embed correctly: \[PROVIDER_TIMEOUT\]/,
    hint: /providers\.embedding\.timeout/,
  },
];

for (const { name, spoil, detail, hint } of FAILING) {
  test(`M15 ${name} is a failure, reported at its level with a hint`, async (context) => {
    const { server, check } = await place(context, {}, ['timeout: 3000']);
    await spoil(server);
    const found = await check('embedding');
    assert.equal(found.status, 'failing');
    assert.match(found.detail, detail);
    assert.match(found.hint, hint);
  });
}

test('doctor does not pull models, whatever the config allows', async (context) => {
  const { server, check } = await place(context, { models: [], library: [{}] }, ['auto_pull: once']);
  assert.equal((await check('embedding')).status, 'failing');
  assert.equal((await check('vectors')).status, 'warning');
  assert.equal(server.requestsTo('/api/pull').length, 0);
});

test('a fallback that fails makes the check fail, reported under its own key', async (context) => {
  const { check } = await place(context, {}, [
    'fallback:',
    '  type: ollama',
    '  model: no-such-model',
    '  endpoint: http://127.0.0.1:9',
  ]);
  const found = await check('embedding');
  assert.equal(found.status, 'failing');
  assert.match(
    found.detail,
    /providers\.embedding ollama embeddinggemma: reachable.* \| providers\.embedding\.fallback ollama no-such-model: not reachable/,
  );
  assert.match(found.hint, /providers\.embedding\.fallback\.endpoint/);
});

test('vectors: none, all, some rejected, another model', async (context) => {
  const { server, options, check } = await place(context, { models: [{ poison: { Anemones: 'rejected' } }] });
  assert.equal((await check('vectors')).detail, 'no vectors yet');
  await silently(() => runIndex(options));
  const some = await check('vectors');
  assert.equal(some.status, 'warning');
  assert.match(
    some.detail,
    /^12 of 12 notes embedded, 0 pending, \d+ chunks, 1 failed: Places\/Tide pool\.md:\d+-\d+ \[PROVIDER_REJECTED_INPUT\]/,
  );
  server.change('embeddinggemma', { poison: {} });
  await silently(() => runIndex({ ...options, rebuild: true }));
  assert.equal((await check('vectors')).status, 'ok');
  server.change('embeddinggemma', { digest: DIGEST_2 });
  const other = await check('vectors');
  assert.deepEqual([other.status, other.detail.includes('the provider is another now: digest')], ['failing', true]);
  assert.match(other.hint, /vaultgraph index/);
  await server.refuse();
  assert.equal((await check('vectors')).status, 'ok', 'what does not answer is the other check’s finding');
});

test('without a provider there are no findings', async (context) => {
  const { options } = await place(context);
  writeFileSync(options.config, 'vault: { path: Notes }\n');
  for (const check of doctorChecks(options).filter(({ name }) => ['embedding', 'vectors'].includes(name))) {
    const found = await check.run();
    assert.deepEqual([found.status, found.detail.startsWith('not configured')], ['ok', true]);
  }
});

/** The command prints its result, which this test does not check. */
async function silently(work: () => Promise<number>): Promise<void> {
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = () => true;
  try {
    await work();
  } finally {
    stdout.write = write;
  }
}

test('a model that does not suit the notes is a warning that names another one', async (context) => {
  const { options, check } = await place(context);
  const folder = join(dirname(options.config), 'Notes');
  for (let at = 0; at < 24; at += 1)
    writeFileSync(
      join(folder, `Same ${at}.md`),
      'The harbour lies quiet before the morning tide and nothing else happens.\n',
    );
  assert.match((await check('model fit')).detail, /^measured once the notes are embedded/);
  await runIndex(options);
  const { status, detail, hint } = await check('model fit');
  assert.equal(status, 'warning');
  assert.match(detail, /^\d+ of \d\d sentences find their own note by meaning$/);
  assert.match(hint ?? '', /potion-retrieval-32M \(English\) may: .*models add potion-retrieval-32M --replace/);
});
