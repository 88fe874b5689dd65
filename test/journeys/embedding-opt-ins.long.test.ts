// M12, M13, P12, P17–P19, P26: checks with the built program what the config refuses at startup and which options it allows for providers.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DIGEST_2 } from '../fakes/ollama/model.ts';
import { linkRuntime, writeOnnxModel } from '../fakes/onnx-folder.ts';
import { USUAL_OPENAI } from '../fakes/openai/embed.ts';
import { errorInside, signedBy } from '../fakes/openai/faults.ts';
import { startOpenai } from '../fakes/openai-server.ts';
import { until } from '../until.ts';
import { assertTextToolsWork, embeddedSession, ollamaFor, outcomeOf, search, setUp } from './embedding-session.ts';
import { jobEnded } from './provoking-vault.ts';
import { configFile, copyOfFixture, openSession, runBeside, type Session, temporaryFolder } from './session.ts';

const REFUSED: readonly (readonly [what: string, section: string, fault: RegExp])[] = [
  ['a timeout of 0', 'type: ollama, model: m, timeout: 0', /:3:\d+: .*timeout.*at least 1/],
  ['a negative timeout', 'type: ollama, model: m, timeout: -5', /:3:\d+: .*timeout.*at least 1/],
  ['a timeout above the maximum', 'type: ollama, model: m, timeout: 290001', /:3:\d+: .*timeout.*at most 290000/],
  [
    'credentials in a URL',
    'type: ollama, model: m, endpoint: "http://me:secret-word@127.0.0.1:1"',
    /:3:\d+: .*headers/,
  ],
  ['a public host', 'type: ollama, model: m, endpoint: "http://models.example.test"', /:3:\d+: .*allow_remote/],
  [
    'a host on the local network',
    'type: ollama, model: m, endpoint: "http://192.168.1.9:11434"',
    /:3:\d+: .*allow_remote/,
  ],
  [
    'a remote failover endpoint',
    'type: ollama, model: m, failover: ["http://models.example.test"]',
    /:3:\d+: .*allow_remote/,
  ],
  ['a cloud model', 'type: ollama, model: "big:cloud"', /:3:\d+: .*allow_remote/],
  [
    'a number of dimensions that the model does not support',
    'type: ollama, model: embeddinggemma, dimensions: 300',
    /:3:\d+: .*512/,
  ],
  ['an unknown option', 'type: ollama, model: m, pooling: mean', /:3:\d+: unknown key `pooling`/],
  ['an unknown type', 'type: olama, model: m', /:3:\d+: .*olama.*did you mean `ollama`/],
  ['no model', 'type: ollama', /:3:\d+: .*model.*missing/],
];

for (const [what, section, fault] of REFUSED) {
  test(`P12 M12 ${what} is refused at startup, with its position`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const config = configFile(context, `vault: { path: ${vault} }\nproviders:\n  embedding: { ${section} }\n`);
    const { status, stdout, stderr } = await runBeside(context, ['serve', '--config', config]);
    assert.deepEqual([status, stdout], [78, '']);
    assert.match(stderr, fault);
    assert.doesNotMatch(stderr, /secret-word/);
  });
}

test('M13 startup.verify: exit 78 if the provider is down or the model is missing, otherwise the same tool list', async (context) => {
  const ollama = await ollamaFor(context);
  const setup = setUp(context, ollama);
  const plain = await openSession(context, setup);
  const tools = await plain.toolNames();
  await plain.close();
  appendFileSync(setup.config, 'startup: { verify: true }\n');
  const session = await openSession(context, setup);
  assert.deepEqual(await session.toolNames(), tools);
  await session.close();
  ollama.remove('embeddinggemma');
  const serve = ['serve', '--config', setup.config, '--data-dir', setup.dataFolder];
  const missing = await runBeside(context, serve);
  assert.equal(missing.status, 78);
  assert.match(missing.stderr, /providers\.embedding.*PROVIDER_MODEL_MISSING/s);
  await ollama.refuse();
  const down = await runBeside(context, serve);
  assert.equal(down.status, 78);
  assert.match(down.stderr, /providers\.embedding.*PROVIDER_UNAVAILABLE/s);
  assert.equal(down.stdout, '');
});

test('P17 a provider that goes down during indexing: finished vectors are kept, and the job continues when it is back', async (context) => {
  const ollama = await ollamaFor(context);
  const setup = setUp(context, ollama, { rest: 'retry: { attempts: 1, job_attempts: 1 }' });
  await ollama.refuse();
  const session = await openSession(context, setup);
  const { embedding } = await session.indexed();
  assert.equal(embedding.state, 'interrupted', JSON.stringify(embedding));
  await assertTextToolsWork(session);
  await ollama.reopen();
  const again = await session.indexed();
  assert.equal(again.embedding.state, 'succeeded', JSON.stringify(again));
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('P18 a second endpoint with the same model takes over and is named; one with another model is refused', async (context) => {
  const first = await ollamaFor(context);
  const same = await ollamaFor(context);
  const other = await ollamaFor(context, { models: [{ digest: DIGEST_2 }] });
  for (const [second, expected] of [
    [same, 'ok'],
    [other, 'PROVIDER_UNAVAILABLE'],
  ] as const) {
    const session = await embeddedSession(context, first, { embedding: `failover: ["${second.origin}"]` });
    await first.refuse();
    const answer = await search(session);
    assert.equal(outcomeOf(answer), expected, answer.text);
    if (expected === 'ok') {
      assert.ok(answer.structured.meta.provider.served_by.endsWith(`:${second.port}`));
      assert.ok(answer.structured.warnings.some(({ code }: { code: string }) => code === 'FAILOVER'));
    }
    await session.close();
    await first.reopen();
  }
});

/** A folder with a tiny model that runs in the server's process. */
function onnxFolder(context: TestContext): string {
  const folder = join(temporaryFolder(context), 'tiny');
  writeOnnxModel(folder, { files: { 'config.json': '{"max_position_embeddings":4096}' } });
  linkRuntime(folder);
  return folder;
}

for (const [name, sectionOf] of [
  [
    'all-minilm',
    async (context: TestContext) => {
      const { origin } = await ollamaFor(context, { models: [{ name: 'all-minilm', digest: DIGEST_2, dims: 32 }] });
      return `type: ollama, model: all-minilm, endpoint: "${origin}"`;
    },
  ],
  ['tiny', async (context: TestContext) => `type: onnx, model: "${onnxFolder(context)}"`],
] as const)
  test(`P19 a complete fallback answers from its own vectors, and the answer is marked as degraded: ${name}`, async (context) => {
    const first = await ollamaFor(context);
    const fallback = `fallback: { ${await sectionOf(context)} }`;
    const session = await embeddedSession(context, first, { embedding: fallback });
    assert.equal((await search(session)).structured.meta.degraded, undefined);
    await first.refuse();
    const answer = await search(session);
    assert.equal(outcomeOf(answer), 'ok', answer.text);
    const { degraded } = answer.structured.meta;
    assert.deepEqual(
      [degraded.from, degraded.to, degraded.reason_code],
      ['embeddinggemma', name, 'PROVIDER_UNAVAILABLE'],
    );
    assert.match(answer.text, /^DEGRADED: /);
    await first.reopen();
    assert.equal((await search(session)).structured.meta.degraded, undefined);
  });

test('two servers with a model in their processes share one set of vectors, and the second goes on with it when the first is killed', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const section = `type: onnx, model: "${onnxFolder(context)}"`;
  const config = configFile(context, `vault: { path: "${vault}" }\nproviders:\n  embedding: { ${section} }\n`);
  const dataFolder = temporaryFolder(context);
  const first = await openSession(context, { config, dataFolder });
  const second = await openSession(context, { config, dataFolder });
  const job = await first.indexed();
  assert.equal(job.embedding?.state, 'succeeded', JSON.stringify(job));
  const found = async (session: Session, query: string) => {
    const { structured } = await search(session, { query });
    const [hit] = structured.ok ? structured.data.hits : [];
    return {
      path: hit?.path,
      byMeaning: hit?.scores.vector !== undefined,
      generation: structured.meta?.index?.generation,
    };
  };
  const harbour = { path: 'Places/Harbour.md', byMeaning: true, generation: 1 };
  for (const session of [first, second]) assert.deepEqual(await found(session, 'harbour'), harbour);
  process.kill(first.processId, 'SIGKILL');
  writeFileSync(join(vault, 'Kelp.md'), '# Kelp\n\nThe kelp forest sways in the swell.\n');
  const kelp = { path: 'Kelp.md', byMeaning: true, generation: 1 };
  await until(async () => isDeepStrictEqual(await found(second, 'kelp'), kelp), 'the vector of the new note');
  assert.deepEqual(await found(second, 'harbour'), harbour);
});

test('P26 an OpenAI-compatible server: results are sorted by index, an error inside a success is an error, another model is refused', async (context) => {
  const server = await startOpenai({ flavour: 'lm-studio', model: 'embeddinggemma', shuffles: true });
  context.after(() => server.close());
  const vault = copyOfFixture(context, 'tiny');
  const section = `type: openai-compatible, model: embeddinggemma, endpoint: "${server.endpoint}"`;
  const config = configFile(context, `vault: { path: ${vault} }\nproviders:\n  embedding: { ${section} }\n`);
  const session = await openSession(context, { config });
  assert.equal((await session.indexed()).embedding.state, 'succeeded');
  assert.equal(outcomeOf(await search(session)), 'ok');
  server.fail(errorInside(), { on: '/v1/embeddings' });
  assert.equal(outcomeOf(await search(session)), 'PROVIDER_BAD_RESPONSE');
  server.heal();
  server.fail(signedBy('another-model'), { on: '/v1/embeddings' });
  assert.equal(outcomeOf(await search(session)), 'EMBEDDER_MISMATCH');
  server.heal();
  server.change({ weights: 'others' });
  assert.equal(outcomeOf(await search(session)), 'EMBEDDER_MISMATCH');
  server.change({ weights: USUAL_OPENAI.weights });
  assert.equal(outcomeOf(await search(session)), 'ok');
});

test('a changed model in the config gets its own vectors, and the old ones are deleted when the new ones are complete', async (context) => {
  const ollama = await ollamaFor(context, { models: [{}, { name: 'all-minilm', digest: DIGEST_2, dims: 32 }] });
  const first = await embeddedSession(context, ollama);
  await first.close();
  writeFileSync(first.config, readFileSync(first.config, 'utf8').replace('embeddinggemma', 'all-minilm'));
  const session = await openSession(context, first);
  const job = await session.indexed();
  assert.equal(job.embedding.state, 'succeeded');
  const answer = await search(session);
  assert.deepEqual([outcomeOf(answer), answer.structured.meta.index.generation], ['ok', 2]);
  assert.equal(answer.structured.meta.provider.model, 'all-minilm');
});

test('reindex returns the embedding job of one changed note, and a later search finds its new meaning', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama);
  // A warm-up in the background sends no text.
  const sent = (): string[] => ollama.requestsTo('/api/embed').flatMap(({ body }) => body.input);
  const before = sent().length;
  writeFileSync(join(session.vault, 'Kelp.md'), '# Kelp\n\nThe kelp forest sways in the swell.\n');
  const { structured } = await session.call('reindex', { wait_ms: 45_000 });
  await jobEnded(session, structured.data.embedding.job_id);
  assert.equal(sent().length, before + 1, sent().slice(before).join(' | '));
  const answer = await search(session, { query: 'kelp forest' });
  assert.equal(answer.structured.data.hits[0].path, 'Kelp.md');
});
