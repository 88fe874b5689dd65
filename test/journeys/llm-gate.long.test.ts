// Checks the gate with a language-model provider: in every combination and provider state the tool list depends only on the config.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../fakes/http/exchange.ts';
import { hang, html } from '../fakes/http/faults.ts';
import { stallAfter } from '../fakes/http/stream-faults.ts';
import { endedBy, runnerCrashed } from '../fakes/ollama/chat-faults.ts';
import { CHATTING } from '../fakes/ollama/model.ts';
import type { OllamaServer } from '../fakes/ollama-server.ts';
import { type Combination, LLM_TOOLS, listedTools } from './listed-tools.ts';
import { llmSession, ollamaFor, setUp, summarize, tenNotes } from './llm-session.ts';
import { configFile, openSession, type Session } from './session.ts';

/** Nothing listens on this port. */
const NOWHERE = 'http://127.0.0.1:9';

const EITHER = [false, true];
const MATRIX: readonly Combination[] = EITHER.flatMap((embedding) =>
  EITHER.flatMap((llm) => EITHER.map((writes) => ({ embedding, llm, writes }))),
);

const yamlOf = (vault: string, { embedding, llm, writes }: Combination): string =>
  [
    `vault: { path: ${JSON.stringify(vault)}, access: ${writes ? 'read-write' : 'read-only'} }`,
    'providers:',
    '  store: { type: sqlite }',
    ...(embedding ? [`  embedding: { type: ollama, model: embeddinggemma, endpoint: "${NOWHERE}" }`] : []),
    ...(llm ? [`  llm: { type: openai-compatible, model: any, endpoint: "${NOWHERE}/v1" }`] : []),
    '',
  ].join('\n');

for (const combination of MATRIX) {
  const words = Object.entries(combination).map(([name, is]) => `${is ? 'with' : 'without'} ${name}`);
  test(`gate: ${words.join(', ')}, every provider down`, async (context) => {
    const session = await openSession(context, { config: configFile(context, yamlOf(tenNotes(context), combination)) });
    const names = listedTools(combination);
    assert.deepEqual(await session.toolNames(), names);
    const { tools } = await session.client.listTools();
    const schemas = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
    const absent = listedTools({ embedding: true, llm: true, writes: true }).filter((name) => !names.includes(name));
    for (const name of absent) {
      assert.ok(name === 'search' || !schemas.includes(name), `${name} is named`);
      await assert.rejects(session.call(name), (error: { code: number; data: { available: string[] } }) => {
        assert.deepEqual([error.code, error.data.available], [-32602, names]);
        return true;
      });
    }
    const { absent: reported } = (await session.call('status')).structured.data.capabilities;
    const keys = reported.map((row: { config_key: string }) => row.config_key);
    const expected = [
      ...(combination.embedding ? [] : ['providers.embedding']),
      ...(combination.llm ? [] : ['providers.llm']),
    ];
    const withoutTools = ['providers.rerank'];
    assert.deepEqual(keys, [...expected, ...withoutTools]);
    const instructions = session.client.getInstructions() ?? '';
    for (const key of ['providers.embedding', 'providers.llm'])
      assert.equal(instructions.includes(key), expected.includes(key), key);
  });
}

test('gate: without providers.llm a call names the config key that would enable the tool', async (context) => {
  const session = await openSession(context, { vault: tenNotes(context) });
  const listed = await session.toolNames();
  assert.deepEqual(
    LLM_TOOLS.filter((name) => listed.includes(name)),
    [],
  );
  for (const name of LLM_TOOLS)
    await assert.rejects(session.call(name), (error: { code: number; data: object; message: string }) => {
      assert.partialDeepStrictEqual(error.data, { code: 'CAPABILITY_NOT_CONFIGURED', config_key: 'providers.llm' });
      return error.message.includes('providers.llm');
    });
  const { absent } = (await session.call('status')).structured.data.capabilities;
  assert.partialDeepStrictEqual(absent[1], {
    capability: 'llm',
    tools: LLM_TOOLS,
    types: ['ollama', 'openai-compatible'],
  });
});

interface State {
  readonly name: string;
  readonly bring: (ollama: OllamaServer) => Promise<void> | void;
  readonly code: string;
}

const on = (fault: Fault, path?: string) => (ollama: OllamaServer) => ollama.fail(fault, path ? { on: path } : {});
const CHAT = '/api/chat';

const STATES: readonly State[] = [
  { name: 'up', bring: () => undefined, code: 'ok' },
  { name: 'down', bring: (ollama) => ollama.refuse(), code: 'PROVIDER_UNAVAILABLE' },
  { name: 'hanging', bring: on(hang()), code: 'PROVIDER_TIMEOUT' },
  { name: 'hanging during an answer', bring: on(stallAfter(2), CHAT), code: 'PROVIDER_TIMEOUT' },
  { name: 'answering with HTML', bring: on(html(200)), code: 'PROVIDER_BAD_RESPONSE' },
  { name: 'crashing', bring: on(runnerCrashed(), CHAT), code: 'PROVIDER_ERROR' },
  { name: 'truncating its answers', bring: on(endedBy('length'), CHAT), code: 'PROVIDER_BAD_RESPONSE' },
  { name: 'without the model', bring: (ollama) => ollama.remove('llama3.2'), code: 'PROVIDER_MODEL_MISSING' },
  {
    name: 'with a model that cannot chat',
    bring: (ollama) => ollama.install({ name: 'llama3.2' }),
    code: 'PROVIDER_MODEL_UNSUITABLE',
  },
];

/** One note, one failure: the batch item has its own error code. */
async function codeOf(session: Session): Promise<string> {
  const { structured } = await summarize(session);
  return structured.ok ? 'ok' : (structured.error.details.failed?.[0]?.error.code ?? structured.error.code);
}

async function assertState(session: Session, { name, code }: State): Promise<void> {
  const names = listedTools({ embedding: false, llm: true, writes: false });
  assert.deepEqual(await session.toolNames(), names, name);
  assert.equal(await codeOf(session), code, name);
  for (const [tool, given] of [
    ['search_text', { query: 'tide' }],
    ['read_notes', { notes: ['N1'] }],
    ['status', {}],
  ] as const)
    assert.equal((await session.call(tool, given)).isError, false, tool);
  assert.deepEqual(await session.toolNames(), names, name);
}

async function backToHealth(ollama: OllamaServer): Promise<void> {
  ollama.heal();
  ollama.install(CHATTING);
  await ollama.refuse();
  await ollama.reopen();
}

/** Long enough for any healthy call on a busy machine. */
const LIMIT = 'timeout: 6000';

for (const state of STATES) {
  test(`gate: llm ${state.name} while the server runs, and healthy again without a restart`, async (context) => {
    const ollama = await ollamaFor(context);
    const session = await llmSession(context, ollama, { llm: LIMIT });
    await state.bring(ollama);
    await assertState(session, state);
    await backToHealth(ollama);
    assert.equal(await codeOf(session), 'ok');
  });

  test(`gate: llm ${state.name} at the start`, async (context) => {
    const ollama = await ollamaFor(context);
    await state.bring(ollama);
    const session = await llmSession(context, ollama, { llm: LIMIT });
    await assertState(session, state);
    await backToHealth(ollama);
    assert.equal(await codeOf(session), 'ok');
  });
}

test('M7 a hanging language-model provider does not delay initialize, tools/list or other tools', async (context) => {
  const ollama = await ollamaFor(context);
  ollama.fail(hang());
  // The server waits longer for the provider than this client for an answer, which is 60 s.
  const setup = setUp(context, ollama, { llm: 'timeout: 290000, load_timeout: 290000' });
  const session = await openSession(context, setup);
  await session.toolNames();
  let isAsking = true;
  const asking = summarize(session).then(
    () => {
      isAsking = false;
    },
    () => undefined,
  );
  for (let round = 0; round < 10; round += 1)
    assert.equal((await session.call('search_text', { query: 'tide' })).isError, false);
  assert.ok(isAsking, 'the provider still hangs');
  await session.close();
  await asking;
});
